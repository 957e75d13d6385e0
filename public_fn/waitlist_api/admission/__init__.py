"""Take entries from the queue through admissions and claims, and let customers exit.

For an admission or a claim, a Redis script takes the entry from the queue. The service then updates
the entry's record in DynamoDB. If the process crashes in between, a retry or maintenance updates
the record.

For an exit, the service updates the record first, and then calls Redis.
"""
