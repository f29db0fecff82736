"""The programs in `apps` need frameworks that only environments of their own have: they hold no tests."""

collect_ignore = ["apps"]
