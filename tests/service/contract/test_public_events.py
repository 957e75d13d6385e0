"""Every public sample event in the repository succeeds on a prepared deployment."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from aws_lambda_powertools import Logger

from tests.service.contract.events import LOCAL_SECRET, PUBLIC, PUBLIC_JWT, Event
from tests.support.gateway import Context
from tests.support.stores import empty_redis
from tests.support.world import World
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.clock import iso, now_millis
from waitlist_api.http.api import Api
from waitlist_api.settings.rest import DAY_MILLIS

# The HTTP status of the response to each event, if the waitlist exists and the customer waits on
# it.
EXPECTED = {
    "health": 200,
    "openid_configuration": 200,
    "jwks": 200,
    "waitlist": 200,
    "board": 200,
    "page": 200,
    "page_file": 200,
    "signup": 200,
    "position": 200,
    "leave": 204,
    "enter": 200,
    "pass": 200,
    "decline": 200,
    "exit": 200,
    "rest": 200,
    "resume": 200,
    "confirm": 200,
    "own_data": 200,
    "verify": 200,
    # The customer of the events has an id and no address.
    "links": 422,
    "unsubscribe": 200,
    "unsubscribe_page": 200,
    "admin_admit": 200,
    "admin_admit_entry": 200,
    "admin_withdraw": 200,
    "admin_exit": 200,
    "admin_put_waitlist": 200,
    "admin_change_waitlist": 200,
    "admin_get_waitlist": 200,
    "admin_list_waitlists": 200,
    "admin_delete_waitlist": 204,
    "admin_stats": 200,
    "admin_stats_history": 200,
    "admin_preview": 200,
    "admin_segments": 200,
    "admin_list_entries": 200,
    "admin_get_entry": 200,
    "admin_edit_entry": 200,
    "admin_messages_of_entry": 200,
    "admin_messages": 200,
    "admin_test_message": 200,
    "admin_erase_entry": 204,
    "admin_bump": 200,
    "admin_ready": 200,
    "admin_verify": 200,
    "admin_confirm": 200,
    "admin_remove": 204,
    "admin_unban": 204,
    "admin_reinstate": 200,
    "admin_token": 200,
    "admin_link": 200,
    "admin_find": 422,
    "admin_import": 200,
    "admin_import_tokens": 200,
    "admin_claim": 200,
    "admin_complete": 200,
    "admin_release": 200,
    "admin_extend": 200,
    "admin_park": 200,
    "admin_redrive": 200,
    "admin_replay_webhook": 200,
}
# Events of a guest. They are sent with the entry token of the guest's current stay.
OF_GUESTS = (
    "position",
    "leave",
    "enter",
    "pass",
    "decline",
    "exit",
    "rest",
    "resume",
    "confirm",
    "own_data",
)
# Events of a customer who has entered.
INSIDE = ("pass", "exit", "admin_exit")
ON_HOLD = {"admin_complete", "admin_release", "admin_extend", "admin_park"}


@dataclass
class Deployment:
    """The public handler with the secret that signed the tokens in the events."""

    world: World
    api: Api

    def answer(self, event: Event) -> dict[str, Any]:
        event = self._as_of_this_stay(event)
        if event["routeKey"] == PUBLIC["verify"]["routeKey"]:
            # The code in the file has expired.
            event = {**event, "body": json.dumps({"code": self._code()})}
        if event["routeKey"].endswith("/rest"):
            # One day, the time in the file will be in the past.
            tomorrow = iso(now_millis() + DAY_MILLIS)
            event = {**event, "body": json.dumps({"until": tomorrow})}
        return self.api.handle(event, Context())

    def _code(self) -> str:
        path = PUBLIC["position"]["pathParameters"]
        record = self.world.services.entries.get(path["waitlist_id"], path["entry_id"])
        assert record is not None
        stay = (*record.key, record.ticket or 0)
        return EntryTokens(LOCAL_SECRET).issue_code(*stay, self.world.clock.now_millis())

    def _as_of_this_stay(self, event: Event) -> Event:
        """If the event belongs to a guest, return it with the entry token of the current stay."""
        is_guests = event["routeKey"] in (PUBLIC[one]["routeKey"] for one in OF_GUESTS)
        if not is_guests or event in PUBLIC_JWT.values():
            return event
        path = event["pathParameters"]
        record = self.world.services.entries.get(path["waitlist_id"], path["entry_id"])
        assert record is not None
        assert record.ticket is not None
        token = EntryTokens(LOCAL_SECRET).issue(*record.key, record.ticket)
        return {**event, "headers": {**event["headers"], "authorization": f"Bearer {token}"}}

    def prepared(self) -> "Deployment":
        """Create the waitlist of the events, and sign up their customer."""
        for name in ("admin_put_waitlist", "signup"):
            assert self.answer(PUBLIC[name])["statusCode"] == 201, name
        return self

    def ready_for(self, name: str) -> Event:
        """Make the requests that must come before an event, and return the event."""
        if name in ON_HOLD:
            claims = body_of(self.answer(PUBLIC["admin_claim"]))["claims"]
            return with_token(PUBLIC[name], claims[0]["claim_token"])
        if name in ("enter", "decline", "admin_withdraw", *INSIDE):
            assert self.answer(PUBLIC["admin_admit"])["statusCode"] == 200
        if name in INSIDE:
            assert self.answer(PUBLIC["enter"])["statusCode"] == 200
        if name == "admin_reinstate":
            assert self.answer(PUBLIC["admin_remove"])["statusCode"] == 204
        if name == "admin_redrive":
            assert self.answer(self.ready_for("admin_park"))["statusCode"] == 200
        return PUBLIC[name]


@pytest.fixture
def deployment(table: Any) -> Deployment:
    world = World.on(table, empty_redis())
    logger = Logger(service="test", level="CRITICAL")
    return Deployment(world, Api(world.services.container, EntryTokens(LOCAL_SECRET), logger))


@pytest.mark.parametrize("name", PUBLIC)
def test_an_event_is_answered_with_its_success(deployment: Deployment, name: str) -> None:
    event = deployment.prepared().ready_for(name)
    answer = deployment.answer(event)
    assert answer["statusCode"] == EXPECTED[name], answer["body"]


@pytest.mark.parametrize("name", PUBLIC_JWT)
def test_a_customers_event_with_an_issuers_token_does_the_same(
    deployment: Deployment, name: str
) -> None:
    """The `sub` of the token is the customer of the other events."""
    deployment.prepared().ready_for(name)
    deployment.api = Api(deployment.world.services.container, None, Logger(level="CRITICAL"))
    answer = deployment.answer(PUBLIC_JWT[name])
    assert answer["statusCode"] == EXPECTED[name], answer["body"]
    if answer["body"]:
        entry_id = PUBLIC["position"]["pathParameters"]["entry_id"]
        assert body_of(answer)["entry_id"] == entry_id


def with_token(event: Event, token: str) -> Event:
    body = {**json.loads(event["body"]), "claim_token": token}
    return {**event, "body": json.dumps(body)}


def body_of(answer: dict[str, Any]) -> Any:
    assert answer["headers"]["Content-Type"] == "application/json"
    return json.loads(answer["body"])


def test_the_events_speak_of_one_person_who_is_seen_by_all_of_them(
    deployment: Deployment,
) -> None:
    """Customers and operators get the same position (promise P6)."""
    deployment.prepared()
    entry_id = PUBLIC["position"]["pathParameters"]["entry_id"]
    for name in ("signup", "position", "admin_get_entry", "admin_bump"):
        answer = body_of(deployment.answer(PUBLIC[name]))
        assert (answer["entry_id"], answer["position"], answer["total"]) == (entry_id, 1, 1)
    listed = body_of(deployment.answer(PUBLIC["admin_list_entries"]))
    assert [one["entry_id"] for one in listed["entries"]] == [entry_id]
    assert body_of(deployment.answer(PUBLIC["waitlist"]))["total"] == 1
    assert body_of(deployment.answer(PUBLIC["admin_stats"]))["waiting"] == 1


def test_an_operators_event_names_who_signed_it_in_the_history(deployment: Deployment) -> None:
    deployment.prepared().answer(PUBLIC["admin_bump"])
    person = body_of(deployment.answer(PUBLIC["admin_get_entry"]))
    joined, bumped = person["history"]
    assert (joined["event"], joined["by"]) == ("joined", "customer")
    assert bumped["event"] == "bumped"
    arn = PUBLIC["admin_bump"]["requestContext"]["authorizer"]["iam"]["userArn"]
    assert (bumped["by"], bumped["reason"]) == (arn, "Waited through the outage")


@pytest.mark.parametrize("name", [name for name in PUBLIC if name.startswith("admin_")])
def test_an_operators_event_without_its_signer_is_refused(
    deployment: Deployment, name: str
) -> None:
    """P5"""
    context = {**PUBLIC[name]["requestContext"]}
    del context["authorizer"]
    answer = deployment.answer({**PUBLIC[name], "requestContext": context})
    assert answer["statusCode"] == 401
    assert body_of_problem(answer)["code"] == "unauthorized"


def body_of_problem(answer: dict[str, Any]) -> Any:
    assert answer["headers"]["Content-Type"] == "application/problem+json"
    return json.loads(answer["body"])
