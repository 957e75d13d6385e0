"""Tests for operators' requests with an invalid field. The error names the field, and nothing
changes (promise P5).
"""

from typing import Any

import pytest

from tests.service.api.conftest import new_list
from tests.service.api.refusing import nothing_changes, refused
from tests.support.admissions import Admissions
from tests.support.people import People

SETTINGS: dict[str, list[Any]] = {
    "name": [
        *[None, "", "x" * 201, 5, True, []],
        *[
            "\x00\x1b]0;x",
            "line\nfeed",
            "\x7f",
            "\x9b2J",
            "\u202eright to left",
            "a\u200f",
            "\u2028",
        ],
        *[" ", "\u3000 \u00a0"],
    ],
    "open": [1, "true", None],
    "paused": [0, "no", None],
    "capacity": [0, -1, 10**9 + 1, "5", 1.0, True],
    "rejoin": [True, None, "sometimes"],
    "allow_rejoin": [True, False],
    "lease_seconds": [0, 43_201, "60", 1.5, None],
    "max_attempts": [0, 101, "5", None],
    "max_claims": [0, 10**9 + 1, "1", True],
    "hide_counts": [1, "yes", None],
    "bot_check_down": ["", "yes", None, True],
    "opens_at": ["tomorrow", "2026-12-01T09:00:00", "2026-12-01T09:00:00+01:00", "2026-02-30", 1],
    "closes_at": ["", "2026-02-30T09:00:00Z", "2026-12-01", 0, True],
    "waitlist_id": ["bakery"],
    "version": [1],
}
BUMPS: dict[str, list[Any]] = {
    "priority": [-1, 256, 2**70, "9", 1.5, True],
    "places": [0, -1, 10**9 + 1, "1", 1.0, True],
    "to": ["middle", "", "Front", "front\n", 1],
    "reason": [None, 5, "x" * 501, [], "a\nb", "a\u202eb"],
    "rank": [1],
}
TOKEN = "0123456789" * 4
CLAIMS: dict[str, list[Any]] = {
    "count": [0, 101, "2", 1.5, True],
    "lease_seconds": [0, 43_201],
    "order": ["random"],
    "counts": [2],
    "claim_token": [TOKEN],
    "complete": ["yes"],
}
TOKENS = [None, TOKEN[:-1], TOKEN + "0", TOKEN + "\n", "ABCDEF" + TOKEN[6:], 7]
# Bodies with an invalid field, for each operation on a claim. The claim token in them is valid.
HOLDS: list[tuple[str, str, Any]] = [
    *((verb, "status", "admitted") for verb in ("complete", "release", "extend", "park")),
    *((verb, "reason", "x" * 501) for verb in ("complete", "release", "park")),
    ("extend", "lease_seconds", 0),
    ("extend", "lease_seconds", 43_201),
    ("extend", "reason", "why"),
    ("release", "to", "front"),
    ("park", "to", "back"),
    ("complete", "lease_seconds", 5),
]
each_setting = pytest.mark.parametrize(
    ("field", "value"), [(field, value) for field, values in SETTINGS.items() for value in values]
)
each_bump = pytest.mark.parametrize(
    ("field", "value"), [(field, value) for field, values in BUMPS.items() for value in values]
)


@each_setting
def test_a_wrong_setting_is_named(stocked: People, field: str, value: Any) -> None:
    """P5"""
    with nothing_changes(stocked.world):
        refused(stocked.configure(**{field: value}), 422, "invalid_request", f"body.{field}")


@each_setting
def test_a_wrong_setting_makes_no_list(stocked: People, field: str, value: Any) -> None:
    """P5"""
    other = People(stocked.world, "florist")
    with nothing_changes(stocked.world):
        refused(other.configure(**{field: value}), 422, "invalid_request", f"body.{field}")
    path = other.admin_path
    refused(stocked.world.request("GET", path, operator=True), 404, "waitlist_not_found")


@each_bump
def test_a_wrong_bump_is_named(stocked: People, field: str, value: Any) -> None:
    """P5"""
    where = {field: value} if field in ("priority", "places", "to") else {"to": "front"}
    with nothing_changes(stocked.world):
        answer = stocked.bump("cyd", key="b", **{**where, field: value})
        refused(answer, 422, "invalid_request", f"body.{field}")


@pytest.mark.parametrize(
    "where",
    [
        {},
        {"reason": "why"},
        {"to": "front", "priority": 1},
        {"to": "front", "places": 1},
        {"places": 1, "priority": 1},
        {"priority": None, "places": None, "to": None},
    ],
    ids=str,
)
def test_a_bump_has_exactly_one_target(stocked: People, where: dict[str, Any]) -> None:
    """P5"""
    with nothing_changes(stocked.world):
        refused(stocked.bump("cyd", key="b", **where), 422, "invalid_request", "body")


def test_a_bump_by_places_without_a_key_is_refused(stocked: People) -> None:
    """If this invalid request were accepted, repeating it would move the entry a second time
    (promises P2 and P5).
    """
    with nothing_changes(stocked.world):
        answer = stocked.bump("cyd", places=1)
        refused(answer, 422, "invalid_request", "header.idempotency-key")


@pytest.mark.parametrize(
    "body",
    [
        "{",
        "NaN",
        '"\\ud800"',
        "[" * 10_000,
        '{"name": "a", "name": "a"}',
        '{"a": [{"b": 1, "b": 1}]}',
    ],
    ids=lambda one: one[:9],
)
def test_an_operators_body_that_is_not_json_is_refused(stocked: People, body: str) -> None:
    """P5"""
    world = stocked.world
    with nothing_changes(world):
        for method, path in (
            ("PUT", stocked.admin_path),
            ("POST", f"{stocked.admin_entry('cyd')}/bump"),
        ):
            answer = world.request(method, path, raw_body=body, operator=True)
            refused(answer, 400, "invalid_json")
            answer = world.request(method, path, raw_body=" " * 2**20, operator=True)
            refused(answer, 413, "too_large")


def test_a_missing_body_of_an_operator_is_named(stocked: People) -> None:
    """P5"""
    with nothing_changes(stocked.world):
        answer = stocked.world.request("PUT", stocked.admin_path, operator=True)
        refused(answer, 422, "invalid_request", "body")
        path = f"{stocked.admin_path}/claims"
        answer = stocked.world.request("POST", path, body=[], operator=True)
        refused(answer, 422, "invalid_request", "body")


@pytest.mark.parametrize(
    ("field", "value"), [(field, value) for field, values in CLAIMS.items() for value in values]
)
def test_a_malformed_claim_takes_no_entry(stocked: People, field: str, value: Any) -> None:
    """P5"""
    with nothing_changes(stocked.world):
        path = f"{stocked.admin_path}/claims"
        answer = stocked.world.request("POST", path, body={field: value}, operator=True)
        refused(answer, 422, "invalid_request", f"body.{field}")


@pytest.fixture(scope="module")
def holding() -> Admissions:
    """A waitlist on which Ada is claimed.

    Tests must not change the claim, because they share the waitlist.
    """
    people = Admissions(new_list().world)
    people.all_sign_up("ada")
    assert people.claimed() == ["ada"]
    return people


@pytest.mark.parametrize("verb", ["complete", "release", "extend", "park"])
@pytest.mark.parametrize("token", TOKENS, ids=repr)
def test_a_malformed_token_is_named_and_not_repeated(
    holding: Admissions, verb: str, token: Any
) -> None:
    """A claim token is secret, so the error does not contain the token that was sent (promise
    P5).
    """
    path = f"{holding.admin_path}/claims/{holding.id_of('ada')}/{verb}"
    body = {} if token is None else {"claim_token": token}
    with nothing_changes(holding.world):
        answer = holding.world.request("POST", path, body=body, operator=True)
        refused(answer, 422, "invalid_request", "body.claim_token")
    assert str(token) not in answer.text or token in (None, 7)


@pytest.mark.parametrize(("verb", "field", "value"), HOLDS)
def test_a_good_token_does_not_excuse_the_rest(
    holding: Admissions, verb: str, field: str, value: Any
) -> None:
    """P5"""
    with nothing_changes(holding.world):
        answer = holding.act(verb, "ada", **{field: value})
        refused(answer, 422, "invalid_request", f"body.{field}")
