"""What the outside world must not get through the whole stack."""

import httpx
import pytest

from tests.e2e.callers import Customer, Operator, stranger

PROBLEM = "application/problem+json"


def refused(answer: httpx.Response, status: int, code: str) -> None:
    assert (answer.status_code, answer.headers["content-type"]) == (status, PROBLEM), answer.text
    assert (answer.json()["status"], answer.json()["code"]) == (status, code)


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_an_unsigned_admin_call_is_unauthorized(
    http: httpx.Client, operator: Operator, method: str
) -> None:
    """P5"""
    path = f"/v1/admin/waitlists/{operator.waitlist_id}"
    refused(http.request(method, path), 401, "unauthorized")
    assert operator.call("GET").status_code == 200


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_a_wrongly_signed_admin_call_is_forbidden(
    http: httpx.Client, operator: Operator, method: str
) -> None:
    """P5"""
    refused(stranger(http, operator.waitlist_id).call(method), 403, "forbidden")
    assert operator.call("GET").json()["version"] == 1


def test_anothers_token_opens_nothing(customer: Customer) -> None:
    """P5"""
    ada, bob = customer.joined("ada"), customer.joined("bob")
    refused(customer.look(ada, token=bob.token), 403, "forbidden")
    refused(customer.look(ada, token="nonsense"), 401, "unauthorized")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "invalid_json"),
        (b'"ada"', 422, "invalid_request"),
        (b'{"customer_id": "ada", "priority": 9}', 422, "invalid_request"),
        (b'{"customer_id": "' + b"a" * 300 + b'"}', 422, "invalid_request"),
        (b'{"customer_id": "ada", "profile": "' + b"a" * 1_000_000 + b'"}', 413, "too_large"),
        (b"a" * 7_000_000, 413, None),
    ],
    ids=["no json", "no object", "unknown field", "long id", "large", "larger than an event"],
)
def test_a_bad_signup_changes_nothing(
    customer: Customer, operator: Operator, body: bytes, status: int, code: str | None
) -> None:
    """P5"""
    path = f"/v1/waitlists/{operator.waitlist_id}/entries"
    headers = {"Content-Type": "application/json"}
    answer = customer.http.post(path, content=body, headers=headers)
    if code is None:
        assert answer.status_code == status
    else:
        refused(answer, status, code)
    assert operator.stats()["signed_up"] == 0
    assert customer.joined("ada").position == 1


def test_an_unknown_path_is_not_found(http: httpx.Client) -> None:
    """P5"""
    refused(http.get("/v2/anything"), 404, "not_found")
