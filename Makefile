# Two commands do everything on a machine that has only Python and make: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.stetho-installed
PEERS := .venv-bench
LIBRARIES := .venv-readers

.PHONY: demo test setup lint types docs bench scoreboard overhead speed readers text-logs run-directory bundles fuzz \
  matrix smokes corpus-verify mutants rescore transcripts clean

demo: setup
	$(BIN)/stetho demo

test: setup lint types
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile

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

# All are slow, and `overhead` wants a machine that does nothing else.
bench: corpus-verify mutants scoreboard overhead speed bundles fuzz

# A sample of the test split, by stetho and its peers; SAMPLE=0 is all of it.
SAMPLE ?= 100
scoreboard: setup $(PEERS)/.stetho-installed
	$(BIN)/python -m bench.judge.scoreboard --sample $(SAMPLE)

# The page of the scoreboard from what was stored.
rescore: setup
	$(BIN)/python -m bench.judge.scoreboard --score

# Real investigations as the terminal shows them, made anew.
transcripts: setup
	OMP_NUM_THREADS=1 $(BIN)/python -m bench.judge.transcripts

# Faults planted in healthy programs, and changes that mean the same, verified; ENOUGH= is all that can be made.
ENOUGH ?= --faults 300 --preserving 150
mutants: setup
	$(BIN)/python -m bench.judge.mutate.verified --write $(ENOUGH)

# Every program of the corpus with and without its fix, on two seeds; goes on where it was ended.
corpus-verify: setup
	$(BIN)/python -m bench.judge.verify --write

# What observing costs, beside other tools.
overhead: setup $(PEERS)/.stetho-installed
	OMP_NUM_THREADS=1 $(BIN)/python bench/overhead.py --write

# The page of all three that follow.
speed: $(LIBRARIES)/.stetho-installed
	OMP_NUM_THREADS=1 $(LIBRARIES)/bin/python bench/speed.py --write

# How fast readers read, beside what else is installed that reads the same.
readers: $(LIBRARIES)/.stetho-installed
	OMP_NUM_THREADS=1 $(LIBRARIES)/bin/python bench/readers.py

# A hundred thousand damaged files, none of which may raise, hang or take much memory.
fuzz: setup
	$(BIN)/python bench/fuzz.py
	$(BIN)/python bench/fuzz_probes.py

# How fast text logs are read, style by style, and in how much memory.
text-logs: setup
	OMP_NUM_THREADS=1 $(BIN)/python bench/text_logs.py

# From a directory of 300 MB to its verdict, part by part.
run-directory: setup
	OMP_NUM_THREADS=1 $(BIN)/python bench/run_directory.py

# Huge logs as bundles: how large, how fast, and the same verdict.
bundles: setup
	OMP_NUM_THREADS=1 $(BIN)/python bench/bundles.py

# Every intervention in every style of program.
matrix: setup
	OMP_NUM_THREADS=1 $(BIN)/python tests/interventions/matrix.py

# What a smoke takes against the plain run, and what isolation costs; wants a quiet machine, too.
smokes: setup
	OMP_NUM_THREADS=1 $(BIN)/python bench/smokes.py --write

# One by one: a tool that cannot be installed here is left out, and the page says so.
$(PEERS)/.stetho-installed: bench/requirements.txt
	test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	sed '/^#/d' bench/requirements.txt | while read -r peer; do \
	  $(PEERS)/bin/python -m pip install -q -c bench/requirements.txt "$$peer" || true; done
	touch $@

# stetho without torch, beside the libraries that read what it reads; those that cannot be installed here are left out.
$(LIBRARIES)/.stetho-installed: bench/libraries.txt pyproject.toml
	test -x $(LIBRARIES)/bin/python || $(PYTHON) -m venv $(LIBRARIES)
	$(LIBRARIES)/bin/python -m pip install -q -e .
	sed '/^#/d' bench/libraries.txt | while read -r one; do $(LIBRARIES)/bin/python -m pip install -q "$$one" || true; done
	touch $@

clean:
	rm -rf $(VENV) $(PEERS) $(LIBRARIES) .mypy_cache .ruff_cache .pytest_cache
