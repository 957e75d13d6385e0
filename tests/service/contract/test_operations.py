"""The public function's client speaks with the private function's own handler."""

from collections.abc import Callable
from typing import Any, get_args

import pytest

from tests.support.lambdas import PRIVATE, InProcessLambda
from waitlist_api.queue.client import QueueClient, send_batch
from waitlist_shared import contracts as c
from waitlist_shared.errors import Gone, NotWaiting
from waitlist_shared.ids import entry_id_of, segment_id_of

WAITLIST_ID = "bakery-opening"
EPOCH = "0000aaaa"
ADA, BOB, CYD, DAN, EVE, GUS, HAL = (
    entry_id_of(WAITLIST_ID, name) for name in ("ada", "bob", "cyd", "dan", "eve", "gus", "hal")
)
TOKEN = "0" * 40
SPANISH = segment_id_of(WAITLIST_ID, {"language": "Spanish"})
TAGS: dict[str, Any] = {"segments": (SPANISH,), "segments_version": 1}
# A question whose time to answer is over.
OVER: dict[str, Any] = {
    "ticket": 1,
    "confirm_by_millis": 1,
    "action": "park",
    "settings_version": 1,
}
# A recorded hold, until long after this test.
OFFERED: dict[str, Any] = {"state": "offered", "token": TOKEN, "time_millis": 2**50}
HELD: dict[str, Any] = {"state": "held", "token": TOKEN, "time_millis": 2**50}


FAY = c.WaitingStay(entry_id_of(WAITLIST_ID, "fay"), "00000003", 9, 9, 9)


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
# Every operation in an order in which each succeeds, with a word of its result.
SAID: list[tuple[c.Request, str]] = [
    (c.Ping(), "pong"),
    (INIT, "created"),
    (c.Signup(**tagged(ADA)), "joined"),
    (c.Signup(**tagged(ADA)), "already"),
    (c.Signup(**tagged(BOB)), "joined"),
    (bump(to="front"), "moved"),
    (bump(to="front"), "repeat"),
    (c.Position(**of(BOB), **TAGS), "waiting"),
    (c.ListWaiting(waitlist_id=WAITLIST_ID, limit=1), "listed"),
    (c.Stats(waitlist_id=WAITLIST_ID), "stats"),
    (c.Board(waitlist_id=WAITLIST_ID), "board"),
    (c.Segments(**SEGMENTED), "segments"),
    (c.MarkDirty(**of(ADA)), "marked"),
    (c.DrawStamp(waitlist_id=WAITLIST_ID), "drawn"),
    (c.Tag(**tagged(ADA), attributes_version=1), "tagged"),
    (c.Tag(**tagged(ADA), attributes_version=1), "kept"),
    (c.EndWait(**of(ADA), **OVER), "kept"),
    (c.Untagged(**SEGMENTED), "ready"),
    (c.Restore(**tagged(ADA), rank=1, ticket=1, stamp=1), "present"),
    (c.Leave(**stay(ADA)), "left"),
    (c.Drop(**stay(BOB)), "dropped"),
    (c.Restore(**tagged(BOB, "00000002"), rank=5, ticket=5, stamp=5), "restored"),
    (c.Restore(**tagged(CYD), **HELD, rank=6, ticket=6, stamp=6), "restored"),
    (c.Extend(**of(CYD), token=TOKEN), "extended"),
    (c.ListOffQueue(waitlist_id=WAITLIST_ID, which="held"), "listed"),
    (c.Park(**of(CYD), token=TOKEN), "parked"),
    (c.Redrive(**of(CYD)), "redriven"),
    (c.Restore(**tagged(DAN), **HELD, rank=7, ticket=7, stamp=7), "restored"),
    (c.Release(**of(DAN), token=TOKEN), "released"),
    (c.Restore(**tagged(EVE), **HELD, rank=8, ticket=8, stamp=8), "restored"),
    (c.Complete(**of(EVE), token=TOKEN), "completed"),
    (c.Complete(**of(EVE), token=TOKEN), "repeat"),
    (c.Inspect(**of(EVE)), "inspected"),
    (c.Restore(**tagged(HAL), **OFFERED, rank=9, ticket=9, stamp=9), "restored"),
    (c.Decline(**of(HAL)), "declined"),
    (c.Admit(waitlist_id=WAITLIST_ID, entry_id=HAL), "admitted"),
    (c.Withdraw(**of(HAL)), "withdrawn"),
    (c.Admit(waitlist_id=WAITLIST_ID, count=100), "admitted"),
    (c.Enter(**of(HAL)), "entered"),
    (c.Renew(**of(HAL), ticket=9), "renewed"),
    (c.Exit(**of(HAL)), "absent"),
    (c.Heartbeat(waitlist_id=WAITLIST_ID, epoch=EPOCH), "beats"),
    (c.Heartbeat(waitlist_id=WAITLIST_ID, epoch=EPOCH, known_beat=2), "behind"),
    (c.RestoreMany(**SEGMENTED, epoch=EPOCH, stays=(FAY,)), "restored"),
    (
        c.AllocateTickets(
            waitlist_id=WAITLIST_ID, count=2, shared_milliseconds=(c.SharedMillisecond(16, 3),)
        ),
        "allocated",
    ),
    (c.Insert(**tagged(GUS), ticket=16), "joined"),
    (c.Insert(**tagged(GUS), ticket=16), "already"),
    (c.Expire(waitlist_id=WAITLIST_ID), "expired"),
    (c.Settle(**of(EVE), seen_stamp=2**44), "changed"),
    (c.Claim(waitlist_id=WAITLIST_ID), "claimed"),
    (c.Claim(**SEGMENTED, segment=SPANISH), "claimed"),
    (c.Batch(requests=[c.Position(**of(BOB))]), "batch"),
    (c.Purge(waitlist_id=WAITLIST_ID), "purged"),
]


def test_every_operation_is_understood_and_its_result_too(queue: QueueClient) -> None:
    for request, outcome in SAID:
        result = queue.send(request)
        assert type(result) is c.RESULTS[type(request)]
        assert (result.ok, result.outcome) == (True, outcome), request


def test_no_operation_is_left_out_here_or_in_the_client() -> None:
    operations = set(get_args(c.AnyRequest))
    assert {type(request) for request, _ in SAID} == operations
    assert set(c.RESULTS) == operations


def test_the_result_of_one_operation_fits_the_next_one(queue: QueueClient) -> None:
    """P6: places and ranks mean the same in every result."""
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


def test_places_and_depths_speak_of_the_same_segments(queue: QueueClient) -> None:
    """P6: what is claimed by filter is gone from both at once."""
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
    """P7: during it a signup has no position, and a restore of another epoch is refused."""
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
        c.EndOfStayResult,
        Gone,
        NotWaiting,
        c.PositionResult,
    ]


Handler = Callable[[Any], Any]
SENT = [request for request, _ in SAID]


@pytest.mark.parametrize("request_", SENT, ids=lambda one: type(one).__name__.lower())
def test_a_result_with_more_than_is_known_still_decodes(
    private_handler: Handler, request_: c.Request
) -> None:
    """A private function that is deployed first may say more."""
    queue = QueueClient(InProcessLambda(lambda message: more(private_handler(message))), PRIVATE)
    for request in SENT[: SENT.index(request_)]:
        queue.send(request)
    result = queue.send(request_)
    assert type(result) is c.RESULTS[type(request_)]


def more(answer: Any) -> Any:
    """Return an answer with a new field in each of its objects."""
    if isinstance(answer, dict):
        return {**{name: more(value) for name, value in answer.items()}, "new_field": {"deep": [1]}}
    return [more(one) for one in answer] if isinstance(answer, list) else answer
