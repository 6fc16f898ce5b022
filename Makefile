# `make compare` and `make test` set up everything they need in .venv; PYTHON picks another interpreter, VENV another folder, EXTRAS
# what is installed there.
PYTHON ?= python3
VENV ?= .venv
EXTRAS ?= dev,docs
BIN := $(VENV)/bin

# The tests start hundreds of processes: each would compile the modules anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: venv compare quick test test-slow lint generate docs docs-test docs-figures dist reports jump mit-flip studies verdicts anchors planners mit-plans score bench mutation clean

venv: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'leapcheck needs Python 3.11 or newer: make PYTHON=python3.12 venv')"
	$(PYTHON) -m venv $(VENV)
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$(EXTRAS)]'
	touch $@

compare: venv
	$(BIN)/leapcheck compare mini_cheetah

# What tests compile is kept for the next run, keyed by its source as users' is; a first run and CI's begin without.
quick test test-slow: export LEAPCHECK_CACHE ?= $(CURDIR)/$(VENV)/test-cache

# One more than there are cores: tests wait for processes that they start, a twelfth of the time.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

# What one runs after each edit: under a minute on two cores.
quick: venv
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "quick and not slow"

test: venv
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "not slow"

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

# The documentation, to be read from site/index.html without a server or a network; strict: a link that leads nowhere is an error.
docs: venv
	$(BIN)/codespell README.md CONTRIBUTING.md CHANGELOG.md docs harness/leapcheck/catalogue
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --site-dir site

# Runs the code of the pages and compares what it prints with what they show; docs-figures writes the output and draws the pictures.
docs-test: venv
	$(BIN)/python -m leapcheck_evidence.site test

docs-figures: venv
	$(BIN)/python -m leapcheck_evidence.site write

# What a release uploads.
dist: venv
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/twine check --strict dist/*

# The screenshots are left as they are where there is no chromium.
CHROMIUM := chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
	--disable-component-update --disable-sync --hide-scrollbars

reports: venv
	$(BIN)/leapcheck compare mini_cheetah --out reports/mini_cheetah
	cd tests/examples && ../../$(BIN)/leapcheck compare mini_cheetah --engine faulty_dynamics:FaultyDynamics \
		--quantities mass_matrix bias_force --out ../../reports/example_discrepancy; test $$? -eq 1
	$(BIN)/leapcheck sparsity mini_cheetah --picture reports/mini_cheetah/sparsity.svg
	$(BIN)/python -m leapcheck_evidence.accuracy --out reports
	$(BIN)/python -m leapcheck_evidence.accuracy --whole-body --out reports
	$(BIN)/python -m leapcheck_evidence.threads --out reports
	$(BIN)/python -m leapcheck_evidence.finite_differences --out reports
	if command -v chromium >/dev/null; then for run in mini_cheetah example_discrepancy; do profile=$$(mktemp -d); \
		$(CHROMIUM) --user-data-dir=$$profile --window-size=1200,820 --screenshot=reports/$$run/report.png \
			file://$(CURDIR)/reports/$$run/report.html 2>/dev/null; rm -rf $$profile; done; fi

jump: venv
	$(BIN)/leapcheck jump mini_cheetah --height 0.2 --monte-carlo 1000 --video --out reports/jump
	if command -v chromium >/dev/null; then profile=$$(mktemp -d); \
		$(CHROMIUM) --user-data-dir=$$profile --window-size=1200,1180 --screenshot=reports/jump/report.png \
			file://$(CURDIR)/reports/jump/report.html 2>/dev/null; rm -rf $$profile; fi

# MIT's backflip, 1000 times varied; a minute and a quarter on two cores.
mit-flip: venv
	$(BIN)/leapcheck jump mini_cheetah --plan mit-flip --monte-carlo 1000 --out reports/mit_flip

# How exact simulated jumps are; on a quiet machine.
studies: venv
	$(BIN)/python -m leapcheck_evidence.studies --out reports

# Verdicts against outcomes in simulators that were left out; an hour of CPU, goes on where it was stopped.
verdicts: venv
	$(BIN)/python -m leapcheck_evidence.verdicts --out reports

# MIT's plans on the published robot and on the one that they were made for; five minutes, goes on where it was stopped.
mit-plans: venv
	$(BIN)/python -m leapcheck_evidence.mit_plans --out reports

# Jumps that were published of real robots, beside what leapcheck says; the Go1's with GO1=FILE, as in the wheel example-robot-data.
GO1 ?=
anchors: venv
	$(BIN)/python -m leapcheck_evidence.anchors --out reports $(if $(GO1),--go1 $(GO1))

# The optimised planner against the closed-form one on 20 goals; five minutes, goes on where it was stopped.
planners: venv
	$(BIN)/python -m leapcheck_evidence.planners --out reports

# Planted defects: what the judge finds, names and shrinks; in engines, then in hand-written codes; half an hour on two cores.
score: venv
	$(BIN)/python -m leapcheck_evidence.score --out reports/score
	$(BIN)/python -m leapcheck_evidence.score --programs --out reports/score
	$(BIN)/python -m leapcheck_evidence.score --whole-body --out reports/score

# On a quiet machine; with g++ and Eigen's headers (Debian: libeigen3-dev) Pinocchio is timed in C++.
bench: venv
	$(BIN)/python -m leapcheck_evidence.bench --memory --out reports/bench
	$(BIN)/python -m leapcheck_evidence.bench --everyday --out reports/bench

mutation: venv
	$(BIN)/python -m tests.mutation.run

clean:
	rm -rf .venv runs dist build site
