"""Lets tests run with two shards instead of sixteen.

The DynamoDB index and the journal are split into shards. With sixteen shards, most of the journal's
partitions would be empty in tests, and reading them would take a third of the time of tests that
run maintenance.
"""

from waitlist_api.records import entry

SHARDS_OF_A_STACK = entry.SHARDS
FEW_SHARDS = 2


def use_few_shards() -> None:
    """Use two shards instead of sixteen. Call this function before importing any module that reads
    the number of shards.
    """
    entry.SHARDS = FEW_SHARDS
