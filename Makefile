# Every target sets up what it needs in .venv, so a fresh clone needs nothing but Python 3.11 to 3.13 and make.
.DEFAULT_GOAL := help
VENV := .venv
BIN := $(VENV)/bin
.PHONY: help demo test check bench clean

help: ## Lists the targets.
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

$(VENV)/.base: pyproject.toml scripts/venv
	@sh scripts/venv $(VENV) .
	@touch $@

$(VENV)/.dev: pyproject.toml scripts/venv
	@sh scripts/venv $(VENV) ".[dev]"
	@touch $@ $(VENV)/.models $(VENV)/.base

$(VENV)/.models: pyproject.toml scripts/venv
	@sh scripts/venv $(VENV) ".[models]"
	@touch $@ $(VENV)/.base

# Only a real model needs the providers' clients.
demo: $(VENV)/$(if $(filter-out understudy,$(CUELIGHT_MODEL)),.models,.base) ## Talk with the example agent in this terminal: no key, no service.
	@$(BIN)/cuelight demo

test: $(VENV)/.dev ## All tests.
	@$(BIN)/python -m pytest

check: $(VENV)/.dev ## Lint, types and the layering of the code.
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@for example in examples/*/; do MYPYPATH=src:$$example $(BIN)/mypy $$example || exit 1; done
	@$(BIN)/lint-imports

bench: $(VENV)/.base ## Speed, beside other libraries in environments of their own.
	@$(BIN)/python -m bench

clean: ## Removes what the other targets made.
	@rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
