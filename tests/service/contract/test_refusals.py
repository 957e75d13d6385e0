"""Every refusal of the private function reaches the public one as the error that it is."""

from collections.abc import Callable
from typing import Any

import pytest
from redis import exceptions

from tests.service.contract.test_operations import (
    ADA,
    BOB,
    EPOCH,
    HELD,
    INIT,
    SEGMENTED,
    SPANISH,
    TOKEN,
    WAITLIST_ID,
    bump,
    of,
    stay,
    tagged,
)
from waitlist_api.queue.client import QueueClient, failure_of
from waitlist_shared import contracts as c
from waitlist_shared import errors
from waitlist_shared.errors import BY_CODE
from waitlist_shared.ranks import ROOM, TIER

OTHER_EPOCH = "0000bbbb"
Prepare = Callable[[QueueClient], object]


def warm(queue: QueueClient) -> None:
    queue.send(INIT)


def configured(**settings: Any) -> Prepare:
    """Return what makes a warm list of these settings, with Ada in it if that may be."""

    def prepare(queue: QueueClient) -> None:
        queue.send(INIT)
        queue.send(c.Signup(**tagged(ADA)))
        queue.send(init("create", version=2, **{"segments_version": 1, **settings}))

    return prepare


def init(mode: c.Mode, **settings: Any) -> c.Init:
    return c.Init(waitlist_id=WAITLIST_ID, settings=c.Settings(**settings), mode=mode, epoch=EPOCH)


def hydrating(queue: QueueClient) -> None:
    queue.send(init("open", version=1, segments_version=1))


def departed(queue: QueueClient) -> None:
    configured()(queue)
    queue.send(c.Leave(**stay(ADA)))


def without_room(queue: QueueClient) -> None:
    """Have an entry stand at the very first rank of priority 0."""
    warm(queue)
    queue.send(c.Restore(**tagged(ADA), rank=255 * TIER - ROOM, ticket=1, stamp=1))
    queue.send(c.Signup(**tagged(BOB)))


def holding(deadline_millis: int, state: str = "held") -> Prepare:
    """Return what has Bob held, or offered a place, until then."""

    def prepare(queue: QueueClient) -> None:
        warm(queue)
        held = {**HELD, "time_millis": deadline_millis, "state": state}
        queue.send(c.Restore(**tagged(BOB), **held, rank=9, ticket=9, stamp=9))

    return prepare


def held_back(queue: QueueClient) -> None:
    warm(queue)
    readiness = c.Readiness(version=1, not_ready=(c.NotReady(reason="held_back"),))
    queue.send(c.Signup(**tagged(BOB), readiness=readiness))


def full_inside(queue: QueueClient) -> None:
    """Have Ada's offer take the only room."""
    configured(admission=True, max_inside=1)(queue)
    queue.send(c.Signup(**tagged(ADA)))
    queue.send(c.Signup(**tagged(BOB)))
    queue.send(c.Admit(waitlist_id=WAITLIST_ID))


def claimed_once(queue: QueueClient) -> None:
    warm(queue)
    queue.send(c.Claim(waitlist_id=WAITLIST_ID, once_key="0" * 32, once_body="0" * 32))


def nothing(_: QueueClient) -> None: ...


RESTORE_OF_OTHER = c.Restore(**tagged(BOB), rank=9, ticket=9, stamp=9, epoch=OTHER_EPOCH)
REFUSED: dict[str, tuple[Prepare, c.Request]] = {
    "cold": (nothing, c.Position(**of(ADA))),
    "rebuilding": (hydrating, c.Position(**of(ADA))),
    "stale_epoch": (hydrating, RESTORE_OF_OTHER),
    "outdated": (configured(), c.Heartbeat(waitlist_id=WAITLIST_ID, epoch=OTHER_EPOCH)),
    "counts_hidden": (configured(hide_counts=True), c.Board(waitlist_id=WAITLIST_ID)),
    "waitlist_full": (configured(capacity=1), c.Signup(**tagged(BOB))),
    "not_open_yet": (configured(opens_millis=2**50), c.Signup(**tagged(BOB))),
    "waitlist_closed": (configured(open=False), c.Signup(**tagged(BOB))),
    "gone": (departed, c.Signup(**tagged(ADA))),
    "not_waiting": (warm, bump(to="back")),
    "no_room": (without_room, bump(places=1)),
    "inside_full": (full_inside, c.Admit(waitlist_id=WAITLIST_ID, entry_id=BOB)),
    "entry_not_ready": (held_back, c.Admit(waitlist_id=WAITLIST_ID, entry_id=BOB)),
    "waitlist_paused": (configured(paused=True), c.Claim(waitlist_id=WAITLIST_ID)),
    "idempotency_key_reused": (
        claimed_once,
        c.Claim(waitlist_id=WAITLIST_ID, once_key="0" * 32, once_body="1" * 32),
    ),
    "not_held": (configured(), c.Complete(**of(ADA), token=TOKEN)),
    "claim_mismatch": (holding(2**50), c.Complete(**of(BOB), token="1" * 40)),
    "claim_expired": (holding(1), c.Complete(**of(BOB), token=TOKEN)),
    "not_parked": (configured(), c.Redrive(**of(ADA))),
    "not_offered": (configured(), c.Enter(**of(ADA))),
    "offer_expired": (holding(1, "offered"), c.Enter(**of(BOB))),
    "segments_building": (
        configured(segments_version=2),
        c.Claim(waitlist_id=WAITLIST_ID, segment=SPANISH, segments_version=2),
    ),
    "stale_segments": (configured(segments_version=2), c.Segments(**SEGMENTED)),
    "invalid_request": (warm, c.Position(waitlist_id="Not An Id", entry_id=ADA)),
    "unsupported_version": (warm, c.Ping(v=2)),
}
# More holds than one call ends, time after time: tests/queue/behaviour makes that happen.
ELSEWHERE = {"expiring"}
OUTAGES: dict[str, Exception] = {
    "queue_unavailable": exceptions.ConnectionError("no route"),
    "internal_error": exceptions.ResponseError("ERR the script is broken"),
}


@pytest.mark.parametrize("code", REFUSED)
def test_a_refusal_arrives_as_its_error_with_its_advice(queue: QueueClient, code: str) -> None:
    prepare, request = REFUSED[code]
    prepare(queue)
    with pytest.raises(BY_CODE[code]) as caught:
        queue.send(request)
    assert type(caught.value) is BY_CODE[code]
    assert caught.value.message


@pytest.mark.parametrize("code", OUTAGES)
def test_an_outage_arrives_as_its_error_without_a_word_of_its_cause(
    queue: QueueClient, redis: Any, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    """P8: what a server says may hold anything."""

    def fail(*_: object) -> None:
        raise OUTAGES[code]

    monkeypatch.setattr(redis, "execute_command", fail)
    with pytest.raises(BY_CODE[code]) as caught:
        queue.send(c.Position(**of(ADA)))
    assert caught.value.message == BY_CODE[code].advice


def test_every_refusal_of_the_contract_is_among_these() -> None:
    assert {*REFUSED, *OUTAGES, *ELSEWHERE} == set(BY_CODE)


def test_a_refusal_that_this_client_does_not_know_is_a_defect() -> None:
    """A private function that is deployed first may refuse by a new word."""
    error = failure_of({"ok": False, "code": "brand_new", "message": "Something new."})
    assert type(error) is errors.InternalError
