"""Lets tests use two shards of the DynamoDB index and of the journal instead of sixteen.

Each minute of the journal has one partition for each shard. Most of these partitions are empty, and
reading them would take a third of the time of the tests that run maintenance.
"""

from waitlist_api.records import entry

SHARDS_OF_A_STACK = entry.SHARDS
FEW_SHARDS = 2


def use_few_shards() -> None:
    """Use two shards instead of sixteen. This function must be called before any module is imported
    that reads the number of shards.
    """
    entry.SHARDS = FEW_SHARDS
