"""Tests imports of customers whose id a guest has already signed up with."""

import pytest

from tests.service.api.conftest import new_list
from tests.support.admissions import Admissions
from tests.support.gateway import OPERATOR_ARN, Answer
from tests.support.people import People

TIME = "2021-05-01T12:00:00Z"
EARLY = {"customer_id": "ada", "joined_at": TIME}
WARNING = "signed_up_by_guest"
POLICY = {"rate": {"count": 1, "per": "minute"}, "offer_seconds": 300, "pass_seconds": 3600}


def warnings(answer: Answer) -> list[str | None]:
    assert answer.status == 200, answer.text
    found = [one["warning"] for one in answer.json["results"]]
    assert answer.json["warnings"] == sum(one is not None for one in found)
    return found


def outcomes(answer: Answer) -> list[str]:
    assert answer.status == 200, answer.text
    return [one["outcome"] for one in answer.json["results"]]


def tokens(answer: Answer) -> list[str | None]:
    return [one["entry_token"] for one in answer.json["results"]]


def look_with(people: People, token: str | None) -> Answer:
    return people.world.request("GET", people.entry("ada"), token=token)


def test_a_guests_stay_is_kept_with_a_warning_and_without_its_token(people: People) -> None:
    people.all_sign_up("ada")
    answer = people.bring(EARLY, "bob", EARLY, entry_tokens=True)
    assert outcomes(answer) == ["already", "joined", "already"]
    assert warnings(answer) == [WARNING, None, WARNING]
    of_ada, of_bob, again = tokens(answer)
    assert (of_ada, again) == (None, None)
    assert of_bob is not None
    assert people.order() == ["ada", "bob"]
    assert people.events("ada") == ["joined"]


def test_a_stay_of_an_import_has_no_warning_and_its_token(people: People) -> None:
    people.bring("ada")
    for on_list in ("keep", "replace"):
        answer = people.bring("ada", entry_tokens=True, on_list=on_list)
        assert (outcomes(answer), warnings(answer)) == (["already"], [None])
        assert look_with(people, tokens(answer)[0]).status == 200
    assert people.events("ada") == ["joined"]


def test_a_replaced_guest_has_a_token_that_fits_nothing(people: People) -> None:
    strangers = people.sign_up("ada", key="strangers").json["entry_token"]
    people.all_sign_up("bob")
    answer = people.bring(EARLY, entry_tokens=True, on_list="replace")
    assert (outcomes(answer), warnings(answer)) == (["joined"], [None])
    assert people.order() == ["ada", "bob"]
    customers = tokens(answer)[0]
    assert look_with(people, customers).json["position"] == 1
    assert look_with(people, strangers).status == 403
    for method, path in (("DELETE", ""), ("POST", "/enter"), ("POST", "/exit"), ("GET", "/pass")):
        refused = people.world.request(method, people.entry("ada") + path, token=strangers)
        assert refused.status == 403, path
    # The replaced guest cannot get the new entry token, not even with their old token or the old
    # signup's idempotency key.
    assert people.sign_up("ada", key="strangers").code == "already_on_list"
    assert people.sign_up("ada").code == "already_on_list"
    assert people.order() == ["ada", "bob"]
    stats = people.stats().json
    assert (stats["signed_up"], stats["left"], stats["waiting"]) == (3, 1, 2)


def test_the_history_has_the_end_of_a_replaced_stay(people: People) -> None:
    people.all_sign_up("ada")
    people.bring("ada", on_list="replace")
    joined, left, again = people.person("ada").json["history"]
    assert [one["event"] for one in (joined, left, again)] == ["joined", "left", "joined"]
    assert (joined["by"], left["by"], again["by"]) == ("customer", OPERATOR_ARN, OPERATOR_ARN)
    assert left["reason"] == "replaced by an import"


def test_a_repeat_replaces_nothing_that_the_import_made(people: People) -> None:
    """P2"""
    people.all_sign_up("ada", "bob")
    keyed = {**EARLY, "idempotency_key": "run-1"}
    first = people.bring(keyed, "bob", entry_tokens=True, on_list="replace")
    again = people.bring(keyed, "bob", entry_tokens=True, on_list="replace")
    assert (outcomes(first), outcomes(again)) == (["joined", "joined"], ["joined", "already"])
    assert tokens(first) == tokens(again)
    assert people.events("ada") == ["joined", "left", "joined"]


def test_rows_of_one_call_keep_their_order_over_replaced_stays(people: People) -> None:
    """P1"""
    people.all_sign_up("ada", "cyd", "eve")
    answer = people.bring("ada", "bob", "cyd", "dan", "eve", on_list="replace")
    assert outcomes(answer) == ["joined"] * 5
    assert people.order() == ["ada", "bob", "cyd", "dan", "eve"]


def test_a_guest_who_has_left_does_not_keep_the_customer_off_the_list(people: People) -> None:
    people.all_sign_up("ada")
    people.leave("ada")
    kept = people.bring("ada")
    assert (outcomes(kept), warnings(kept)) == (["ended"], [WARNING])
    replaced = people.bring("ada", on_list="replace")
    assert (outcomes(replaced), warnings(replaced)) == (["joined"], [None])
    people.entry_tokens.pop("ada", None)
    people.leave("ada")
    # The last signup now comes from the import, so the response contains no warning about a guest.
    ended = people.bring("ada", on_list="replace")
    assert (outcomes(ended), warnings(ended)) == (["ended"], [None])


def test_a_guest_who_was_admitted_stays_so_with_a_warning() -> None:
    people = _admitting()
    people.all_sign_up("ada")
    people.admit(1)
    assert people.enter("ada").status == 200
    answer = people.bring("ada", on_list="replace")
    assert (outcomes(answer), warnings(answer)) == (["ended"], [WARNING])
    assert people.events("ada")[-1] == "admitted"
    assert outcomes(people.bring("ada", on_list="replace", ended="rejoin")) == ["joined"]


def test_a_replaced_guest_cannot_take_the_offer_that_was_open() -> None:
    """If the replaced guest had an offer, the next customer gets one instead (promise P4)."""
    people = _admitting()
    people.all_sign_up("ada", "bob")
    people.admit(1, refill=True)
    assert people.status("ada") == "offered"
    strangers = people.entry_tokens["ada"]
    answer = people.bring("ada", on_list="replace")
    assert outcomes(answer) == ["joined"]
    refused = people.world.request("POST", f"{people.entry('ada')}/enter", token=strangers)
    assert refused.status == 403
    people.world.maintain()
    assert (people.status("bob"), people.status("ada")) == ("offered", "waiting")


@pytest.mark.parametrize("state", ["claimed", "parked"])
def test_a_guest_who_is_claimed_or_parked_is_replaced(state: str) -> None:
    people = _admitting()
    people.all_sign_up("ada")
    people.claim(1)
    if state == "parked":
        assert people.park("ada").status == 200
    assert outcomes(people.bring("ada", on_list="replace")) == ["joined"]
    assert (people.order(), people.status("ada")) == (["ada"], "waiting")
    if state == "claimed":
        assert people.complete("ada").status == 409


def test_a_list_that_is_full_by_guests_takes_the_rows_that_replace_them(people: People) -> None:
    people.configure(capacity=2)
    people.all_sign_up("ada", "bob")
    answer = people.bring("ada", "bob", "cyd", on_list="replace")
    assert outcomes(answer) == ["joined", "joined", "refused"]
    assert people.order() == ["ada", "bob"]


def test_during_a_rebuild_no_guest_is_replaced(people: People) -> None:
    """While the queue is being rebuilt, an import cannot replace a guest with a customer. The guest
    keeps their place (promise P7).
    """
    people.all_sign_up("ada")
    people.world.redis.flushall()
    people.sign_up("zoe", key="k")
    assert people.bring("ada", on_list="replace").code == "rebuilding"
    people.world.maintain()
    assert people.events("ada") == ["joined"]
    assert people.order() == ["ada", "zoe"]


def _admitting() -> Admissions:
    people = new_list(admission=POLICY)
    return Admissions(people.world, names=people.names)
