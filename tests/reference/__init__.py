"""The pages that are made from the code, and the picture of a terminal: see tests/reference_pages.py."""
