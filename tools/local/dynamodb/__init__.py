"""An in-memory DynamoDB for tests and the local run.

It has the one table that `template.yaml` declares.
"""
