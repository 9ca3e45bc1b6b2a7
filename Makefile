# Every command of the project. `make` lists them; each one does its own set-up.

PYTHON ?= python3
PYTEST_ARGS ?=
BENCH_ARGS ?=
SOAK_ARGS ?=
OLDEST ?=
SPARK ?=
SPARKS ?= 4.1.0 4.2.1 4.3.0
EXAMPLES ?= 1000
KILLS ?= 10
SEED := $(or $(SEED),$(shell date +%s))

# The oldest libraries, and each version of Spark, have an environment of their own.
VENV := .venv$(if $(OLDEST),-oldest)$(if $(SPARK),-spark-$(SPARK))
PY := $(VENV)/bin/python
RUFF := $(VENV)/bin/ruff

# An environment belongs to one place: the number of the folder's path is part of the stamps'
# names, so a copied or moved project gets a new environment instead of using the old one.
PLACE := $(shell pwd -P | cksum | cut -d ' ' -f 1)
MADE := $(VENV)/made-$(PLACE)
INSTALLED := $(VENV)/installed-$(PLACE)
DOCS_INSTALLED := $(VENV)/docs-installed-$(PLACE)

# Older versions of pip warn of packages that they build in the old way, which the last option turns off.
PIP_INSTALL := $(PY) -m pip install --quiet --disable-pip-version-check --use-pep517
# The variable silences a notice on the theme's future, which would drown real warnings.
MKDOCS := NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs
# What others' libraries do most of.
WITH_OTHERS := $(addprefix tests/,cli docs/test_commands.py docs/test_walks.py $(addprefix engine/,columns facts step values) files notebook pictures)
# What users of Spark type: SQL, the feed, pipelines and tables.
OF_SPARK := $(addprefix tests/spark/,test_editions.py test_data_source.py sql test_on_connect.py test_pipelines.py endpoints/test_tables.py)
WITH_JAVA = JAVA_HOME="$$(cat $(VENV)/java-home)"
# A worker takes whole files, and one of them all that share the session of Spark: tests/selection.py.
IN_PARALLEL := -n auto --dist loadscope

# Tests are read in a third of the time once they are compiled.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo test quick times shuffled oldest sparks long bench bench-spark bench-cluster bench-growth bench-compare bench-forecast bench-wayeb soak soak-page soak-sources check format docs docs-serve licences lock dist editor vscode pictures record recipes clean java

help: ## List the targets
	@echo "Usage: make TARGET [PYTHON=python3.12] [PYTEST_ARGS='-k name'] [OLDEST=1]"
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(INSTALLED) java ## Make .venv with everything the tests need; quick if it is there

demo: setup ## Wind turbines through a stream on Spark, then live on a page; Ctrl-C ends it
	@$(WITH_JAVA) $(PY) scripts/demo.py

test: setup ## Run what guards a change: each behaviour once, in ten minutes on two cores
	@$(WITH_JAVA) $(PY) -m pytest $(IN_PARALLEL) -m "not long" $(PYTEST_ARGS)

quick: setup ## Run the tests that take half a second at most
	@$(WITH_JAVA) $(PY) -m pytest $(IN_PARALLEL) -m "not slow and not long" $(PYTEST_ARGS)

times: setup ## Run the tests, costly ones too, and write the CPU seconds of each into tests/times.json
	@$(WITH_JAVA) $(PY) -m pytest $(IN_PARALLEL) --timeout 0 --record-times -m "not long" $(PYTEST_ARGS)

shuffled: setup ## Run the tests in random order; SEED=7 for the order of a run that failed
	@echo "SEED=$(SEED)"
	@$(MAKE) --no-print-directory test PYTEST_ARGS='--random-order --random-order-seed=$(SEED) $(PYTEST_ARGS)'

oldest: ## Test what others' libraries matter to, with the oldest of them that pyproject.toml allows
	@$(MAKE) --no-print-directory test OLDEST=1 PYTEST_ARGS='$(WITH_OTHERS) $(PYTEST_ARGS)'
	@$(MAKE) --no-print-directory test OLDEST=1 PYTEST_ARGS='-n 0 tests/spark/test_values.py $(PYTEST_ARGS)'

sparks: ## Test what users of Spark type on versions from the oldest on, on classic Spark and on Connect; SPARKS=4.2.1
	@for spark in $(SPARKS); do echo "== Spark $$spark" && $(MAKE) --no-print-directory recipes SPARK=$$spark || exit 1; done

recipes: setup
	@$(WITH_JAVA) $(PY) -m pytest $(OF_SPARK) $(PYTEST_ARGS)

long: setup ## Run every test, with 1,000 examples per property (EXAMPLES=10000), ten kills (KILLS=20), old libraries, each Spark, and the soaks
	@HYPOTHESIS_PROFILE=nightly EXAMPLES=$(EXAMPLES) ANTELOG_TESTS_KILLS=$(KILLS) $(WITH_JAVA) $(PY) -m pytest $(IN_PARALLEL) --timeout 0 $(PYTEST_ARGS)
	@$(MAKE) --no-print-directory oldest sparks soak soak-page soak-sources

bench: $(INSTALLED) ## Measure the kernel and write benchmarks/results; BENCH_ARGS='turbines --scale 0.1'
	@$(PY) -m benchmarks $(BENCH_ARGS)

bench-spark: setup ## Measure pipelines on Spark and write benchmarks/results; BENCH_ARGS='plain confirmed'
	@$(WITH_JAVA) $(PY) -m benchmarks.spark $(BENCH_ARGS)

bench-cluster: setup ## Run pipelines on several workers of a standalone cluster; BENCH_ARGS='two skewed --scale 0.1'
	@$(WITH_JAVA) $(PY) -m benchmarks.cluster $(BENCH_ARGS)

bench-growth: setup ## Measure how cost grows, and latency, and make docs/growth.md; BENCH_ARGS='keys window'
	@$(WITH_JAVA) $(PY) -m benchmarks.growth $(BENCH_ARGS)

bench-compare: setup ## Measure antelog beside other engines, which it fetches; BENCH_ARGS='antelog esper W1 --scale 0.1'
	@$(PY) -m benchmarks.compare.install
	@$(WITH_JAVA) $(PY) -m benchmarks.compare $(BENCH_ARGS)

bench-forecast: $(INSTALLED) ## Score forecasts on recorded streams and make docs/forecast-results.md; BENCH_ARGS='outbreak'
	@$(PIP_INSTALL) --requirement benchmarks/forecast/requirements.txt
	@$(PY) -m benchmarks.forecast $(BENCH_ARGS)

bench-wayeb: setup ## Measure forecasts beside Wayeb's, which it fetches and builds, and make docs/beside-wayeb.md; BENCH_ARGS='small'
	@$(WITH_JAVA) $(PY) -m benchmarks.wayeb.install
	@$(WITH_JAVA) $(PY) -m benchmarks.wayeb $(BENCH_ARGS)

soak: setup ## Feed a pipeline on Spark for half an hour and see that nothing grows; SOAK_ARGS='--minutes 5'
	@$(WITH_JAVA) $(PY) -m benchmarks.soak $(SOAK_ARGS)

soak-page: $(INSTALLED) ## Watch 13,000 open answers on a page for half an hour, with alerts; SOAK_ARGS='--minutes 5'
	@$(PY) -m benchmarks.soak_page $(SOAK_ARGS)

soak-sources: setup ## Feed `antelog watch` from a server of each source for an hour, 2,000 events a second; SOAK_ARGS='mqtt --minutes 5'
	@$(WITH_JAVA) $(PY) -m benchmarks.soak_sources $(SOAK_ARGS)

check: $(INSTALLED) ## Check format, style, types, layering, the budget, licences, and known holes of libraries
	@$(RUFF) format --check
	@$(RUFF) check
	@$(PY) -m mypy
	@$(PY) -m pytest --quiet tests/test_layers.py tests/test_house.py
	@$(PY) -m scripts.licences
	@$(PY) -m scripts.holes

format: $(INSTALLED) ## Format the code and repair what ruff can repair
	@$(RUFF) format
	@$(RUFF) check --fix

docs: $(DOCS_INSTALLED) ## Build the documentation into site/; a warning is an error
	@$(MKDOCS) build --strict

docs-serve: $(DOCS_INSTALLED) ## Serve the documentation locally and follow edits
	@$(MKDOCS) serve

licences: $(INSTALLED) ## Make the page of licences anew
	@$(PY) -m scripts.licences --write

lock: $(MADE) ## Renew locked/: the versions and hashes of the libraries
	@$(PIP_INSTALL) uv
	@$(PY) -m scripts.lock

dist: $(INSTALLED) ## Build what is published into dist/: a wheel and the sources
	@rm -rf dist
	@$(PY) -m build --outdir dist
	@$(PY) -m scripts.release dist

vscode: ## Test the extension for VS Code and package it as editors/vscode/antelog.vsix; needs npm
	@cd editors/vscode && npm ci --silent --no-audit --no-fund && npm test --silent && npm run --silent package

pictures: $(INSTALLED) ## Make the pictures of the documentation anew, and run its notebook
	@$(PY) -m scripts.pictures
	@$(PY) -m scripts.incident_picture
	@$(PY) -m scripts.notebook

editor: ## Bundle the editor of `antelog play` anew; needs npm
	folder=$$(mktemp -d) && cp scripts/codemirror/* $$folder && cd $$folder && npm install --silent --no-package-lock && \
	npx esbuild entry.js --bundle --minify --format=iife --global-name=CodeMirror --legal-comments=none \
	--outfile=$(CURDIR)/antelog/watch/web/vendored/codemirror.min.js; rm -rf $$folder

record: setup ## Rewrite the golden files from what the code prints now; read the diff afterwards
	@$(WITH_JAVA) $(PY) -m pytest --record $(PYTEST_ARGS)

clean: ## Remove the environment, the caches and everything built
	@rm -rf .venv .venv-oldest .venv-spark-* .venv-compare .compare build dist site .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# ---- set-up, step by step ----

# An environment whose Python has gone (an upgrade of the system, say) is made anew.
ifneq ($(shell $(PY) -c 'print("alive")' 2>/dev/null),alive)
.PHONY: $(MADE)
endif

$(MADE):
	@PYTHON="$(PYTHON)" sh scripts/venv.sh $(VENV)
	@touch $@

# The oldest libraries are not those that are locked.
$(INSTALLED): $(MADE) pyproject.toml locked/dev.txt
	@echo "Installing antelog and its tools into $(VENV) (a minute or so, once)"
ifdef OLDEST
	@$(PY) scripts/oldest.py > $(VENV)/oldest
	@$(PIP_INSTALL) --editable '.[dev]' --constraint $(VENV)/oldest
else ifdef SPARK
	@# By itself, as it may be one that the extra does not take.
	@$(PIP_INSTALL) --editable '.[dev]'
	@$(PIP_INSTALL) 'pyspark[pipelines]==$(SPARK)'
else
	@$(PIP_INSTALL) --require-hashes --requirement locked/dev.txt
	@$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
endif
	@# Each command starts in half the time, also where Python is told to keep no compiled modules.
	@$(PY) -m compileall -q antelog tests
	@touch $@

$(DOCS_INSTALLED): $(INSTALLED) locked/docs.txt
	@echo "Installing the documentation tools into $(VENV)"
	@$(PIP_INSTALL) --require-hashes --requirement locked/docs.txt
	@touch $@

java: $(INSTALLED)
	@$(PY) scripts/java.py
