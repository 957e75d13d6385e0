"""Tests that an erasure removes all personal data at once, including reasons, operators' names, and
idempotency keys.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from tests.support.admissions import Admissions
from tests.support.gateway import OPERATOR_ARN
from tests.support.stores import empty_redis
from tests.support.world import World
from tools.local.dynamodb.memory_table import MemoryTable

REASON = "because her mother is ill"
NAME = "ada.lovelace@example.com"
Act = Callable[[Admissions], object]


class Away:
    """A Lambda client. While `is_away` is true, its calls do not reach the private function."""

    def __init__(self) -> None:
        self.client: Any = None
        self.is_away = False

    def before(self, client: Any) -> Any:
        self.client = client
        return self

    def invoke(self, **call: Any) -> Any:
        if self.is_away:
            raise EndpointConnectionError(endpoint_url="https://aws.example.com")
        return self.client.invoke(**call)


@pytest.fixture
def lambda_() -> Away:
    return Away()


@pytest.fixture
def people(lambda_: Away) -> Admissions:
    people = Admissions(World.on(MemoryTable(), empty_redis(), lambda_.before))
    people.configure(segments=[["language"]])
    people.bring({"customer_id": NAME, "attributes": {"language": "English"}})
    people.all_sign_up("bob")
    return people


def parked(people: Admissions) -> None:
    people.claimed()
    assert people.park(NAME, reason=REASON).status == 200


def released(people: Admissions) -> None:
    people.claimed()
    assert people.release(NAME, reason=REASON).status == 200


def admitted(people: Admissions) -> None:
    people.claimed()
    assert people.complete(NAME, reason=REASON).status == 200


STATES: dict[str, Act] = {
    "imported": lambda _: None,
    "bumped": lambda people: people.bump(NAME, key="a-key", to="back", reason=REASON),
    "edited": lambda people: people.edit(NAME, profile={"a": 1}, reason=REASON),
    "parked": parked,
    "released": released,
    "admitted": admitted,
    "removed": lambda people: people.remove(NAME, reason=REASON),
}


def recorded(people: Admissions) -> str:
    entry_id = people.id_of(NAME)
    items = people.world.dynamodb.scan()["Items"]
    return json.dumps([item for item in items if entry_id in json.dumps(item)], default=str)


def in_redis(people: Admissions) -> list[str]:
    """Return the Redis keys that contain a person's entry id.

    The waitlist's sets are not searched, because they keep the id for a few minutes.
    """
    return [key for key in people.world.redis.keys("*") if people.id_of(NAME) in key]


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("is_away", [False, True], ids=["redis", "redis is away"])
def test_no_reason_and_no_actor_outlasts_the_answer(
    people: Admissions, lambda_: Away, state: str, is_away: bool
) -> None:
    """An erasure deletes reasons and operators' names at once, even if Redis is unreachable
    (promise P8).
    """
    STATES[state](people)
    assert OPERATOR_ARN in recorded(people)
    lambda_.is_away = is_away
    assert people.erase(NAME).status == (503 if is_away else 204)
    text = recorded(people)
    for personal in (REASON, OPERATOR_ARN, NAME, "English", "park_reason", "leaving_by"):
        assert personal not in text, personal
    lambda_.is_away = False
    people.world.maintain()
    assert people.person(NAME).code == "entry_not_found"
    assert in_redis(people) == []


def test_a_late_repeat_of_an_erasure_leaves_the_next_signup_as_it_is(people: Admissions) -> None:
    leaves = people.world.services.leaves
    record = leaves.begin_erase(people.waitlist_id, people.id_of(NAME))
    assert record is not None
    leaves.finish_erase(record)
    people.all_sign_up(NAME)
    leaves.finish_erase(record)
    assert people.person(NAME).json["customer_id"] == NAME
    assert people.order() == ["bob", NAME]


def test_a_removal_that_was_cut_off_leaves_no_reason_behind(
    people: Admissions, lambda_: Away
) -> None:
    """If an operator's request to remove a customer is interrupted, the record contains the
    operator and the reason. The erasure must delete both (promise P8).
    """
    lambda_.is_away = True
    assert people.remove(NAME, reason=REASON).status == 503
    assert REASON in recorded(people)
    people.erase(NAME)
    assert REASON not in recorded(people)
    assert OPERATOR_ARN not in recorded(people)


def test_a_signup_again_that_was_cut_off_leaves_no_profile_behind(
    people: Admissions, lambda_: Away
) -> None:
    """If a second signup is interrupted, the record contains the profiles and attributes of both
    signups. The erasure must delete them all (promise P8).
    """
    people.edit(NAME, profile={"name": "Ada Byron"})
    people.remove(NAME)
    lambda_.is_away = True
    new: dict[str, Any] = {"profile": {"name": "Ada King"}, "attributes": {"language": "French"}}
    assert people.sign_up(NAME, **new).status == 503
    personal = ("Ada Byron", "Ada King", "English", "French")
    assert all(text in recorded(people) for text in personal)
    people.erase(NAME)
    assert not [text for text in personal if text in recorded(people)]


def test_the_keys_of_all_moves_are_gone(people: Admissions) -> None:
    """An operator has moved the customer several times. The erasure must delete the idempotency
    keys of all these moves, but keep other customers' keys (promise P8).
    """
    for number in range(3):
        assert people.bump(NAME, key=f"key-{number}", to="back").status == 200
    assert people.bump("bob", key="key-0", to="back").status == 200
    assert in_redis(people)
    people.erase(NAME)
    assert in_redis(people) == []
    people.all_sign_up("cyd")
    assert people.bump("bob", key="key-0", to="back").status == 200
    assert people.order() == ["bob", "cyd"], "the other customer's key is still known"
