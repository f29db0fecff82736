"""Hypothesis is quick and the same on every run; `--hypothesis-profile=long` explores."""

from hypothesis import settings

settings.register_profile("quick", max_examples=100, deadline=None, derandomize=True, database=None)
settings.register_profile("long", max_examples=10_000, deadline=None)
settings.load_profile("quick")
