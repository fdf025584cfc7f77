# Each target creates the environment that it needs in .venv; nothing has to be activated or installed first.

PYTHON ?= python3
FUZZ_SECONDS ?= 60

VENV := .venv
# Third-party clients and servers need other versions than we do, and than each other: separate environments, not pinned.
CLIENTS := .venv-clients
LITELLM := .venv-litellm
LLAMA := .venv-llama
IN_VENV := $(VENV)/bin/python
ENGINES := .venv-engines
# Separate environments, because their requirements conflict.
INTEGRATIONS := evals pyrit tools
TESTS_OF_evals := tests/integrations --ignore tests/integrations/pyrit
TESTS_OF_pyrit := tests/integrations/pyrit
# DeepEval installs its own pytest plugins.
TESTS_OF_tools := -p no:asyncio tests/integrations/test_examples.py
FUZZ := rust/fuzz/Cargo.toml
# Runtime dependencies, as shell words.
DEPENDENCIES = $(shell sed -n '/^dependencies = \[/,/^\]/s/^ *"\(.*\)",$$/"\1"/p' pyproject.toml)
RUST_VERSION := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
# Includes folders, because they change when a file in them is removed.
EXTENSION_SOURCES := Cargo.toml Cargo.lock pyproject.toml rust/judgecore/build.rs rust/judgecore/classes.toml \
	$(wildcard rust/*/Cargo.toml) \
	$(shell find rust/judgecore/build rust/judgecore/src rust/judgecore/formats rust/judgecore/lexicon rust/judgecore/taxonomy rust/judgecore-py/src)

# maturin and PyO3 build for the environment in these variables, so another active one must be hidden.
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
unexport CONDA_PREFIX PYTHONHOME PYTHONPATH
# Tests start many processes, which would each compile the package again.
unexport PYTHONDONTWRITEBYTECODE
# A relative path, because pip splits this list at spaces.
export PIP_CONSTRAINT := constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# `make fuzz` installs cargo-fuzz here if it is missing.
export PATH := $(CURDIR)/.tools/bin:$(PATH)

# Concurrent installers would corrupt an environment.
.NOTPARALLEL:
.DEFAULT_GOAL := help

.PHONY: help
help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { \
		line = sprintf("  make %-18s", $$1); used = 0; n = split($$2, words, " "); \
		for (i = 1; i <= n; i++) { \
			if (used + length(words[i]) > 53) { print line; line = sprintf("%25s", ""); used = 0 } \
			line = line " " words[i]; used += length(words[i]) + 1 } \
		print line }' $(MAKEFILE_LIST)

.PHONY: demo
demo: $(VENV)/.extension  ## Read some sixty replies next to a naive parser, and judge responses over HTTP
	@$(VENV)/bin/judgecore demo

.PHONY: test
test:  ## Run all tests, and print how long the build and the tests took
	@begun=$$(date +%s); \
	$(MAKE) --no-print-directory test-build && \
	built=$$(date +%s) && \
	$(MAKE) --no-print-directory test-rust test-python && \
	ended=$$(date +%s) && \
	echo "build: $$((built - begun)) s, tests: $$((ended - built)) s"

.PHONY: test-build
test-build: rust-toolchain $(VENV)/.extension $(VENV)/.group-test
	cargo test --locked --profile develop --package judgecore --no-run
	cargo test --locked --profile develop --manifest-path $(FUZZ) --target-dir target --no-default-features --no-run

.PHONY: test-rust
test-rust: rust-toolchain  ## Run the engine's tests and examples, and replay the fuzz seeds
	cargo test --locked --profile develop --package judgecore
	cargo test --locked --profile develop --manifest-path $(FUZZ) --target-dir target --no-default-features

.PHONY: test-python
test-python: $(VENV)/.extension $(VENV)/.group-test  ## Run the Python tests, on all cores
	$(IN_VENV) -m pytest --numprocesses auto --dist worksteal

.PHONY: test-servers
test-servers: $(VENV)/.extension $(VENV)/.group-test $(CLIENTS)/.made $(LITELLM)/.made $(LLAMA)/.made  ## Test with third-party servers and clients
	JUDGECORE_SERVERS=1 $(IN_VENV) -m pytest tests/servers -rs

.PHONY: soak
soak: $(VENV)/.extension $(VENV)/.group-test  ## Repeat the tests with kills, damaged tables and large inputs on far more cases than `make test`
	JUDGECORE_SOAK=1 $(IN_VENV) -m pytest --timeout=900 tests/targets/test_kill.py tests/targets/test_ledger_damage.py tests/targets/test_memory.py tests/targets/test_concurrency.py tests/evaluation/test_registry.py tests/evaluation/test_evaluator.py tests/test_detect.py tests/test_growth.py tests/test_json.py tests/cli/test_damaged_tables.py tests/cli/test_signals.py tests/cli/test_batch.py

.PHONY: test-oracles
test-oracles: $(VENV)/.extension $(VENV)/.group-test $(VENV)/.group-oracles  ## Compare with krippendorff, scikit-learn, scipy, statsmodels, ppi-python and json_repair
	$(IN_VENV) -m pytest tests/stats tests/test_habits.py

.PHONY: test-engines
test-engines: $(ENGINES)/.wheel  ## Run the tests with Polars, DuckDB, pandas, Ray and Spark (Java 17), in .venv-engines
	$(ENGINES)/bin/python -m pytest tests/engines

.PHONY: test-integrations
test-integrations: $(INTEGRATIONS:%=test-integrations-%)  ## Run the tests inside Inspect AI, lmms-eval, PyRIT and others, in .venv-integrations-*

# Tested as a wheel, because its entry points are part of the test.
.PHONY: $(INTEGRATIONS:%=test-integrations-%)
$(INTEGRATIONS:%=test-integrations-%): export PIP_CONSTRAINT :=
$(INTEGRATIONS:%=test-integrations-%): test-integrations-%: .venv-integrations-%/.made $(VENV)/.extension
	rm -rf target/integrations
	$(IN_VENV) -m maturin build --profile develop --quiet --out target/integrations
	.venv-integrations-$*/bin/python -m pip install --quiet target/integrations/*.whl
	.venv-integrations-$*/bin/python -m pip install --quiet --force-reinstall --no-deps target/integrations/*.whl
	.venv-integrations-$*/bin/python -m pytest $(TESTS_OF_$*)

# No constraints: these packages have their own conflicting requirements.
.venv-integrations-%/.made: export PIP_CONSTRAINT :=
.venv-integrations-%/.made: tests/integrations/%.txt | python
	"$(PYTHON)" -m venv .venv-integrations-$*
	.venv-integrations-$*/bin/python -m pip install --quiet --requirement tests/integrations/$*.txt
	set -e; sed -n 's/^# without what it requires: //p' tests/integrations/$*.txt | while read -r package; do \
		.venv-integrations-$*/bin/python -m pip install --quiet --no-deps "$$package"; done
	@touch $@

.PHONY: conformance
conformance: $(VENV)/.extension .venv-integrations-evals/.made .venv-integrations-conformance/.made  ## Test judgecore and other parsers with conformance/cases, and rewrite docs/conformance.md
	$(IN_VENV) conformance/scoreboard.py

.PHONY: test-browser
test-browser: export PIP_CONSTRAINT :=
test-browser: $(VENV)/.extension  ## Test the HTML reports in headless Chromium (apt-get install chromium), in .venv-browser
	"$(PYTHON)" -m venv .venv-browser
	.venv-browser/bin/python -m pip install --quiet axe-playwright-python hypothesis playwright pytest pytest-timeout $(DEPENDENCIES)
	PYTHONPATH=$(CURDIR)/python .venv-browser/bin/python -m pytest tests/browser

.PHONY: check
check: check-format check-rust check-python check-types check-stubs check-constraints check-imports check-licenses check-size  ## Run all checks

.PHONY: check-format
check-format: rust-toolchain $(VENV)/.group-lint  ## Check the formatting of Rust and Python
	cargo fmt --all --check
	cargo fmt --manifest-path $(FUZZ) --check
	$(IN_VENV) -m ruff format --check

.PHONY: check-rust
check-rust: rust-toolchain python $(VENV)/.made  ## Check Rust with clippy and rustdoc, and for import cycles
	"$(PYTHON)" .ci/modules.py
	cargo clippy --locked --workspace --all-targets -- --deny warnings
	cargo clippy --locked --manifest-path $(FUZZ) --target-dir target --all-targets --no-default-features -- --deny warnings
	RUSTDOCFLAGS="--deny warnings" cargo doc --locked --no-deps --package judgecore

.PHONY: check-python
check-python: $(VENV)/.extension $(VENV)/.group-lint  ## Check Python with ruff, and its import layers
	$(IN_VENV) -m ruff check
	$(VENV)/bin/lint-imports

.PHONY: check-types
check-types: $(VENV)/.extension $(VENV)/.group-dev  ## Check Python's types with pyright, and the types of outcomes also with mypy
	$(IN_VENV) -m pyright --project .
	$(IN_VENV) -m mypy

.PHONY: check-stubs
check-stubs: python/judgecore/_core.pyi $(VENV)/.extension $(VENV)/.group-lint  ## Check the stub against the extension
	$(IN_VENV) -m mypy.stubtest judgecore._core

.PHONY: check-constraints
check-constraints: $(VENV)/.group-dev  ## Check that the pinned versions are installed, and that no index URL is pinned
	$(IN_VENV) .ci/constraints.py check

.PHONY: check-imports
check-imports: python  ## Check that each target installs what its Python files import
	"$(PYTHON)" .ci/imports.py

.PHONY: check-licenses
check-licenses: rust-toolchain python  ## Check that the crates' licences match Cargo.lock
	"$(PYTHON)" .ci/licenses.py check

.PHONY: check-size
check-size: $(VENV)/.extension  ## Check what is installed besides judgecore, in distributions and MB
	$(IN_VENV) benches/start.py

.PHONY: wheel
wheel: $(VENV)/.made  ## Build wheel and sdist into dist/, and test them with each installed Python, or with PYTHONS="..."
	$(IN_VENV) .ci/wheel.py

.PHONY: bench
bench: $(VENV)/.release $(VENV)/.group-bench $(VENV)/.group-oracles $(CLIENTS)/.made $(LITELLM)/.made  ## Time judgecore against plain Python and other libraries
	$(IN_VENV) benches/run.py

.PHONY: studies
studies: $(VENV)/.extension  ## Simulate studies, and update the tables in docs/statistics.md
	$(IN_VENV) tests/references/studies.py

.PHONY: pages
pages: $(VENV)/.extension  ## Regenerate docs/formats, docs/lexicon, docs/metrics.md and the stubs of the public names
	PYTHONPATH=tests $(IN_VENV) -m references.pages

.PHONY: bench-engines
bench-engines: $(ENGINES)/.wheel  ## Time real replies with Polars, DuckDB, Ray and Spark, in .venv-engines
	$(ENGINES)/bin/python benches/engines.py

.PHONY: plots
plots: $(VENV)/.release $(VENV)/.group-bench $(ENGINES)/.wheel  ## Repeat the measurements in docs/measured.md, and draw its figures
	$(IN_VENV) benches/accuracy.py
	$(IN_VENV) benches/plots.py $(ENGINES)/bin/python

.PHONY: docs
docs: python/judgecore/_core.pyi $(VENV)/.extension $(VENV)/.group-docs  ## Build the HTML documentation and JSON Schemas in docs/_build/html, and check internal links
	$(IN_VENV) -m sphinx --quiet --fail-on-warning --keep-going --builder html docs docs/_build/html
	@set -e; for kind in format scorer target; do \
		$(VENV)/bin/judgecore schema $$kind >docs/_build/html/$$kind.schema.json; \
	done

.PHONY: fuzz
fuzz: rust-toolchain  ## Fuzz each target for FUZZ_SECONDS (60)
	@cargo fuzz --version >/dev/null 2>&1 || cargo install --locked --root .tools cargo-fuzz
	cargo run --quiet --locked --manifest-path $(FUZZ) --target-dir target --no-default-features --example corpus
	@set -e; for target in $$(cargo fuzz list --fuzz-dir rust/fuzz); do \
		echo "== fuzzing $$target for $(FUZZ_SECONDS) s"; \
		cargo fuzz run --fuzz-dir rust/fuzz --sanitizer none $$target -- \
			-max_total_time=$(FUZZ_SECONDS) -timeout=10 -verbosity=0 -print_final_stats=1; \
	done

.PHONY: develop
develop: $(VENV)/.extension $(VENV)/.group-dev  ## Create the complete environment, to activate or to select in an editor

.PHONY: format
format: rust-toolchain $(VENV)/.group-lint  ## Format Rust and Python
	cargo fmt --all
	cargo fmt --manifest-path $(FUZZ)
	$(IN_VENV) -m ruff check --fix-only --quiet
	$(IN_VENV) -m ruff format

.PHONY: constraints
constraints: export PIP_CONSTRAINT :=
constraints: $(VENV)/.made  ## Pin the newest versions of all installed packages
	$(IN_VENV) .ci/constraints.py write

.PHONY: licenses
licenses: rust-toolchain python  ## Collect the licences of the crates in the extension
	"$(PYTHON)" .ci/licenses.py write

.PHONY: clean
clean:  ## Remove everything that was built or installed
	rm -rf $(VENV) .venv-* .tools target rust/fuzz/target rust/fuzz/corpus rust/fuzz/artifacts docs/_build docs/api python/judgecore/_core*.so

.PHONY: python
python:
	@command -v "$(PYTHON)" >/dev/null || { echo "$(PYTHON): not found; install Python 3.11 or newer, or name one: make PYTHON=..." >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$$("$(PYTHON)" --version) is too old; judgecore needs 3.11 or newer: make PYTHON=..." >&2; exit 1; }

.PHONY: rust-toolchain
rust-toolchain:
	@command -v cargo >/dev/null || { echo "cargo: not found; install the stable Rust toolchain, $(RUST_VERSION) or newer" >&2; exit 1; }
	@rustc --version | awk '{ split($$2, have, "."); split("$(RUST_VERSION)", need, "."); \
		exit have[1] < need[1] || (have[1] == need[1] && have[2] < need[2]) }' || \
		{ echo "$$(rustc --version) is too old; judgecore needs $(RUST_VERSION) or newer" >&2; exit 1; }

# Stamp files. The checks are order-only prerequisites, so they run first without making the stamps stale.
$(VENV)/.made: pyproject.toml constraints.txt | python rust-toolchain
	$(PYTHON) -m venv $(VENV)
	$(IN_VENV) -m pip install --quiet --upgrade pip
	$(IN_VENV) -m pip install --quiet --group build
	@touch $@

$(VENV)/.extension: $(EXTENSION_SOURCES) $(VENV)/.made | rust-toolchain
	PIP_QUIET=1 $(IN_VENV) -m maturin develop --profile develop --group build
	@touch $@

# The release build, as in wheels, replaces the other one.
$(VENV)/.release: $(EXTENSION_SOURCES) $(VENV)/.made | rust-toolchain
	PIP_QUIET=1 $(IN_VENV) -m maturin develop --release --group build
	@touch $(VENV)/.extension $@

$(CLIENTS)/.made $(LITELLM)/.made $(LLAMA)/.made: export PIP_CONSTRAINT :=

$(CLIENTS)/.made: | python
	$(PYTHON) -m venv $(CLIENTS)
	$(CLIENTS)/bin/python -m pip install --quiet --upgrade pip
	$(CLIENTS)/bin/python -m pip install --quiet anthropic inspect-ai openai
	@touch $@

$(LITELLM)/.made: | python
	$(PYTHON) -m venv $(LITELLM)
	$(LITELLM)/bin/python -m pip install --quiet --upgrade pip
	$(LITELLM)/bin/python -m pip install --quiet 'litellm[proxy]'
	@touch $@

# llama.cpp is compiled without optimizations, which a model of random bytes doesn't need.
$(LLAMA)/.made: export CMAKE_ARGS := -DLLAVA_BUILD=OFF -DGGML_LLAMAFILE=OFF -DCMAKE_C_FLAGS_RELEASE=-O1 -DCMAKE_CXX_FLAGS_RELEASE=-O1
$(LLAMA)/.made: export CMAKE_BUILD_PARALLEL_LEVEL := 2
$(LLAMA)/.made: | python
	$(PYTHON) -m venv $(LLAMA)
	$(LLAMA)/bin/python -m pip install --quiet --upgrade pip
	$(LLAMA)/bin/python -m pip install --quiet gguf 'llama-cpp-python[server]'
	@touch $@

$(VENV)/.group-%: $(VENV)/.made
	$(IN_VENV) -m pip install --quiet --group $*
	@touch $@

# As users have them: the newest engines, and judgecore from a wheel.
$(ENGINES)/.made: export PIP_CONSTRAINT :=
$(ENGINES)/.made: pyproject.toml | python
	$(PYTHON) -m venv $(ENGINES)
	$(ENGINES)/bin/python -m pip install --quiet --upgrade pip
	$(ENGINES)/bin/python -m pip install --quiet --group engines
	@touch $@

$(ENGINES)/.wheel: export PIP_CONSTRAINT :=
$(ENGINES)/.wheel: $(VENV)/.extension $(ENGINES)/.made $(shell find python/judgecore -name '*.py')
	$(IN_VENV) -m maturin build --release --quiet --out $(ENGINES)/wheel
	$(ENGINES)/bin/python -m pip install --quiet "$$(echo $(ENGINES)/wheel/*.whl)[duckdb,polars,ray,spark]"
	$(ENGINES)/bin/python -m pip install --quiet --force-reinstall --no-deps $(ENGINES)/wheel/*.whl
	@touch $@
