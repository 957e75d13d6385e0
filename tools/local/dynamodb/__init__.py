"""An in-memory DynamoDB: one table as `template.yaml` declares it, for tests and the local run."""
