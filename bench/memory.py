"""Bytes per waiting entry, beside a bare sorted set of the same members and scores."""

from collections.abc import Iterator
from typing import cast

from redis import Redis

from bench.line import MEMBERS_PER_COMMAND, Handler, Line
from bench.targets import Row, Target

TARGET = Target("≤", 1.2)
BARE = "bare:memory"
Pairs = list[tuple[bytes, float]]


def weigh(handler: Handler, bare: Redis, members: int) -> list[Row]:
    """Return the weight of a line's keys, by Redis' count of each and by its whole memory."""
    empty = _used_memory(bare)
    line = Line(handler, "memory")
    line.join(line.newcomers(members))
    ours_used = _used_memory(bare) - empty
    ours_keys = sum(_weight(bare, key) for key in bare.scan_iter(f"wl:{{{line.waitlist_id}}}:*"))

    before_bare = _used_memory(bare)
    for some in _ranks(bare, line.queue_key):
        bare.zadd(BARE, some)
    bare_used = _used_memory(bare) - before_bare
    return [
        _row("memory, all keys", ours_keys, _weight(bare, BARE), members),
        _row("memory, used_memory", ours_used, bare_used, members),
    ]


def _row(name: str, ours: int, baseline: int, members: int) -> Row:
    return Row(
        name=name,
        beside="sorted set",
        ratio=ours / baseline,
        spread=None,
        ours=f"{ours / members:.1f} B",
        baseline=f"{baseline / members:.1f} B",
        target=TARGET,
    )


def _weight(bare: Redis, key: str | bytes) -> int:
    return cast(int, bare.memory_usage(key, samples=0))


def _used_memory(bare: Redis) -> int:
    return cast(int, bare.info("memory")["used_memory"])


def _ranks(bare: Redis, queue_key: str) -> Iterator[dict[bytes, float]]:
    for start in range(0, bare.zcard(queue_key), MEMBERS_PER_COMMAND):
        stop = start + MEMBERS_PER_COMMAND - 1
        yield dict(cast(Pairs, bare.zrange(queue_key, start, stop, withscores=True)))
