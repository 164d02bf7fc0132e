# Everything runs in .venv, which holds the versions pinned in requirements.lock.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

SCALE ?= 1
JOBS ?= 1
WORKERS ?= 3
AREA ?=
SAMPLE ?=
GENERATE ?=

.PHONY: report test whole mutants ends lint format docs site bench clean help

help:           ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $(READY)

.venv: $(READY)

report: $(READY)  ## run all studies and write reports/index.html; SCALE=10 for more games
	$(BIN)/paxsim report --scale $(SCALE) --out reports

# Each worker takes a whole file, so that a file's fixtures are made once; the longest files come first
# (tests/conftest.py). Bytecode is written, because tests start many processes.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest --dist loadfile --no-loadscope-reorder

test: $(READY)  ## run the tests, except those of `make whole`
	$(PYTEST) -n $(WORKERS) -m "not whole"

whole: $(READY)  ## run the tests that start whole programs: wheel, notebooks, scripts, browser
	$(PYTEST) -n $(WORKERS) -m whole

mutants: $(READY)  ## check that the tests notice small mistakes; AREA=engine,stats SAMPLE=60 GENERATE=1 JOBS=2
	$(BIN)/python tests/mutants/run.py --jobs $(JOBS) $(addprefix --area ,$(AREA)) $(addprefix --sample ,$(SAMPLE)) \
	    $(if $(GENERATE),--generate)

ends: $(READY)  ## test with the oldest and the newest numba allowed
	$(BIN)/python tests/ends.py

lint: $(READY)  ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy

format: $(READY)  ## format the sources
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(READY)  ## run the examples on the pages and rewrite the output they show
	$(BIN)/python docs/run_examples.py

site: $(READY)  ## build the documentation site in build/site; runs the notebooks
	$(BIN)/python docs/make_site.py

bench: $(READY)  ## measure all speeds, into benchmarks/results
	$(BIN)/python benchmarks/bench.py

clean:          ## remove the environment and build output
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
