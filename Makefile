# `make` lists the targets. Everything is installed into .venv and nothing outside it.
BIN := .venv/bin
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help chat setup test check format stress evals bench build licences audit lock env-example clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1 \2/p' Makefile | while read -r name text; do \
		printf '  make %-12s %s\n' "$$name" "$$text"; done

chat: ## Open the chat page on http://127.0.0.1:7860
	@sh tools/setup.sh run
	@exec $(BIN)/assistant chat $(ARGS)

setup: ## Prepare .venv with all that checks and evaluation need
	@sh tools/setup.sh dev

test: check ## Run every check and test
	$(BIN)/pytest $(ARGS)

check: setup ## Run the linters and the type checker alone
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: setup ## Put the code in shape and mend what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

stress: setup ## Run the long kill loops and the long fuzzing
	$(BIN)/pytest -m "stress or hypothesis" --hypothesis-profile stress --timeout 3600 $(ARGS)

evals: setup ## Score the keyless answers and hold them against the baseline
	$(BIN)/python -m evals gate $(ARGS)

bench: setup ## Measure speed and retrieval quality
	$(BIN)/python -m benchmarks $(ARGS)

build: setup ## Build the wheel and the source archive into dist/
	$(BIN)/python -m build --no-isolation --outdir dist .

licences: setup ## List the licences of all that the assistant needs to run
	$(BIN)/python -m tools.licences

audit: setup ## Look the pinned packages up among known vulnerabilities (needs the network and uv)
	uvx pip-audit --disable-pip --require-hashes -r requirements.lock $(ARGS)

lock: ## Resolve the dependencies anew (ARGS=--upgrade takes newer releases)
	@sh tools/lock.sh $(ARGS)

env-example: setup ## Write .env.example from the settings
	$(BIN)/python -m tools.env_example

clean: ## Remove .venv, caches and built files
	rm -rf .venv dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find assistant benchmarks evals tests tools -name __pycache__ -type d -prune -exec rm -rf {} +
