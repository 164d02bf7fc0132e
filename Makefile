# Everything runs in .venv, which is made from the pinned versions in requirements.lock.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: test lint format clean help

help:           ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $(READY)

.venv: $(READY)

test: $(READY)  ## the whole test suite
	$(BIN)/python -m pytest -n 2

lint: $(READY)  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)  ## rewrite the sources in the common style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:          ## remove the environment and what was built
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
