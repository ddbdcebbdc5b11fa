# Two commands matter: `make run` and `make test`. Everything they need lands in this checkout.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# The first Python that is new enough; name another one with `make PYTHON=...`.
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$python" && break; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
PORT ?= 8787
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: help install dev node run test llama check build bench lighthouse lock clean

help: ## show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 10

install: $(BIN)/market ## install the market command into .venv

$(BIN)/market: requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; name it with make PYTHON=..." >&2; exit 2; }
	@test -x $(BIN)/python || "$(PYTHON)" -m venv .venv
	@echo "installing Python packages"
	@$(PIP) --require-hashes -r requirements.lock
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

dev: .venv/.dev ## install what the tests need as well

.venv/.dev: requirements-dev.lock $(BIN)/market
	@echo "installing Python packages of the tests"
	@$(PIP) --require-hashes -r requirements-dev.lock
	@touch $@

node: node_modules/.package-lock.json ## install the Workers runtime into node_modules

node_modules/.package-lock.json: package.json package-lock.json .npmrc $(BIN)/market
	@echo "installing the Workers runtime"
	@npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

run: install node ## build everything and serve market and site on localhost
	@market build
	@exec market serve --port $(PORT)

build: install ## build market and site into dist/
	@market build

check: install ## report everything that is wrong with the catalog
	@market check

test: dev node llama ## run every check and test
	@ruff check && ruff format --check
	@mypy
	@npm run --silent typecheck && npm test --silent
	@pytest -n auto --dist loadgroup

llama: dev ## build the llama-server that tests of market bench measure (once)
	@scripts/build_llama.sh || { test $$? = 3 && test -z "$${CI:-}" && \
		echo "make: the tests that measure a real llama-server are left out" >&2; }

bench: dev node ## measure against peers, side by side
	@python -m benchmarks

lighthouse: dev node ## score the built site with Lighthouse
	@python -m benchmarks.lighthouse

lock: ## renew the lock files (needs uv)
	@uv pip compile pyproject.toml --extra build --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --quiet --output-file requirements.lock
	@uv pip compile pyproject.toml --extra build --extra dev --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --quiet --constraint requirements.lock --output-file requirements-dev.lock

clean: ## delete everything that was made
	@rm -rf .venv node_modules dist build .wrangler .mypy_cache .pytest_cache .ruff_cache .hypothesis
