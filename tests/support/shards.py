"""Lets tests use two shards of the DynamoDB index and of the journal instead of sixteen.

Each minute of the journal has one partition for each shard. Most of these partitions are empty, and
reading them would take a third of the time of the tests that run maintenance.
"""

from waitlist_api.records import entry

SHARDS_OF_A_STACK = entry.SHARDS
FEW_SHARDS = 2


def use_few_shards() -> None:
    """Reduce the number of shards. Call this before importing modules that read the number."""
    entry.SHARDS = FEW_SHARDS
