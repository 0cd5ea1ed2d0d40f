# The only thing needed beforehand is a Python 3.11, 3.12 or 3.13; everything else goes into .venv.
.DELETE_ON_ERROR:
.PHONY: demo test check coverage types imports docs slow bench peers lock sbom dist smoke changelog

# Compiled modules are kept, whatever the environment says: hundreds of processes of the tests import the same ones.
unexport PYTHONDONTWRITEBYTECODE

bin := .venv/bin
workers := $(if $(WORKERS),$(WORKERS),2)
# Stealing keeps neighbors in one process, so that what a file shares, kernels included, is made once.
pytest := $(bin)/pytest -n $(workers) --dist worksteal --benchmark-disable

# Compiled code is kept by the file that it is written in, whatever that calls: an edited kernel leaves stale callers.
kernels := $(shell grep -rl '@njit' src --include='*.py')

.venv/edited: .venv/stamp $(kernels)
	@find src -name '*.nb[ci]' -delete
	@touch $@

.venv/kernels: .venv/edited
	@echo "compiling the kernels of the attacks, once; this takes less than a minute" >&2
	-@$(bin)/python -c "from unmask.cli.demo import demonstrate; demonstrate(1, every=10)"
	@touch $@

# Most others that tests call, beside the first: two workers that begin at the same time would each compile them.
.venv/more-kernels: .venv/edited
	-@$(bin)/python -m tests.kernels
	@touch $@

demo: .venv/kernels
	$(bin)/unmask demo --force

# A sample of the examples and sweeps that `make slow` runs, and in `make test` only the quick ones of tests that reach
# the same lines: see tests/conftest.py.
test check: export UNMASK_TEST_SAMPLE ?= 1
test: export UNMASK_TEST_QUICK ?= 1
test check: export UNMASK_FUZZ_SECONDS ?= 10
test: .venv/stamp
	@$(MAKE) --no-print-directory --jobs=2 .venv/kernels .venv/more-kernels .venv/collected
	$(pytest)

# Test files are compiled once for all workers, while kernels are. What cannot be collected fails in the tests, not here.
# Some try which attack concerns what: as Python source, so that no kernel is compiled twice.
.venv/collected: .venv/stamp
	-@NUMBA_DISABLE_JIT=1 $(bin)/pytest -q --collect-only -n 0 -W ignore >/dev/null
	@touch $@

# Compiling takes one core as long as the other checks take the other one.
check: .venv/stamp
	$(bin)/ruff format --check
	$(bin)/ruff check
	@$(MAKE) --no-print-directory --jobs=2 --output-sync .venv/kernels .venv/more-kernels .venv/collected types docs imports
	$(pytest)

# All examples and sweeps; the share of lines and branches that tests reach.
coverage: .venv/kernels
	$(pytest) --cov --cov-report=term

types: .venv/stamp
	$(bin)/mypy src tests $(wildcard benchmarks)

imports: .venv/stamp
	$(bin)/lint-imports --no-logo

# Read anew each time: a page that is not read again gives no warning again.
docs: .venv/stamp
	@rm -rf build/docs
	$(bin)/sphinx-build -W --keep-going -q -E -d build/doctrees docs build/docs
	@echo "open build/docs/index.html"

slow: .venv/kernels coverage
	$(pytest) -m slow
	$(MAKE) bench

bench: .venv/kernels
	$(bin)/pytest -n 0 -m "" benchmarks
	$(bin)/python -m benchmarks.commands --growth

# Other tools on the same tables, each in an environment of its own below .peers; QUICK=1 takes only small tables.
peers: .venv/stamp
	$(bin)/python -m benchmarks.peers $(if $(QUICK),--quick)

# Writes the locks anew, by the uv that the lock names: all that is installed here, and what a user gets with and without
# extras.
# No index is named in them, so that everybody's own is used; each file that may be installed is named by its hash.
# Where rfc3987-syntax is installed, every import of Altair builds its grammars: 1.6 s of each process that draws a chart.
# A tool of the bill of materials declares it, and does without.
compile := $(bin)/uv pip compile -q --universal --fork-strategy fewest --python-version 3.11 --no-build \
    --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links pyproject.toml
# PySpark is published as source alone, so the extra spark is in a lock of its own, which only tests install.
extras := --extra boost --extra charts --extra documents --extra files --extra fuzzy --extra miners --extra postgres --extra release
lock: .venv/stamp
	$(compile) --upgrade $(extras) --extra dev --no-emit-package rfc3987-syntax --no-emit-package lark -o .venv/lock
	$(compile) --upgrade $(extras) -c .venv/lock -o runtime.lock
	$(compile) --upgrade -c .venv/lock -o base.lock
	sed -n 's/^spark = \["\(.*\)"\]$$/\1/p' pyproject.toml | \
	    $(filter-out --no-build pyproject.toml,$(compile)) --upgrade --no-build-isolation - -o spark.lock
	cp .venv/lock requirements.lock

# Wheels alone: building one would download what no lock names. A lock is complete, but for what it leaves out on purpose.
# Compiling takes longer than all else, and most modules are never imported: those that are, are compiled then.
install := install -q --no-compile --disable-pip-version-check --no-deps --require-hashes --only-binary :all: -r
# Hatchling is in the lock and needs no network.
itself := -q --disable-pip-version-check --no-deps --no-build-isolation

# For tests of Spark, which are skipped without it: a download of 434 MB, built here by the locked Setuptools.
.venv/spark: .venv/stamp spark.lock
	@echo "installing PySpark into .venv for its tests; from nothing this takes a minute or two" >&2
	@$(bin)/pip install -q --no-compile --disable-pip-version-check --no-deps --require-hashes --no-build-isolation \
	    -r spark.lock
	@touch $@

# What a user has with all extras, as CycloneDX: an environment of its own, so that no tool of ours is in it. CycloneDX
# reads no version that the build finds, so it gets a copy of pyproject.toml that states it.
sbom: .venv/stamp
	@$(bin)/python -m venv --clear --without-pip .venv/sbom
	@$(bin)/pip --python .venv/sbom/bin/python $(install) runtime.lock
	@rm -rf .venv/wheel
	@$(bin)/pip wheel $(itself) -w .venv/wheel .
	@$(bin)/pip --python .venv/sbom/bin/python install -q --no-deps --no-index .venv/wheel/unmask-*.whl
	@mkdir -p dist
	@version="$$(.venv/sbom/bin/unmask --version | cut -d' ' -f2)" && \
	    sed "s/^dynamic = \[\"version\"\]/version = \"$$version\"/" pyproject.toml > .venv/sbom/pyproject.toml
	$(bin)/cyclonedx-py environment --pyproject .venv/sbom/pyproject.toml --mc-type application --validate \
	    --output-reproducible --of JSON -o dist/unmask.cdx.json .venv/sbom/bin/python

# The sdist and the wheel; the same commit gives the same bytes. 1580601600 is what hatchling takes where there is no commit.
dist: export SOURCE_DATE_EPOCH ?= $(or $(shell git log -1 --format=%ct 2>/dev/null),1580601600)
dist: .venv/stamp
	@rm -f dist/unmask-*
	$(bin)/hatchling build -d dist
	$(bin)/twine check --strict dist/unmask-*

# The wheel in a fresh environment of each supported Python that is here.
smoke: .venv/stamp
	.ci/smoke

# Gathers the fragments of changelog.d, reviewed and shortened beforehand, into CHANGELOG.md and deletes them.
changelog: .venv/stamp
	$(bin)/towncrier build --yes --version "$$($(bin)/unmask --version | cut -d' ' -f2)"

# Tries each interpreter by running it: a name on the path may belong to a version that is not installed.
.venv/stamp: pyproject.toml requirements.lock
	@if ! $(bin)/python -c '' 2>/dev/null; then \
	    for python in $(PYTHON) python3 python3.13 python3.12 python3.11; do \
	        if "$$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null; then \
	            found="$$python"; break; \
	        fi; \
	    done; \
	    if [ -z "$$found" ]; then \
	        echo "unmask needs Python 3.11, 3.12 or 3.13; python3 is: $$(python3 --version 2>&1)." >&2; \
	        echo "Install one of them, or name it: make PYTHON=/path/to/python3.12 $(MAKECMDGOALS)" >&2; \
	        exit 1; \
	    fi; \
	    "$$found" -m venv --clear .venv; \
	fi
	@echo "installing unmask and its tools into .venv; from nothing this takes a minute or two" >&2
	@$(bin)/pip $(install) requirements.lock
	@$(bin)/pip install $(itself) -e .
	@touch $@
