"""Measure how much memory a waiting entry needs, compared with a plain sorted set of the same
members and scores.
"""

from collections.abc import Iterator
from typing import cast

from redis import Redis

from tools.bench.queue_client import MEMBERS_PER_COMMAND, Handler, Line
from tools.bench.targets import Row, Target

TARGET = Target("≤", 1.2)
BARE = "bare:memory"
Pairs = list[tuple[bytes, float]]


def weigh(handler: Handler, bare: Redis, members: int) -> list[Row]:
    line = Line(handler, "memory")
    waiting = line.newcomers(members)
    line.join(waiting)
    ours_keys = _weight_of_keys(bare, line)
    bare_keys = _weight_of_copy(bare, line)

    leaving, moving = waiting[::10], waiting[1::10]
    line.ask_all([line.leave(member) for member in leaving], "left")
    line.ask_all([line.bump(member, "priority", 1) for member in moving], "moved")
    left = members - len(leaving)
    after_traffic = _weight_of_keys(bare, line)
    resting = Line(handler, "memory-resting")
    resting.join(who_rest := resting.newcomers(members))
    resting.rest(who_rest)
    return [
        _row("memory, all keys", ours_keys, bare_keys, members, TARGET),
        _row("memory, 10% left, 10% bumped", after_traffic, _weight_of_copy(bare, line), left),
        _row("memory, all rest", _weight_of_keys(bare, resting), bare_keys, members),
    ]


def _row(name: str, ours: int, baseline: int, waiting: int, target: Target | None = None) -> Row:
    return Row(
        name=name,
        beside="sorted set",
        ratio=ours / baseline,
        spread=None,
        ours=f"{ours / waiting:.1f} B",
        baseline=f"{baseline / waiting:.1f} B",
        target=target,
    )


def _weight_of_keys(bare: Redis, line: Line) -> int:
    found = bare.scan_iter(f"wl:{{{line.waitlist_id}}}:*", count=MEMBERS_PER_COMMAND)
    return sum(_weight(bare, key) for key in found)


def _weight_of_copy(bare: Redis, line: Line) -> int:
    bare.delete(BARE)
    for some in _ranks(bare, line.queue_key):
        bare.zadd(BARE, some)
    return _weight(bare, BARE)


def _weight(bare: Redis, key: str | bytes) -> int:
    return cast(int, bare.memory_usage(key, samples=0))


def _ranks(bare: Redis, queue_key: str) -> Iterator[dict[bytes, float]]:
    for start in range(0, bare.zcard(queue_key), MEMBERS_PER_COMMAND):
        stop = start + MEMBERS_PER_COMMAND - 1
        yield dict(cast(Pairs, bare.zrange(queue_key, start, stop, withscores=True)))
