"""Tests that the board (a snapshot of all positions) gives correct bounds for every entry's
position, whatever the queue looks like.
"""

import json
import random
from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.board_rule import bounds
from tests.support.line import Line, accepted
from tests.support.redis_servers import Server
from waitlist_shared.limits import MAX_RANK


@settings(
    max_examples=20,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # it is emptied below
)
@given(
    count=st.sampled_from([0, 1, 199, 200, 201, 203, 2_000, 12_345]),
    spread=st.sampled_from([20_000, MAX_RANK]),
    seed=st.integers(0, 2**32),
)
def test_an_entry_stood_within_the_bounds_of_its_rank(
    valkey: Server, count: int, spread: int, seed: int
) -> None:
    """The board gives the exact position of each of the first 200 entries. All other positions are
    accurate to within 1%.
    """
    valkey.client.flushall()
    line = Line(valkey.client)
    line.init()
    chance = random.Random(seed)
    ranks = sorted(chance.sample(range(spread), count))
    if ranks:
        queue = f"wl:{{{line.waitlist_id}}}:queue"
        line.client.zadd(queue, {f"{rank:026x}": rank for rank in ranks})
    board = accepted(line.board())
    cuts = json.loads(board["cuts"])
    assert board["total"] == count
    assert cuts[:200] == [[rank, at] for at, rank in enumerate(ranks[:200], 1)]
    for (_, position), (_, following) in pairwise(cuts[199:]):
        assert position < following <= position * 1.01
    for position, rank in enumerate(ranks, 1):
        first, last = bounds(cuts, count, rank)
        assert first <= position <= last
        assert last - first <= position * 0.01
