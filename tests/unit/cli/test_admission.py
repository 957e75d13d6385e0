"""Admission by hand, against the real service."""

import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.fake_service import FakeService, answer
from tests.unit.cli.typed import Typed, problem


def claimed(bakery: Bakery, *words: str) -> list[tuple[str, str]]:
    shown = bakery.typed.json("claim", bakery.waitlist_id, *words)
    return [(one["customer_id"], one["claim_token"]) for one in shown["claims"]]


def names(bakery: Bakery, *words: str) -> list[str]:
    return [name for name, _ in claimed(bakery, *words)]


def test_claims_take_the_head_the_tail_or_those_who_match(bakery: Bakery) -> None:
    """P1"""
    bakery.sign_up("ada", "bob", "cyd")
    bakery.sign_up("dan", "eve", attributes={"language": "Spanish"})
    assert names(bakery, "--filter", "language=Spanish") == ["dan"]
    assert names(bakery, "-n", "2") == ["ada", "bob"]
    assert names(bakery, "--newest", "--lease", "60") == ["eve"]
    assert bakery.line() == ["cyd"]
    offered = bakery.typed.json("offered", bakery.waitlist_id)["entries"]
    assert {one["customer_id"] for one in offered} == {"ada", "bob", "dan", "eve"}
    assert names(bakery, "--complete") == ["cyd"]
    assert bakery.status("cyd") == "admitted"
    assert "entry_id\tclaim_token" in bakery.typed.done("claim", bakery.waitlist_id)


def test_a_claim_is_completed_released_extended_parked_and_redriven(bakery: Bakery) -> None:
    """P4"""
    bakery.sign_up("ada", "bob", "cyd", "dan")
    tokens = dict(claimed(bakery, "-n", "3"))

    def say(verb: str, name: str, *words: str) -> dict[str, object]:
        person = [bakery.waitlist_id, "--customer", name, "--token", tokens[name]]
        answer: dict[str, object] = bakery.typed.json(verb, *person, *words)
        return answer

    assert say("extend", "ada", "--lease", "600")["claimed_until"]
    assert say("complete", "ada")["status"] == "admitted"
    assert say("release", "bob", "--back")["position"] == 2
    assert say("park", "cyd", "--reason", "blurred")["status"] == "parked"
    parked = bakery.typed.json("parked", bakery.waitlist_id)["entries"]
    assert [(one["customer_id"], one["park_reason"]) for one in parked] == [("cyd", "blurred")]
    bakery.typed.done("redrive", bakery.waitlist_id, "--customer", "cyd")
    assert bakery.line() == ["cyd", "dan", "bob"]


def test_a_foreign_token_changes_nothing(bakery: Bakery) -> None:
    """P4"""
    bakery.sign_up("ada")
    claimed(bakery)
    person = [bakery.waitlist_id, "--customer", "ada", "--token", "0" * 40]
    result = bakery.typed("--json", "complete", *person)
    assert (result.exit_code, problem(result)["code"]) == (1, "claim_mismatch")
    assert bakery.status("ada") == "offered"


def test_a_claim_is_asked_again_with_the_same_key(fake: FakeService) -> None:
    """P2: a retry after a lost response returns the same claim."""
    busy = answer(503, {"code": "queue_unavailable", "detail": "d"}, Retry_After="0")
    fake.script = [busy, answer(200, {"claims": []})]
    Typed(fake.url).done("claim", "bakery")
    keys = {headers["idempotency-key"] for _, _, headers, _ in fake.requests}
    assert (len(fake.requests), len(keys)) == (2, 1)


@pytest.mark.parametrize("words", [["-n", "101"], ["-n", "0"], ["--filter", "language"]])
def test_a_claim_that_cannot_be_meant_is_wrong_usage(fake: FakeService, words: list[str]) -> None:
    """P5"""
    assert Typed(fake.url)("claim", "bakery", *words).exit_code == 2
    assert fake.requests == []
