"""Lets tests run with two shards instead of sixteen, both of the DynamoDB index and of the journal.

The journal has one partition for each shard and minute. Reading sixteen mostly empty partitions per
minute would take a third of the time of the tests that run maintenance.
"""

from waitlist_api.records import entry

SHARDS_OF_A_STACK = entry.SHARDS
FEW_SHARDS = 2


def use_few_shards() -> None:
    """Use two shards instead of sixteen. This function must be called before any module is imported
    that reads the number of shards.
    """
    entry.SHARDS = FEW_SHARDS
