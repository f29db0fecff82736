# The whole set-up: Python 3.11 or newer, pip and make. Everything lands in .venv; nothing else is touched.
# Another interpreter: make test PYTHON=python3.13

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: help run test check bench clean

help:
	@echo "make run     serve the weather example on loopback, and print a request to try"
	@echo "make test    run every test and every >>> example"
	@echo "make check   formatting, lint and types"
	@echo "make bench   time values and calls against their floors"
	@echo "make clean   remove .venv and everything else that was made here"
	@echo
	@echo "The first of these takes a minute or two: it makes .venv and installs into it."
	@echo "One test: $(BIN)/python -m pytest -k some_words"

# Installs again only when pyproject.toml is newer than the last installation.
$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

run: $(READY)
	@$(BIN)/python examples/weather.py

test: $(READY)
	$(BIN)/python -m pytest -q -n 2

check: $(READY)
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy
	$(BIN)/basedpyright --pythonpath $(BIN)/python

bench: $(READY)
	@$(BIN)/python bench/values.py
	@$(BIN)/python bench/calls.py

clean:
	rm -rf .venv dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
