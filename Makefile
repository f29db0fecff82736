# You need Python 3.11 or newer, pip and make. Everything is installed into .venv.
# An interpreter other than that of .venv has an environment of its own: make test PYTHON=python3.13

PYTHON ?= python3
VENV := .venv
ifneq ($(origin PYTHON),file)
VENV := $(shell release() { "$$1" -c 'import platform, sys; print(platform.python_version() + sys.abiflags)'; }; \
	wanted=$$(release "$(PYTHON)") || exit; \
	test -x .venv/bin/python && test "$$(release .venv/bin/python)" != "$$wanted" && echo ".versions/$$wanted" || echo .venv)
ifeq ($(VENV),)
$(error $(PYTHON) is not a Python that starts)
endif
endif
BIN := $(VENV)/bin
READY := $(VENV)/.ready
SERVES := $(VENV)/.serves
PEERS := .venv-bench

.PHONY: help run replicas soak environment test test-fast test-versions mutants realworld suites check bench bench-quick bench-public bench-replicas instructions docs pictures clean

help:
	@echo "make run         serve the weather example on loopback, with a page, and print lines to try it [PORT=8000]"
	@echo "make replicas    serve an example with two processes, Redis and nginx, and print what to try"
	@echo "make soak        over 1,000 operations on replicas, while one is killed, Redis is restarted, ...; a checker reads the history [STORE=cluster|sqlite]"
	@echo "make test        run every test and every >>> example"
	@echo "make test-fast   run the tests for the inner loop, in less than a minute"
	@echo "make test-versions   run the fast tests on every other interpreter on the path or known to pyenv [PYTHONS=...]"
	@echo "make mutants MODULE=src/plainmcp/schema/generate.py [COUNT=30] [SEED=1]   do the golden tests notice a change?"
	@echo "make realworld   run published servers on the package they import and on ours, and compare; downloads them"
	@echo "make suites      run the tests of FastMCP and the official SDK with their clients and our servers; downloads them"
	@echo "make check       formatting, lint and types"
	@echo "make bench       measure speed and memory compared with other packages: a quarter of an hour, writes bench/RESULTS.md and README's table"
	@echo "make instructions   count the instructions of a request, if valgrind is installed: two minutes"
	@echo "make bench-public   measure the two read workloads of a public benchmark: five minutes, writes bench/PUBLIC.md"
	@echo "make bench-replicas   measure what several processes cost and bring: three minutes, writes bench/REPLICAS.md"
	@echo "make docs        build the documentation into site"
	@echo "make pictures    write the pictures of the page, the site and the terminal into docs/images"
	@echo "make clean       remove .venv and all generated files"
	@echo
	@echo "The first command takes a minute or two: it creates .venv and installs into it. PYTHON=python3.13 chooses another Python."
	@echo "One test: $(BIN)/python -m pytest -k some_words"

# Installs again only when pyproject.toml is newer than the last installation.
$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(SERVES) $@

environment: $(READY)

# The example needs few packages, so `make run` installs only these.
$(SERVES): pyproject.toml
	@echo "installing into $(VENV), once: this takes a few seconds" >&2
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[http]'
	@touch $@

# Another port: make run PORT=8001
PORT ?= 8000
run: $(SERVES)
	@$(BIN)/python examples/run.py $(PORT)

replicas: $(READY)
	@cd tests && $(abspath $(BIN))/python replica_set.py

# On a Redis Cluster with TLS: make soak STORE=cluster. On a file, where nothing is restarted: make soak STORE=sqlite
STORE ?= redis
soak: $(READY)
	@cd tests && $(abspath $(BIN))/python -m soak.run --store $(STORE)

test: $(READY)
	$(BIN)/python -m pytest -q -n 4 --dist worksteal

# The inner loop: units, architecture, and goldens on two channels; nothing marked slow.
test-fast: $(READY)
	$(BIN)/python -m pytest -q -n 2 -m "not slow" --hypothesis-profile=fast src tests/unit tests/architecture tests/golden

# The inner loop on every other interpreter that is found. More of them: make test-versions PYTHONS="/opt/python/bin/python3"
test-versions: $(READY)
	@$(BIN)/python tests/versions.py $(PYTHONS)

# Makes random changes in a copy of one module, one at a time, and runs the golden tests.
COUNT ?= 30
SEED ?= 1
mutants: $(READY)
	@$(BIN)/python tests/mutants.py $(MODULE) --count $(COUNT) --seed $(SEED)

# Published servers and the packages they import are downloaded into .realworld, once.
realworld: $(READY)
	@cd tests && $(abspath $(BIN))/python -m realworld.run $(addprefix --only ,$(ONLY))

# The suites and their environments are downloaded into .suites, once. One of them: make suites ONLY=fastmcp
suites: $(READY)
	@cd tests && $(abspath $(BIN))/python -m suites.run $(if $(ONLY),--only "$(ONLY)")

check: $(READY)
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy
	$(BIN)/basedpyright --pythonpath $(BIN)/python

# The packages we compare with have their own environment.
$(PEERS)/.ready: pyproject.toml bench/requirements.txt
	@test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --requirement bench/requirements.txt --editable '.[http]'
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --target $(PEERS)/mcp1 'mcp==1.30.0'
	@touch $@

# What several processes cost and bring; writes bench/REPLICAS.md.
bench-replicas: $(READY)
	@$(BIN)/python bench/replicas.py

bench: $(PEERS)/.ready
	@$(PEERS)/bin/python bench/run.py

# The read workloads of TM Dev Lab's benchmark; writes bench/PUBLIC.md.
bench-public: $(PEERS)/.ready
	@$(PEERS)/bin/python bench/public.py

# Counted by valgrind, so that the load of the machine does not matter; a few minutes.
instructions: $(READY)
	@$(BIN)/python bench/instructions.py

# While tuning: make bench-quick ONLY=asgi
bench-quick: $(PEERS)/.ready
	@$(PEERS)/bin/python bench/run.py --quick $(addprefix --only ,$(ONLY))

# The pictures of the page and of the documentation's first page, in a real Chromium, and that of a terminal.
pictures: $(READY)
	$(BIN)/python -m pytest -q tests/ui/test_pictures.py --update-pictures
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python tests/reference_pages.py

docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

clean:
	rm -rf .venv .versions .engines .realworld .suites $(PEERS) bench/.results.json dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
