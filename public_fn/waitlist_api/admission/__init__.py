"""Take entries from the queue through admissions and claims, and let customers exit.

Redis makes each decision in a single script. The service then writes the decision to the record in
DynamoDB before it answers the caller. If the process crashes in between, a retry or maintenance
records the decision.

Exits work in the opposite order: the service writes the record first and then calls Redis.
"""
