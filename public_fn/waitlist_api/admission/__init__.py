"""Admit customers, claim entries for operators, and record that customers exit.

To admit a customer or claim an entry, a Redis script takes the entry from the queue, and then the
service updates the entry's record in DynamoDB. If the process crashes in between, a retry or
maintenance updates the record. When a customer exits, the service updates the record first and then
calls Redis.
"""
