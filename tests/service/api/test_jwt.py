"""Tests customers who have accounts with an identity provider and are identified by JWTs.

A customer can see and leave only their own entry.
"""

from typing import Any

import pytest
from aws_lambda_powertools import Logger

from tests.service.api.refusing import nothing_changes, refused
from tests.support.gateway import Answer
from tests.support.people import People
from tests.support.stores import empty_redis
from tests.support.tables import new_table
from tests.support.world import World
from tools.openapi_variants import variants
from waitlist_api.http.api import Api

ENTRIES = "/v1/waitlists/bakery/entries"
ME = f"{ENTRIES}/me"


class Members(People):
    """Customers with accounts. API Gateway has checked their JWTs and passes the claims on to the
    function.
    """

    def sign_up(self, name: str, key: str | None = None, **fields: Any) -> Answer:
        self.id_of(name)
        return self.world.request("POST", ENTRIES, body=fields, key=key, subject=name)

    def call(self, method: str, name: str, path: str = ME) -> Answer:
        return self.world.request(method, path, subject=name)


@pytest.fixture
def members() -> Members:
    world = World.on(new_table(), empty_redis())
    world.api = Api(world.services.container, None, Logger(service="test", level="CRITICAL"))
    members = Members(world)
    assert members.configure().status == 201
    members.all_sign_up("ada", "bob")
    return members


def test_the_tokens_sub_signs_up(members: Members) -> None:
    answer = members.sign_up("cyd", profile={"name": "Cyd"})
    assert answer.status == 201
    assert (answer.json["entry_id"], answer.json["position"]) == (members.id_of("cyd"), 3)
    assert "entry_token" not in answer.json
    assert answer.headers["location"] == f"entries/{members.id_of('cyd')}"
    person = members.person("cyd").json
    assert (person["customer_id"], person["profile"]) == ("cyd", {"name": "Cyd"})


def test_a_customer_with_an_account_repeats_a_signup_without_a_key(members: Members) -> None:
    """A customer with an account can repeat a signup without an idempotency key, because nobody
    else can send a request with their JWT (promise P2).
    """
    answer = members.sign_up("ada")
    assert (answer.status, answer.json["position"]) == (200, 1)
    assert members.order() == ["ada", "bob"]


def test_a_signup_may_state_its_own_customer(members: Members) -> None:
    assert members.sign_up("cyd", customer_id="cyd").status == 201


def test_a_signup_for_another_customer_is_forbidden(members: Members) -> None:
    """P5"""
    with nothing_changes(members.world):
        for other in ("eve", "ada", "CYD"):
            refused(members.sign_up("cyd", customer_id=other), 403, "forbidden")
        refused(members.sign_up("cyd", customer_id=""), 422, "invalid_request", "body.customer_id")


@pytest.mark.parametrize("by_id", [False, True], ids=["me", "id"])
def test_customers_look_at_their_own_entry_and_leave_it(members: Members, by_id: bool) -> None:
    """P2"""
    path = members.entry("bob") if by_id else ME
    looked = members.call("GET", "bob", path)
    assert (looked.status, looked.json["entry_id"]) == (200, members.id_of("bob"))
    assert looked.json["position"] == 2
    for _ in range(2):
        assert members.call("DELETE", "bob", path).status == 204
    assert members.order() == ["ada"]
    assert members.call("GET", "bob", path).json["status"] == "left"


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_anothers_entry_is_forbidden_whether_or_not_it_exists(
    members: Members, method: str
) -> None:
    """P5 P8"""
    with nothing_changes(members.world):
        there = members.call(method, "bob", members.entry("ada"))
        not_there = members.call(method, "bob", members.entry("nobody"))
        refused(there, 403, "forbidden")
        assert (there.status, there.text) == (not_there.status, not_there.text)


def test_me_is_one_entry_in_each_list(members: Members) -> None:
    florist = People(members.world, "florist")
    florist.configure()
    assert members.call("GET", "ada", f"{florist.path}/entries/me").code == "entry_not_found"
    path = f"{florist.path}/entries"
    assert members.world.request("POST", path, body={}, subject="bob").status == 201
    assert members.call("GET", "bob", f"{path}/me").json["position"] == 1
    assert members.call("GET", "bob").json["position"] == 2


def test_a_place_within_a_segment_is_returned_for_me_too(members: Members) -> None:
    members.configure(segments=[["language"]])
    members.world.maintain()
    members.sign_up("cyd", attributes={"language": "Spanish"})
    answer = members.world.request("GET", ME, subject="cyd", query="segment=language")
    assert answer.json["segments"][0]["position"] == 1


def test_requests_without_the_authorizer_are_unauthorized(members: Members) -> None:
    """If customers have accounts, the service refuses requests whose JWT was not checked by API
    Gateway, even if they carry an entry token or an operator's signature (promise P5).
    """
    token = members.token_of("ada")
    calls = [("POST", ENTRIES), ("GET", ME), ("DELETE", ME), ("GET", members.entry("ada"))]
    with nothing_changes(members.world):
        for method, path in calls:
            body: dict[str, str] | None = {} if method == "POST" else None
            for proof in ({}, {"token": token}, {"operator": True}):
                answer = members.world.request(method, path, body=body, **proof)
                refused(answer, 401, "unauthorized")


@pytest.mark.parametrize("subject", ["a b", "ä", "a" * 257, "line\n"], ids=ascii)
def test_a_sub_that_is_no_customer_id_is_forbidden(members: Members, subject: str) -> None:
    """P5"""
    with nothing_changes(members.world):
        answer = members.world.request("POST", ENTRIES, body={}, subject=subject)
        assert subject not in refused(answer, 403, "forbidden")["detail"]
        refused(members.call("GET", subject), 403, "forbidden")


def test_a_customers_token_is_no_operators(members: Members) -> None:
    """P5"""
    with nothing_changes(members.world):
        for method in ("GET", "DELETE"):
            refused(members.call(method, "ada", members.admin_path), 401, "unauthorized")


def test_the_document_asks_for_the_issuers_token() -> None:
    document = variants()["jwt.json"]
    assert set(document["components"]["securitySchemes"]) == {"jwt", "sigv4"}
    of_list = document["paths"]["/v1/waitlists/{waitlist_id}/entries"]
    of_entry = document["paths"]["/v1/waitlists/{waitlist_id}/entries/{entry_id}"]
    for operation in (of_list["post"], of_entry["get"], of_entry["delete"]):
        assert operation["security"] == [{"jwt": []}]
        assert {"401", "403"} <= set(operation["responses"])
    assert "required" not in document["components"]["schemas"]["OwnSignupBody"]
    (entry_id,) = [one for one in of_entry["get"]["parameters"] if one["name"] == "entry_id"]
    assert entry_id["schema"]["pattern"] == "^(me|[a-z2-7]{26})$"


def test_customers_with_accounts_send_no_more_than_guests(members: Members) -> None:
    answer = members.sign_up("cyd", profile={"note": "x" * 2048})
    assert (answer.status, answer.json["errors"][0]["field"]) == (422, "body.profile")
    members.configure(page={"fields": [{"name": "email", "label": "Email"}]})
    answer = members.sign_up("cyd", profile={"note": "x"})
    assert (answer.status, answer.json["errors"][0]["field"]) == (422, "body.profile")
    assert members.person("cyd").status == 404


def test_customers_with_accounts_need_no_verified_address(members: Members) -> None:
    """The JWT's `sub` claim identifies customers with accounts, so the waitlist does not ask them
    for an address.
    """
    rules = {"field": "email", "verify": "before_offer", "blocked_domains": ["example.com"]}
    assert members.configure(identity=rules).status == 200
    answer = members.sign_up("cyd", profile={"email": "ö@example.com"})
    assert (answer.status, answer.json["ready"]) == (201, True)
    assert members.person("cyd").json["customer_id"] == "cyd"
    body: Any = {"profile": {"email": "cyd@example.com"}}
    changed = members.world.request("PATCH", ME, body=body, subject="cyd")
    assert (changed.status, changed.json["profile"]) == (200, body["profile"])
    assert members.sign_up("dan").status == 201
    public = members.world.request("GET", members.path).json
    assert public["identity"] is None
    path = f"{members.admin_path}/find"
    found = members.world.request("POST", path, body=body["profile"], operator=True)
    refused(found, 409, "no_entry_tokens")


def test_an_import_keeps_the_stay_of_a_customer_with_an_account(members: Members) -> None:
    """An import does not replace the signup of a customer with an account, because a JWT has proved
    who signed up.
    """
    for on_list in ("keep", "replace"):
        (result,) = members.bring("ada", on_list=on_list).json["results"]
        assert (result["outcome"], result["warning"]) == ("already", None)
    assert members.events("ada") == ["joined"]
