"""Claims by filter, places within segments and edits, over HTTP."""

from typing import Any

import httpx

from tests.e2e.callers import Customer, Operator

SEGMENTS = {"name": "End to end", "segments": [["language", "gender"], ["language"]]}
ADA = {"language": ["English", "Español ☕"], "gender": "F"}
BOB = {"language": "Español ☕", "gender": "M"}


def joined(customer: Customer, name: str, attributes: dict[str, Any]) -> dict[str, Any]:
    answer = customer.sign_up(name, attributes=attributes)
    assert answer.status_code == 201, answer.text
    entry: dict[str, Any] = answer.json()
    return entry


def places(customer: Customer, entry: dict[str, Any], query: str) -> list[Any]:
    """Return an entry's positions within segments, as [segment, position, total]."""
    path = f"/v1/waitlists/{customer.waitlist_id}/entries/{entry['entry_id']}?{query}"
    token = {"Authorization": f"Bearer {entry['entry_token']}"}
    answer = customer.http.get(path, headers=token)
    assert answer.status_code == 200, answer.text
    return [list(one.values()) for one in answer.json()["segments"]]


def edit(operator: Operator, entry: dict[str, Any], **fields: Any) -> httpx.Response:
    return operator.call("PATCH", f"/entries/{entry['entry_id']}", json=fields)


def test_people_are_counted_placed_edited_and_claimed_by_what_they_are(
    customer: Customer, operator: Operator
) -> None:
    """P1 P4 P6: PATCH is signed as all that operators send."""
    operator.put(SEGMENTS)
    ada, bob = joined(customer, "ada", ADA), joined(customer, "bob", BOB)
    spanish = {"language": "Español ☕"}
    assert places(customer, bob, "segment=language") == [[spanish, 2, 2]]
    both = [[{"gender": "M", **spanish}, 1, 1]]
    for query in ("segment=language,gender", "segment=gender%2Clanguage"):
        assert places(customer, bob, query) == both

    counted = operator.call("GET", "/segments", params={"limit": "5"}).json()["segments"]
    assert {"segment": spanish, "waiting": 2} in counted
    assert edit(operator, ada, attributes={"language": "English"}, reason="why").status_code == 200
    assert places(customer, bob, "segment=language") == [[spanish, 1, 1]]
    assert operator.line() == ["ada", "bob"]

    answer = operator.call("POST", "/claims", json={"count": 5, "filter": spanish})
    assert [claim["customer_id"] for claim in answer.json()["claims"]] == ["bob"]
    undeclared = operator.call("POST", "/claims", json={"filter": {"gender": "M"}})
    assert (undeclared.status_code, undeclared.json()["code"]) == (422, "invalid_request")


def test_segments_that_are_declared_while_people_wait_are_built_soon(
    customer: Customer, operator: Operator
) -> None:
    """P7: within the time that Retry-After says, again and again."""
    joined(customer, "ada", ADA)
    joined(customer, "bob", BOB)
    assert operator.put(SEGMENTS).json()["segments_state"] == "building"
    claim = {"count": 5, "filter": {"language": "English"}}
    for _ in range(600):
        answer = operator.call("POST", "/claims", json=claim)
        if answer.status_code == 200:
            break
        assert (answer.json()["code"], answer.headers["retry-after"]) == ("rebuilding", "2")
    assert [one["customer_id"] for one in answer.json()["claims"]] == ["ada"]
    assert operator.call("GET").json()["segments_state"] == "ready"
