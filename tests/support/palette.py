"""A waitlist whose entries are in the segments red, blue and green."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from tests.support.line import Line

P = ParamSpec("P")
PEOPLE = {
    "ann": ["red"],
    "bob": ["red", "blue"],
    "cat": ["blue"],
    "dan": ["red", "blue", "green"],
    "eve": [],
}


def coloured(test: Callable[Concatenate[Line, P], None]) -> Callable[..., None]:
    """Give a test a waitlist with the segments red, blue and green, and check the segments' index
    after the test.
    """

    @wraps(test)
    def run(line: Line, *values: P.args, **named: P.kwargs) -> None:
        line.init(segments_version=1)
        for name, segments in PEOPLE.items():
            line.signup(name, **line.within(*segments))
            line.clock.advance(seconds=1)
        test(line, *values, **named)
        assert_exact(line)

    return run


def assert_exact(line: Line) -> None:
    """Check that Redis lists exactly the entries with unverified addresses, and that its segment
    index contains exactly the waiting entries with their ranks.
    """
    prefix, redis = f"wl:{{{line.waitlist_id}}}:", line.client
    tags, meta = (redis.hgetall(f"{prefix}{name}") for name in ("tags", "meta"))
    queue, not_ready, unverified, held, parked, index = (
        dict(redis.zrange(f"{prefix}{name}", 0, -1, withscores=True))
        for name in ("queue", "not_ready", "unverified", "held", "parked", "segments")
    )
    readiness = redis.hgetall(f"{prefix}readiness")
    assert unverified == {
        entry_id: rank
        for entry_id, rank in not_ready.items()
        if ";unverified=" in readiness.get(entry_id, "")
    }
    passed_over = {entry: rank for entry, rank in not_ready.items() if entry not in unverified}
    assert set(index) == {
        f"{segment}{mark}{int(rank):016d}:{entry_id}"
        for mark, waiting in ((":", queue), (";", passed_over), ("<", unverified))
        for entry_id, rank in waiting.items()
        for segment in tags.get(entry_id, "").split(",")[:-1]
    }
    reasons = readiness.values()
    assert int(meta.get("unverified", 0)) == sum(";unverified=" in reason for reason in reasons)
    assert int(meta.get("asked", 0)) == sum("," in reason for reason in reasons)
    people = {*queue, *not_ready, *held, *parked}
    assert set(tags) <= people
    is_complete = meta["segments_version"] != "0" and meta["segments_state"] == "ready"
    assert set(tags) == people or not is_complete


def segment_counts(line: Line) -> dict[str, int]:
    return line.segment_counts("red", "blue", "green")
