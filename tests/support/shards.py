"""Lets tests run with two shards instead of sixteen.

The DynamoDB index and the journal are split into shards. With sixteen shards, most partitions of
the journal would be empty in tests. Reading them would take a third of the time of the tests that
run maintenance.
"""

from waitlist_api.records import entry

SHARDS_OF_A_STACK = entry.SHARDS
FEW_SHARDS = 2


def use_few_shards() -> None:
    """Use two shards instead of sixteen. This function must be called before any module is imported
    that reads the number of shards.
    """
    entry.SHARDS = FEW_SHARDS
