"""Sends the repository's example events for the public function to its real handler, as
events/README.md describes.
"""

import json
from typing import Any

import pytest
from aws_lambda_powertools import Logger

from tests.service.contract.events import LOCAL_SECRET, PUBLIC, Event
from tests.support.gateway import Context
from tests.support.stores import empty_redis
from tests.support.world import World
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.http.api import Api

ADMIT = "/v1/admin/waitlists/bakery-opening/admit"


@pytest.fixture
def world(table: Any) -> World:
    world = World.on(table, empty_redis())
    logger = Logger(service="test", level="CRITICAL")
    world.api = Api(world.services.container, EntryTokens(LOCAL_SECRET), logger)
    return world


def test_the_events_succeed_in_the_order_of_their_page(world: World) -> None:
    """The customer's example events contain an invented token. The test replaces it with the token
    from the signup.
    """

    def send(name: str, token: str = "") -> Any:
        answer = world.api.handle(with_token(PUBLIC[name], token), Context())
        assert answer["statusCode"] in (200, 201), answer["body"]
        return json.loads(answer["body"])

    assert send("health")["status"] == "ok"
    assert len(send("jwks")["keys"]) == 1
    send("admin_put_waitlist")
    joined = send("signup")
    token = joined["entry_token"]
    looked = send("position", token)
    assert (looked["entry_id"], looked["position"], looked["total"]) == (joined["entry_id"], 1, 1)
    assert world.request("POST", ADMIT, body={"count": 1}, operator=True).status == 200
    assert send("enter", token)["pass"]
    assert send("pass", token)["pass"]


def test_the_sample_token_of_the_customer_is_not_accepted(world: World) -> None:
    """The token in the example events belongs to a signup that does not exist (promise P5)."""
    for name in ("admin_put_waitlist", "signup"):
        assert world.api.handle(PUBLIC[name], Context())["statusCode"] == 201
    for name in ("position", "enter", "pass"):
        assert world.api.handle(PUBLIC[name], Context())["statusCode"] == 403


def with_token(event: Event, token: str) -> Event:
    if not token:
        return event
    return {**event, "headers": {**event["headers"], "authorization": f"Bearer {token}"}}
