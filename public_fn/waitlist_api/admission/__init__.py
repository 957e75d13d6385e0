"""Take entries from the queue through admissions and claims, and let customers exit.

A Redis script takes the entry from the queue, and then the service updates the entry's record in
DynamoDB. If the process crashes in between, a retry or maintenance updates the record.

For an exit, the service updates the record first, and then calls Redis.
"""
