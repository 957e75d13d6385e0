# checkov, in an environment of its own: it needs an older boto3 than the tests.
CHECKOV_VERSION := 3.3.30
VENV_CHECKOV := .venv-checkov
CHECKOV_INSTALLED := $(VENV_CHECKOV)/installed-$(CHECKOV_VERSION)
TRANSLATED := $(VENV_CHECKOV)/template.json
# Each YAML file under docs is a template for CloudFormation.
DOCUMENTED := $(shell find docs -name '*.yaml')
WORKFLOWS := $(wildcard .github/workflows/*.yml)

.PHONY: lint-templates

$(CHECKOV_INSTALLED):
	$(PYTHON) -m venv --clear $(VENV_CHECKOV)
	$(VENV_CHECKOV)/bin/python -m pip install --quiet checkov==$(CHECKOV_VERSION)
	@touch $@

# The template twice: as it is written, and as CloudFormation gets it.
lint-templates: $(INSTALLED) $(CHECKOV_INSTALLED)
	$(BIN)/cfn-lint template.yaml $(DOCUMENTED)
	@$(BIN)/python -m scripts.cloudformation $(TRANSLATED)
	$(VENV_CHECKOV)/bin/checkov --config-file .checkov.yaml \
	  --file template.yaml $(TRANSLATED) $(DOCUMENTED) $(WORKFLOWS)
