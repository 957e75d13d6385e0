"""Admit customers, claim entries for operators, and record that customers exit.

For an admission or a claim, a Redis script takes the entry from the queue, and then the service
updates the entry's record in DynamoDB. If the process crashes in between, a retry or maintenance
updates the record.

For an exit, the service updates the record first, and then calls Redis.
"""
