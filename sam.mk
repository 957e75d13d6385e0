# Building and running what AWS runs, with the SAM CLI in an environment of its own.
VENV_SAM := .venv-sam
SAM_LOCK := requirements-sam.txt
SAM_INSTALLED := $(VENV_SAM)/installed
SAM := SAM_CLI_TELEMETRY=0 $(VENV_SAM)/bin/sam
CODE += scripts

.PHONY: sam-installed sam-validate sam-build sam-local sam-deploy smoke

$(SAM_INSTALLED): $(SAM_LOCK)
	$(PYTHON) -m venv --clear $(VENV_SAM)
	$(VENV_SAM)/bin/python -m pip install --quiet --require-hashes --no-deps --only-binary :all: -r $(SAM_LOCK)
	@touch $@

sam-installed: $(SAM_INSTALLED) ## all that `make sam-deploy` and `make smoke` run, by hash

sam-validate: $(SAM_INSTALLED) ## what `sam deploy` would refuse, and what the linter would
	$(SAM) validate --lint

# pyenv's shim of python3.13 answers only where that version is chosen, so its directory goes first.
WITH_PYTHON_313 = export PATH="$$(pyenv prefix 3.13 2>/dev/null)/bin:$$PATH";
BUILT := .aws-sam/build
WHEELS := .aws-sam/wheels
FUNCTION_LOCKS := shared/requirements.txt private_fn/requirements.txt public_fn/requirements.txt
# Lambda's Python 3.13 has glibc 2.34.
LAMBDA_PLATFORMS := x86_64 aarch64
PIP_DOWNLOAD = python3.13 -m pip download --quiet --require-hashes --no-deps --only-binary :all: --dest $(WHEELS)

# `sam build` checks hashes only where this machine's wheels run on Lambda as well; for another
# architecture it downloads by name and version alone. So every wheel is downloaded here, by its
# hash, and `sam build` finds no others.
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

# Compiled, as a cold start on a read-only file system would else compile every import: it takes a
# third of the time. Unchecked, as the times in a deployment package are not those of the files.
sam-build: $(SAM_INSTALLED) $(WHEELS)/complete ## the functions and the layer as they are deployed (needs python3.13)
	@$(WITH_PYTHON_313) python3.13 --version >/dev/null 2>&1 || \
	  { echo "python3.13 is needed on PATH: it is what Lambda runs" >&2; exit 1; }
	@$(WITH_PYTHON_313) PIP_NO_INDEX=1 PIP_FIND_LINKS=$(CURDIR)/$(WHEELS) $(SAM) build $(SAM_BUILD_FLAGS)
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

smoke: $(SAM_INSTALLED) ## a signup, a look, a leave and an erasure in a waitlist of its own, on STACK
	@$(VENV_SAM)/bin/python -m scripts.smoke --stack "$(STACK)"

sam-local: $(INSTALLED) sam-build ## a signup in containers, from HTTP to Redis (needs Docker; SAM_LOCAL_FLAGS)
	@$(BIN)/python -m scripts.sam_local
