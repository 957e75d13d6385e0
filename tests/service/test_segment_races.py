"""Tests sixteen workers that claim people from overlapping segments at the same time.

Each person is claimed once, in the segment's order.
"""

from collections.abc import Iterator
from functools import partial
from itertools import count, cycle, islice
from typing import Any

import pytest

from tests.service.test_claim_races import CLAIMERS, names_of, until_no_entry_waits
from tests.support.line import Line, accepted
from tests.support.palette import assert_exact
from tests.support.redis_servers import Server
from tests.support.threads import at_once
from waitlist_queue.config import Config
from waitlist_queue.connections import connect

SEGMENTS = ["Spanish", "French", "F", "M", "Spanish F", "French M"]
KINDS = [
    ["Spanish", "F", "Spanish F"],
    ["French", "M", "French M"],
    ["Spanish", "French", "F", "Spanish F"],
    ["Spanish", "M"],
    ["French", "F"],
    ["F", "M"],
]
OF = {f"person {number}": kind for number, kind in enumerate(islice(cycle(KINDS), 300))}
PLACE = {name: number for number, name in enumerate(OF)}


@pytest.fixture
def crowd(valkey: Server) -> Iterator[Line]:
    """300 people are waiting, each in several of the six segments."""
    config = Config(redis_url=valkey.url, redis_cluster=False, log_level="INFO")
    client: Any = connect(config)
    line = Line(client)
    line.init(max_attempts=100, segments_version=1)
    requests = [
        line.message("signup", **line.stay(name), **line.within(*kind)) for name, kind in OF.items()
    ]
    accepted(line.handle({"op": "batch", "requests": requests}))
    yield line
    client.close()  # Close all workers' connections, which would otherwise stay open.


def asked(line: Line, segment: str) -> dict[str, Any]:
    return {"segment": line.segment(segment), "segments_version": 1}


@pytest.mark.parametrize("size", [1, 5])
def test_workers_with_overlapping_segments_never_claim_the_same_person(
    crowd: Line, size: int
) -> None:
    """Everybody is claimed once, and each worker gets people in queue order (promises P1 and
    P4).
    """
    claimers = list(islice(cycle(SEGMENTS), CLAIMERS))
    groups = at_once(
        [partial(until_no_entry_waits, crowd, size, **asked(crowd, one)) for one in claimers]
    )
    assert sorted(names_of(groups)) == sorted(OF)
    for segment, group in zip(claimers, groups, strict=True):
        assert all(segment in OF[name] for name, _ in group)
        places = [PLACE[name] for name, _ in group]
        assert places == sorted(places)
    assert crowd.segment_counts(*SEGMENTS) == {}
    assert_exact(crowd)


def test_one_worker_gets_a_whole_segment_while_others_claim_the_rest(crowd: Line) -> None:
    """As long as somebody who matches a claim is waiting, the claim returns somebody (promise
    P4).
    """
    mine = sorted(name for name, kind in OF.items() if "French M" in kind)
    others = sorted(name for name, kind in OF.items() if "Spanish F" in kind)
    acts = [
        partial(until_no_entry_waits, crowd, 1, **asked(crowd, segment))
        for segment in ("French M", "Spanish F")
    ]
    groups = at_once(acts * (CLAIMERS // 2))
    assert sorted(names_of(groups[0::2])) == mine
    assert sorted(names_of(groups[1::2])) == others


def test_segments_stay_exact_while_everything_happens_at_once(crowd: Line) -> None:
    """Claims with and without a filter, bumps, departures and attribute changes happen at the same
    time (promises P1, P2 and P4).
    """
    edits = count(1)

    def disturb(names: list[str], segment: str) -> None:
        for name in names:
            crowd.bump(name, to="front")
            crowd.tag(name, segment, "M", edit=next(edits))
            if PLACE[name] % 5 == 0:
                crowd.leave(name)

    def admit(**fields: Any) -> list[str]:
        admitted = []
        for name, entry in until_no_entry_waits(crowd, 3, **fields):
            if "token" in entry and crowd.complete(name, entry["token"])["ok"]:
                admitted.append(name)
        return admitted

    names = list(OF)
    acts: list[Any] = [
        partial(disturb, names[start::4], one)
        for start, one in zip(range(4), SEGMENTS, strict=False)
    ]
    acts += [partial(admit, **asked(crowd, segment)) for segment in SEGMENTS]
    acts += [admit] * (CLAIMERS - len(acts))
    groups = at_once(acts)
    admitted = [name for group in groups[4:] for name in group]
    admitted += admit()
    assert len(admitted) == len(set(admitted))
    counters = crowd.stats()["counters"]
    # A customer who has left counts as having left, even if Redis said earlier that they were
    # admitted.
    assert counters["left"] == len([name for name in OF if PLACE[name] % 5 == 0])
    assert counters["left"] + counters["admitted"] == len(OF)
    assert_exact(crowd)
