"""How much work the benchmarks do.

A full run repeats each operation until the medians are stable. A quick run only shows that the
benchmarks work.
"""

from dataclasses import dataclass

from waitlist_shared.limits import MAX_CLAIM


@dataclass(frozen=True)
class Sizes:
    rounds: int
    operations_per_round: int
    batch_rounds: int
    waiting: int
    many_waiting: int
    members_weighed: int
    waiting_for_claims: int
    turns: int
    big_claim: int
    claim_rounds: int
    big_claim_rounds: int
    rebuilds: int
    rebuilt_few: int
    rebuilt_many: int
    import_rounds: int
    imported_per_round: int
    imported: int
    public_rounds: int
    public_operations: int
    starts: int
    wait_runs: int
    # How often people poll in a simulated waitlist, as a fraction of the full rate.
    wait_polls: float
    boards: tuple[int, ...]
    board_rounds: int
    server_waiting: int
    server_operations: int
    server_rounds: int
    # How many customers at the head of the queue ask for their positions.
    polling: int
    maintained: int
    maintained_busy: int
    pairs: int


FULL = Sizes(
    rounds=300,
    operations_per_round=80,
    batch_rounds=100,
    waiting=10_000,
    many_waiting=1_000_000,
    members_weighed=100_000,
    waiting_for_claims=100_000,
    turns=100,
    big_claim=MAX_CLAIM,
    claim_rounds=80,
    big_claim_rounds=15,
    rebuilds=9,
    rebuilt_few=20_000,
    rebuilt_many=200_000,
    import_rounds=20,
    imported_per_round=100,
    imported=20_000,
    public_rounds=60,
    public_operations=30,
    starts=9,
    wait_runs=5,
    wait_polls=1.0,
    boards=(10_000, 1_000_000, 10_000_000),
    board_rounds=50,
    server_waiting=20_000,
    server_operations=100,
    server_rounds=20,
    polling=200,
    maintained=10_000,
    maintained_busy=100,
    pairs=500,
)
QUICK = Sizes(
    rounds=2,
    operations_per_round=3,
    batch_rounds=2,
    waiting=100,
    many_waiting=1_000,
    members_weighed=500,
    waiting_for_claims=200,
    turns=10,
    big_claim=10,
    claim_rounds=2,
    big_claim_rounds=2,
    rebuilds=3,
    rebuilt_few=200,
    rebuilt_many=800,
    import_rounds=2,
    imported_per_round=10,
    imported=100,
    public_rounds=2,
    public_operations=3,
    starts=1,
    wait_runs=1,
    wait_polls=0.25,
    boards=(100, 2_000),
    board_rounds=2,
    server_waiting=500,
    server_operations=5,
    server_rounds=1,
    polling=20,
    maintained=30,
    maintained_busy=3,
    pairs=3,  # Use an odd number, because z can be exactly 0 for an even number.
)
