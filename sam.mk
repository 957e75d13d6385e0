# Building and running what AWS runs, with the SAM CLI in an environment of its own.
SAM_CLI_VERSION := 1.170.0
VENV_SAM := .venv-sam
SAM_INSTALLED := $(VENV_SAM)/installed-$(SAM_CLI_VERSION)
SAM := SAM_CLI_TELEMETRY=0 $(VENV_SAM)/bin/sam
CODE += scripts

.PHONY: sam-validate sam-build sam-local sam-deploy

$(SAM_INSTALLED):
	$(PYTHON) -m venv --clear $(VENV_SAM)
	$(VENV_SAM)/bin/python -m pip install --quiet aws-sam-cli==$(SAM_CLI_VERSION)
	@touch $@

sam-validate: $(SAM_INSTALLED) ## what `sam deploy` would refuse, and what the linter would
	$(SAM) validate --lint

# pyenv's shim of python3.13 answers only where that version is chosen, so its directory goes first.
WITH_PYTHON_313 = export PATH="$$(pyenv prefix 3.13 2>/dev/null)/bin:$$PATH";
BUILT := .aws-sam/build

# Compiled, as a cold start on a read-only file system would else compile every import: it takes a
# third of the time. Unchecked, as the times in a deployment package are not those of the files.
sam-build: $(SAM_INSTALLED) ## the functions and the layer as they are deployed (needs python3.13)
	@$(WITH_PYTHON_313) python3.13 --version >/dev/null 2>&1 || \
	  { echo "python3.13 is needed on PATH: it is what Lambda runs" >&2; exit 1; }
	@$(WITH_PYTHON_313) $(SAM) build $(SAM_BUILD_FLAGS)
	@$(WITH_PYTHON_313) python3.13 -m compileall -q --invalidation-mode unchecked-hash $(BUILT)
	@diff -rq --exclude=__pycache__ private_fn/waitlist_queue $(BUILT)/PrivateFn/waitlist_queue
	@diff -rq --exclude=__pycache__ public_fn/waitlist_api $(BUILT)/PublicFn/waitlist_api
	@diff -rq --exclude=__pycache__ shared/waitlist_shared $(BUILT)/SharedLayer/python/waitlist_shared
	@echo "Every source file, the .lua scripts among them, is in the build."
	@$(WITH_PYTHON_313) python3.13 -m scripts.release

# What to deploy it as is in samconfig.toml: `default`, `dev` or `prod`.
CONFIG_ENV ?= default

sam-deploy: $(SAM_INSTALLED) ## what `make sam-build` has built, as CONFIG_ENV (SAM_DEPLOY_FLAGS)
	$(SAM) deploy --config-env $(CONFIG_ENV) --no-fail-on-empty-changeset $(SAM_DEPLOY_FLAGS)

sam-local: $(INSTALLED) sam-build ## a signup in containers, from HTTP to Redis (needs Docker; SAM_LOCAL_FLAGS)
	@$(BIN)/python -m scripts.sam_local
