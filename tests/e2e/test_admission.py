"""How people are admitted, over HTTP."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from tests.e2e.callers import Customer, Operator

CLAIMERS = 8
PEOPLE = 24


def claims(operator: Operator, **body: Any) -> list[dict[str, Any]]:
    answer = operator.call("POST", "/claims", json=body)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["claims"]
    return found


def act(operator: Operator, claim: dict[str, Any], verb: str, **body: Any) -> httpx.Response:
    path = f"/claims/{claim['entry_id']}/{verb}"
    return operator.call("POST", path, json={"claim_token": claim["claim_token"], **body})


def test_a_person_is_held_admitted_and_out_of_the_positions(
    customer: Customer, operator: Operator
) -> None:
    """P4 P6"""
    ada, bob = (customer.joined(name) for name in ("ada", "bob"))
    (claim,) = claims(operator)
    assert (claim["entry_id"], claim["customer_id"]) == (ada.entry_id, "ada")
    assert customer.look(ada).json()["status"] == "offered"
    assert customer.position(bob) == 1
    foreign = {**claim, "claim_token": "0" * 40}
    assert act(operator, foreign, "complete").json()["code"] == "claim_mismatch"
    assert [act(operator, claim, "complete").status_code for _ in range(2)] == [200, 200]
    assert act(operator, claim, "release").json()["code"] == "already_admitted"
    assert customer.look(ada).json()["status"] == "admitted"
    assert (operator.stats()["admitted"], operator.stats()["offered"]) == (1, 0)


def test_a_released_person_has_the_old_place_and_a_parked_one_comes_back(
    customer: Customer, operator: Operator
) -> None:
    """P1"""
    for name in ("zoe", "mia", "ada"):
        customer.joined(name)
    first, second = claims(operator, count=2)
    assert act(operator, second, "release").json()["position"] == 1
    assert act(operator, first, "park", reason="no answer").json()["status"] == "parked"
    assert operator.line() == ["mia", "ada"]
    back = operator.call("POST", f"/parked/{first['entry_id']}/redrive", json={})
    assert (back.status_code, operator.line()) == (200, ["zoe", "mia", "ada"])


def test_claimers_at_once_share_nobody(customer: Customer, operator: Operator) -> None:
    """P4"""
    for number in range(PEOPLE):
        customer.joined(f"customer-{number:02}")
    with ThreadPoolExecutor(CLAIMERS) as pool:
        found = list(pool.map(lambda _: claims(operator, count=3), range(CLAIMERS)))
    claimed = [claim["customer_id"] for one in found for claim in one]
    assert sorted(claimed) == [f"customer-{number:02}" for number in range(PEOPLE)]
    assert (operator.line(), claims(operator)) == ([], [])
