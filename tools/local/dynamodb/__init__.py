"""An in-memory DynamoDB for tests and the local run.

It contains only the table that `template.yaml` declares.
"""
