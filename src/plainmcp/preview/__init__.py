"""What one call becomes on each revision with each policy. Knows no command line and no page."""

__all__: list[str] = []
