"""Tests that the public function's client and the private function's handler understand
each other.
"""

from typing import Any

from waitlist_api.queue.client import QueueClient, send_batch
from waitlist_shared import contracts as c
from waitlist_shared.errors import Gone, NotWaiting
from waitlist_shared.ids import entry_id_of, segment_id_of

WAITLIST_ID = "bakery-opening"
EPOCH = "0000aaaa"
ADA, BOB = (entry_id_of(WAITLIST_ID, name) for name in ("ada", "bob"))
SPANISH = segment_id_of(WAITLIST_ID, {"language": "Spanish"})
TAGS: dict[str, Any] = {"segments": (SPANISH,), "segments_version": 1}


def of(entry_id: str) -> dict[str, Any]:
    return {"waitlist_id": WAITLIST_ID, "entry_id": entry_id}


def stay(entry_id: str, join_id: str = "00000001") -> dict[str, Any]:
    return {**of(entry_id), "join_id": join_id}


def tagged(entry_id: str, join_id: str = "00000001") -> dict[str, Any]:
    return {**stay(entry_id, join_id), **TAGS}


def bump(**where: Any) -> c.Bump:
    return c.Bump(**of(BOB), once_key="0" * 32, **where)


SEGMENTED: dict[str, Any] = {"waitlist_id": WAITLIST_ID, "segments_version": 1}
INIT = c.Init(
    waitlist_id=WAITLIST_ID,
    settings=c.Settings(version=1, segments_version=1),
    mode="create",
    epoch=EPOCH,
)


def test_the_result_of_one_operation_fits_the_next_one(queue: QueueClient) -> None:
    """The positions and ranks that one operation returns are valid arguments for the next one
    (promise P6).
    """
    queue.send(INIT)
    ada, bob = queue.send(c.Signup(**tagged(ADA))), queue.send(c.Signup(**tagged(BOB)))
    assert (ada.position, bob.position, bob.total) == (1, 2, 2)
    moved = queue.send(bump(places=1))
    assert (moved.position, moved.ticket) == (1, bob.ticket)
    assert moved.stamp > bob.stamp
    found = queue.send(c.Position(**of(BOB)))
    assert (found.position, found.total, found.rank, found.ticket) == (
        1,
        2,
        moved.rank,
        bob.ticket,
    )
    first = queue.send(c.ListWaiting(waitlist_id=WAITLIST_ID, limit=1))
    second = queue.send(c.ListWaiting(waitlist_id=WAITLIST_ID, after=first.next_rank))
    assert [entry.entry_id for entry in (*first.entries, *second.entries)] == [BOB, ADA]
    assert (first.entries[0].rank, second.entries[0].rank) == (moved.rank, ada.rank)
    assert (first.next_rank, second.next_rank) == (moved.rank, None)
    stats = queue.send(c.Stats(waitlist_id=WAITLIST_ID))
    assert (stats.waiting, stats.counters.signed_up, stats.epoch) == (2, 2, EPOCH)


def test_positions_and_counts_of_a_segment_agree(queue: QueueClient) -> None:
    """A customer's position in a segment must agree with the number of people in that segment. A
    claim changes both at once (promise P6).
    """
    queue.send(INIT)
    for entry_id in (ADA, BOB):
        queue.send(c.Signup(**tagged(entry_id)))
    found = queue.send(c.Position(**of(BOB), **TAGS))
    assert found.places == (c.SegmentPlace(position=2, total=2),)
    (depth,) = queue.send(c.Segments(**SEGMENTED)).depths
    assert depth == c.SegmentDepth(segment=SPANISH, waiting=2, first=(ADA, BOB))
    (claimed,) = queue.send(c.Claim(**SEGMENTED, segment=SPANISH)).entries
    assert claimed.entry_id == ADA
    found = queue.send(c.Position(**of(BOB), **TAGS))
    assert (found.position, found.places) == (1, (c.SegmentPlace(position=1, total=1),))
    queue.send(c.Tag(**stay(BOB), segments_version=1, attributes_version=1))
    assert queue.send(c.Segments(**SEGMENTED)).depths == ()


def test_a_rebuild_is_opened_filled_and_ended(queue: QueueClient) -> None:
    """The first message begins the rebuild, the next ones restore entries, and the last one ends
    it. In the meantime, new signups get no position (promise P7).
    """
    opened = queue.send(
        c.Init(
            waitlist_id=WAITLIST_ID,
            settings=INIT.settings,
            mode="open",
            epoch=EPOCH,
            floor_ticket=100,
            counters=c.Counters(signed_up=7, left=5),
        )
    )
    assert (opened.state, opened.epoch) == ("hydrating", EPOCH)
    assert queue.send(c.Signup(**tagged(ADA))).position is None
    queue.send(c.Restore(**tagged(BOB), rank=9, ticket=9, stamp=9, epoch=EPOCH))
    assert queue.send(INIT).outcome == "warmed"
    assert queue.send(c.Position(**of(BOB))).position == 1
    assert queue.send(c.Stats(waitlist_id=WAITLIST_ID)).counters == c.Counters(signed_up=8, left=5)


def test_in_a_batch_each_request_has_its_own_result_or_refusal(queue: QueueClient) -> None:
    requests: list[c.Single] = [
        INIT,
        c.Signup(**tagged(ADA)),
        c.Leave(**stay(ADA)),
        c.Signup(**tagged(ADA)),
        bump(to="back"),
        c.Position(**of(ADA)),
    ]
    answers = send_batch(queue, requests)
    assert [type(answer) for answer in answers] == [
        c.InitResult,
        c.SignupResult,
        c.EndStayResult,
        Gone,
        NotWaiting,
        c.PositionResult,
    ]
