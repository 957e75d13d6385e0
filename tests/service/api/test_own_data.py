"""Tests that customers can change the profile fields that the signup form asks for."""

from typing import Any

import pytest

from tests.support.faults import Wire, before
from tests.support.gateway import Answer
from tests.support.people import People
from tests.support.stores import empty_redis
from tests.support.tables import new_table
from tests.support.world import World

FIELDS = [
    {"name": "name", "label": "Name", "required": True},
    {"name": "note", "label": "Note"},
    {"name": "size", "label": "Size", "kept_in": "attributes"},
]
ADA = {"email": "ada@example.com", "name": "Ada", "note": "tall"}
IDENTITY = {"field": "email"}


class Customers(People):
    """Customers who sign up with an address and use the returned entry token from then on."""

    def join(self, profile: dict[str, Any] = ADA) -> str:
        body = {"profile": profile, "attributes": {"size": "L"}}
        answer = self.world.request("POST", f"{self.path}/entries", body=body)
        assert answer.status == 201, answer.text
        self.entry_id = answer.json["entry_id"]
        return str(answer.json["entry_token"])

    def patch(self, token: str, **profile: Any) -> Answer:
        path = f"{self.path}/entries/{self.entry_id}"
        return self.world.request("PATCH", path, body={"profile": profile}, token=token)

    def whole(self) -> Any:
        path = f"{self.admin_path}/entries/{self.entry_id}"
        return self.world.request("GET", path, query="include=history", operator=True).json

    def write(self, profile: dict[str, Any]) -> None:
        path = f"{self.admin_path}/entries/{self.entry_id}"
        body = {"profile": profile}
        assert self.world.request("PATCH", path, body=body, operator=True).status == 200


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def customers(wire: Wire) -> Customers:
    customers = Customers(World.on(wire.client(new_table()), empty_redis()))
    settings = {"identity": IDENTITY, "page": {"fields": FIELDS}, "segments": [["size"]]}
    assert customers.configure(**settings).status == 201
    return customers


def test_a_customer_changes_the_fields_of_the_form(customers: Customers) -> None:
    token = customers.join()
    customers.write({**ADA, "about": "an operator's own words"})
    changed = customers.patch(token, name="Ada L.", note=None, email=" Ada+x@Example.com")
    assert (changed.status, changed.headers["cache-control"]) == (200, "no-store")
    shown = {"email": " Ada+x@Example.com", "name": "Ada L."}
    assert changed.json == {"entry_id": customers.entry_id, "profile": shown}
    assert customers.patch(token, name="Ada L.").json == changed.json == customers.patch(token).json
    person = customers.whole()
    assert person["profile"] == {**shown, "about": "an operator's own words"}
    edits = [(one["by"], one["detail"]) for one in person["history"] if one["event"] == "edited"]
    assert edits[1:] == [("customer", {"changed": ["profile"]})]
    assert (person["position"], person["attributes"]) == (1, {"size": "L"})


def test_true_1_and_1_0_are_three_values(people: People) -> None:
    people.all_sign_up("ada")
    for sent in ("1", "true", "1.0", "1.0"):
        answer = people.world.request(
            "PATCH",
            people.entry("ada"),
            raw_body=f'{{"profile": {{"tall": {sent}}}}}',
            token=people.token_of("ada"),
        )
        assert f'"profile":{{"tall":{sent}}}' in answer.text
    assert people.events("ada").count("edited") == 3


@pytest.mark.parametrize(
    ("profile", "field"),
    [
        ({"about": "me"}, "body.profile"),
        ({"size": "XL"}, "body.profile"),
        ({"name": None}, "body.profile.name"),
        ({"name": " "}, "body.profile.name"),
        ({"email": None}, "body.profile.email"),
        ({"note": "x" * 2048}, "body.profile"),
    ],
)
def test_data_that_a_signup_may_not_have_changes_nothing(
    customers: Customers, profile: dict[str, Any], field: str
) -> None:
    token = customers.join()
    refused = customers.patch(token, **profile)
    assert (refused.status, [one["field"] for one in refused.json["errors"]]) == (422, [field])
    assert customers.whole()["profile"] == ADA
    assert customers.patch("", name="Eve").status == 401
    # A waitlist with neither an identity nor a form accepts any field in a profile, and requires
    # none.
    customers.configure(page=None, identity=None)
    assert (customers.patch(token, **profile).status == 200) == (len(str(profile)) < 2048)


def test_a_change_asks_for_no_field_that_is_missing_already(customers: Customers) -> None:
    """An imported customer may lack a required field, but can change the other fields."""
    token = customers.join()
    customers.write({"email": ADA["email"], "about": "x" * 3000})
    assert customers.patch(token, note="tall").code == "invalid_request"
    customers.write({"email": ADA["email"]})
    assert customers.patch(token, note="tall").json["profile"]["note"] == "tall"


def test_two_devices_change_two_fields(customers: Customers, wire: Wire) -> None:
    """If a customer changes two fields on two devices at the same time, both changes are kept."""
    token = customers.join()
    others: list[int] = []
    wire.disarm()
    customers.patch(token, note="short")
    write = wire.names.index("TransactWriteItems")
    wire.arm(write, before(lambda: others.append(customers.patch(token, name="Lovelace").status)))
    answer = customers.patch(token, note="tall")
    assert others == [200]
    assert answer.json["profile"] == customers.whole()["profile"] == {**ADA, "name": "Lovelace"}


def test_a_token_of_an_ended_stay_changes_nothing(customers: Customers) -> None:
    token = customers.join()
    path = f"{customers.path}/entries/{customers.entry_id}"
    customers.world.request("DELETE", path, token=token)
    assert customers.patch(token, name="Eve").code == "not_waiting"
    customers.world.advance(1)
    customers.join()
    assert customers.patch(token, name="Eve").code == "forbidden"
    assert customers.whole()["profile"] == ADA
