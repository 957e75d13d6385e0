"""Sends the repository's example events for the private function to its real handler."""

from typing import Any

import msgspec
import pytest

from tests.service.contract.conftest import Handler
from tests.service.contract.events import PRIVATE
from waitlist_shared import contracts as c

# The example events in the order of events/README.md, each with its expected outcome.
OUTCOMES = {"ping": "pong", "init": "created", "signup": "joined", "position": "waiting"}


def test_the_events_take_effect_in_the_order_of_their_page(private_handler: Handler) -> None:
    answers = {name: private_handler(PRIVATE[name]) for name in OUTCOMES}
    assert {name: answer["outcome"] for name, answer in answers.items()} == OUTCOMES
    assert answers["position"]["position"] == 1


def test_a_repeated_event_takes_effect_once(private_handler: Handler) -> None:
    """AWS may deliver a message twice (promise P2)."""
    for name in ("init", "signup"):
        first, second = private_handler(PRIVATE[name]), private_handler(PRIVATE[name])
        assert second["ok"], name
        assert first.get("rank") == second.get("rank")
    assert private_handler(PRIVATE["position"])["total"] == 1


@pytest.mark.parametrize("name", ["signup", "position"])
def test_an_event_about_a_waitlist_that_redis_does_not_have_is_refused(
    private_handler: Handler, name: str
) -> None:
    """P7"""
    answer = private_handler(PRIVATE[name])
    assert (answer["ok"], answer["code"]) == (False, "cold")
    assert answer["message"]


@pytest.mark.parametrize("name", PRIVATE)
def test_a_private_event_has_only_known_fields(name: str) -> None:
    request = msgspec.convert(PRIVATE[name], c.AnyRequest)
    assert PRIVATE[name]["op"] == name
    assert_within(PRIVATE[name], msgspec.to_builtins(request))


def assert_within(part: Any, whole: Any) -> None:
    """Check that the decoded request `whole` contains every field of the example `part`. Decoding
    ignores fields with a misspelt name.
    """
    if isinstance(part, dict):
        assert set(part) <= set(whole)
        for name, value in part.items():
            assert_within(value, whole[name])
    elif isinstance(part, list):
        for value, other in zip(part, whole, strict=True):
            assert_within(value, other)
    else:
        assert part == whole
