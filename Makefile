# Everything runs in .venv, which is made from the pinned versions in requirements.lock.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

SCALE ?= 1
JOBS ?= 1
WORKERS ?= 3
AREA ?=
SAMPLE ?=
RECORD ?=

.PHONY: report test whole mutants ends lint format docs site bench clean help

help:           ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $(READY)

.venv: $(READY)

report: $(READY)  ## all standing studies into reports/index.html; SCALE=10 for more games
	$(BIN)/python -m paxsim.report --scale $(SCALE) --out reports

# A worker takes a file at a time, so that what a file prepares is prepared once; those that take
# longest come first (tests/conftest.py). The many processes that tests start find the package's
# bytecode.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest --dist loadfile --no-loadscope-reorder

test: $(READY)  ## the tests, but for those of `make whole`
	$(PYTEST) -n $(WORKERS) -m "not whole"

whole: $(READY)  ## tests that start whole programs: wheel, notebooks, scripts, browser, a cold start
	$(PYTEST) -n $(WORKERS) -m whole

mutants: $(READY)  ## does the suite notice mistakes? takes hours; SAMPLE=150, JOBS=2, AREA="tally stats", RECORD=FILE
	$(BIN)/python tests/mutants/run.py --jobs $(JOBS) $(addprefix --area ,$(AREA)) $(addprefix --sample ,$(SAMPLE)) \
	    $(addprefix --record ,$(RECORD))

ends: $(READY)  ## the oldest and the newest numba allowed, each in an environment of its own
	$(BIN)/python tests/ends.py

lint: $(READY)  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)  ## rewrite the sources in the common style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(READY)  ## the pages that are made by commands
	$(BIN)/python docs/make_reference.py
	$(BIN)/python experiments/catalogue.py

site: $(READY)  ## the documentation as a site with a search box, in build/site; runs the notebooks
	$(BIN)/python docs/make_site.py

bench: $(READY)  ## all figures about speed, into benchmarks/results
	$(BIN)/python benchmarks/bench.py

clean:          ## remove the environment and what was built
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
