"""Tests that the example events in the `events` folder have the form that AWS sends and the
functions expect.
"""

import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from aws_lambda_powertools.utilities.parser.models import (
    APIGatewayProxyEventV2Model,
    EventBridgeModel,
)

from tests.deployment.template import functions, route_authorizers
from tests.support.each import each
from waitlist_shared.ids import entry_id_of
from waitlist_shared.ranks import ticket_at

EVENTS = Path(__file__).resolve().parents[2] / "events"
WAITLIST_ID = "bakery-opening"
CUSTOMER_ID = "customer-0001"


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


ENVIRONMENT = load(EVENTS / "sam-local-env.json")
PUBLIC = {path.stem: load(path) for path in sorted((EVENTS / "public").glob("*.json"))}

each_public_event = each("event", PUBLIC)


@each_public_event
def test_a_public_event_has_the_form_of_api_gateway_events(event: dict[str, Any]) -> None:
    APIGatewayProxyEventV2Model.model_validate(event)
    context = event["requestContext"]
    method, path = event["routeKey"].split(" ")
    parameters = event.get("pathParameters", {})
    assert event["version"] == "2.0"
    assert context["stage"] == "$default"
    assert context["routeKey"] == event["routeKey"]
    assert context["http"]["method"] == method
    assert context["http"]["path"] == event["rawPath"] == path.format(**parameters)
    assert all(name == name.lower() for name in event["headers"])
    query = dict(parse_qsl(event["rawQueryString"]))
    assert event.get("queryStringParameters", {}) == query


@each_public_event
def test_a_body_is_a_string_of_the_stated_length(event: dict[str, Any]) -> None:
    body = event.get("body", "")
    assert event["isBase64Encoded"] is False
    assert int(event["headers"]["content-length"]) == len(body.encode())
    # Email programs send a form to this route, not JSON.
    if body and "/unsubscribe/" not in event["routeKey"]:
        assert event["headers"]["content-type"] == "application/json"
        assert isinstance(json.loads(body), dict)


@each_public_event
def test_an_operator_event_contains_the_identity_of_the_signer(event: dict[str, Any]) -> None:
    is_admin = route_authorizers()[event["routeKey"]] == "AWS_IAM"
    identity = event["requestContext"].get("authorizer", {}).get("iam")
    assert (identity is not None) == is_admin
    if is_admin:
        assert identity["userArn"].startswith("arn:aws:iam::")
        assert event["headers"]["authorization"].startswith("AWS4-HMAC-SHA256 ")


@each_public_event
def test_all_events_are_about_the_same_customer_and_waitlist(event: dict[str, Any]) -> None:
    parameters = event.get("pathParameters", {})
    assert parameters.get("waitlist_id", WAITLIST_ID) == WAITLIST_ID
    entry_id = entry_id_of(WAITLIST_ID, CUSTOMER_ID)
    assert parameters.get("entry_id", entry_id) == entry_id


@pytest.mark.parametrize("name", ["position", "enter", "pass"])
def test_a_customer_event_contains_a_token_signed_with_the_local_secret(name: str) -> None:
    """The tokens in customers' example events are signed with the local secret and belong to a
    made-up signup.

    A real signup returns its own token.
    """
    key = ENVIRONMENT["PublicFn"]["ENTRY_TOKEN_SECRET"].encode()
    stay = ticket_at(datetime(2026, 11, 21, 9, 30, tzinfo=UTC))
    text = f"{WAITLIST_ID}/{entry_id_of(WAITLIST_ID, CUSTOMER_ID)}/{stay}".encode()
    content = stay.to_bytes(6) + hmac.digest(key, text, "sha256")[:26]
    proof = base64.urlsafe_b64encode(content).decode().rstrip("=")
    token = f"{hashlib.sha256(key).hexdigest()[:8]}.{proof}"
    assert PUBLIC[name]["headers"]["authorization"] == f"Bearer {token}"


def test_an_event_that_must_be_idempotent_has_an_idempotency_key() -> None:
    """If a request must have an idempotency key, its example event contains one, so that the
    service can tell a retry from a second request (promise P2).
    """
    assert PUBLIC["signup"]["headers"]["idempotency-key"]


def test_the_schedule_event_has_the_form_of_eventbridge_events() -> None:
    event = EventBridgeModel.model_validate(load(EVENTS / "maintenance" / "schedule.json"))
    assert (event.source, event.detail_type) == ("aws.events", "Scheduled Event")


def test_sam_local_passes_on_every_variable_of_its_file() -> None:
    """`sam local` would silently drop a variable that the template does not name."""
    assert set(ENVIRONMENT) - {"About"} == set(functions())
    for name, function in functions().items():
        assert set(ENVIRONMENT[name]) <= set(function["Environment"]["Variables"])
