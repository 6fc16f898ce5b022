# `make compare` and `make test` set up everything they need in .venv; PYTHON picks another interpreter.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: venv compare test test-slow lint generate reports mutation clean

venv: .venv/.ready

.venv/.ready: pyproject.toml constraints.txt
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'leapcheck needs Python 3.11 or newer: make PYTHON=python3.12 venv')"
	$(PYTHON) -m venv .venv
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

compare: venv
	$(BIN)/leapcheck compare mini_cheetah

test: venv
	$(BIN)/python -m pytest -n auto -m "not slow"

test-slow: venv
	$(BIN)/python -m pytest -n auto -m slow

lint: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

generate: venv
	for robot in $$($(BIN)/python -c "from leapcheck_models.robots import ROBOTS; print(*ROBOTS)"); do \
		$(BIN)/leapcheck generate $$robot --out models/generated/$$robot || exit; done

reports: venv
	$(BIN)/python -m leapcheck.report.examples

mutation: venv
	$(BIN)/python tests/mutation/run.py

clean:
	rm -rf .venv runs dist build
