"""How much is done: enough for steady medians, or just enough to see that it runs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sizes:
    rounds: int
    operations_per_round: int
    batch_rounds: int
    waiting: int
    many_waiting: int
    members_weighed: int


FULL = Sizes(
    rounds=300,
    operations_per_round=80,
    batch_rounds=100,
    waiting=10_000,
    many_waiting=1_000_000,
    members_weighed=100_000,
)
QUICK = Sizes(
    rounds=3,
    operations_per_round=10,
    batch_rounds=2,
    waiting=500,
    many_waiting=5_000,
    members_weighed=2_000,
)
