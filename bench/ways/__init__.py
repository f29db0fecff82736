"""The ways in: each file knows one, drives it, and says what it cost."""
