"""An in-memory DynamoDB for tests and for `make run`.

Its only table is the one in `template.yaml`.
"""
