"""Every private event that the repository ships is answered by the private function's handler."""

from typing import Any

import msgspec
import pytest

from tests.service.contract.conftest import Handler
from tests.service.contract.events import PRIVATE, Event
from waitlist_queue.operations import operation_of
from waitlist_shared.contracts import REQUESTS, RESULTS, OnWaitlist
from waitlist_shared.errors import BY_CODE

# What makes the list comes first; what is not to be settled yet, or ends a stay or the list, last.
FIRST = ["ping", "init", "signup", "settle", "bump", "position", "restore"]
LAST = ["mark_dirty", "leave", "drop", "purge"]
STORY = [
    *FIRST,
    *[name for name in PRIVATE if name not in (*FIRST, *LAST)],
    *LAST,
]
# Sent in this order, the events that change an entry's place do so.
TAKING_EFFECT = {
    "init": "created",
    "signup": "joined",
    "bump": "moved",
    "position": "waiting",
    "restore": "present",
    "claim": "claimed",
    "expire": "expired",
    "settle": "settled",
    "list_off_queue": "listed",
    "segments": "segments",
    "mark_dirty": "marked",
    "draw_stamp": "drawn",
    "heartbeat": "beats",
    "restore_many": "restored",
    "inspect": "inspected",
    "tag": "tagged",
    "untagged": "ready",
    "allocate_tickets": "allocated",
    "insert": "joined",
    # The tokens in the files belong to no hold; tests/queue/behaviour uses tokens of a claim.
    "complete": "claim_mismatch",
    "release": "claim_mismatch",
    "extend": "claim_mismatch",
    "park": "claim_mismatch",
    "redrive": "not_parked",
    "leave": "left",
    "drop": "absent",
    "purge": "purged",
}


def answers_of(handler: Handler) -> dict[str, Event]:
    """Send every event once, in the story's order; return the answers."""
    return {name: handler(PRIVATE[name]) for name in STORY}


def documented(op: str) -> set[str]:
    """Return the outcomes that the header of an operation's script declares."""
    request = REQUESTS[op]
    return set(operation_of(request).script.returns) if issubclass(request, OnWaitlist) else set()


def word_of(answer: Event) -> str:
    return str(answer["outcome"] if answer["ok"] else answer["code"])


def test_each_event_is_answered_by_a_documented_word(private_handler: Handler) -> None:
    for name, answer in answers_of(private_handler).items():
        op = PRIVATE[name]["op"]
        assert word_of(answer) in documented(op) | {"pong", "batch"}, (name, answer)


def test_sent_in_order_the_events_take_effect(private_handler: Handler) -> None:
    answers = answers_of(private_handler)
    assert {name: word_of(answers[name]) for name in TAKING_EFFECT} == TAKING_EFFECT
    assert all(one["ok"] for one in answers["batch"]["results"])


def test_each_answer_is_a_result_that_the_public_function_decodes(
    private_handler: Handler,
) -> None:
    for name, answer in answers_of(private_handler).items():
        if answer["ok"]:
            msgspec.convert(answer, RESULTS[REQUESTS[PRIVATE[name]["op"]]])
        else:
            assert answer["code"] in BY_CODE, name


@pytest.mark.parametrize("name", PRIVATE)
def test_alone_an_event_is_done_or_refused_with_advice(private_handler: Handler, name: str) -> None:
    """P7: on an order that is lost nothing is answered as if it were there."""
    answer = private_handler(PRIVATE[name])
    makes_the_list = {"init", "batch", "ping", "purge"}
    assert answer["ok"] is (name in makes_the_list), answer
    if not answer["ok"]:
        assert answer["code"] == "cold"
        assert answer["message"]


def test_events_that_are_sent_twice_take_effect_once(private_handler: Handler, redis: Any) -> None:
    """P2: whatever may be delivered twice has one place and one effect."""
    for name in ("init", "signup", "bump"):
        first, second = private_handler(PRIVATE[name]), private_handler(PRIVATE[name])
        assert second["ok"], name
        assert first.get("position") == second.get("position")
        assert first.get("rank") == second.get("rank")
    assert private_handler(PRIVATE["stats"])["waiting"] == 1
