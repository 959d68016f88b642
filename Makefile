# Two commands do everything on a machine that has only Python and make: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.stetho-installed

.PHONY: demo test setup lint types docs bench clean

demo: setup
	$(BIN)/stetho demo

test: setup lint types
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2

setup: $(STAMP)

# torch is pinned: a looser requirement pulls gigabytes of accelerator libraries on Linux.
$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q torch==2.13.0
	$(BIN)/python -m pip install -q -e ".[test]"
	touch $(STAMP)

lint: setup
	$(BIN)/ruff check src tests bench
	$(BIN)/ruff format --check src tests bench

types: setup
	$(BIN)/mypy

# Writes the generated pages: the help text and the reference.
docs: setup
	$(BIN)/python -m stetho.reference

# The whole corpus, program by program; slow.
bench: setup
	OMP_NUM_THREADS=1 $(BIN)/python bench/scoreboard.py --write

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache
