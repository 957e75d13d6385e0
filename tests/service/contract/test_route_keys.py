"""Tests that the public function runs only the route that IAM has authorised (promise P5). The
event from API Gateway contains the key of this route.
"""

import json
from itertools import permutations
from typing import Any

import pytest

from tests.support import gateway
from tests.support.gateway import Context
from tests.support.people import People
from tests.support.routes import ROUTES, path_of
from tests.support.snapshot import Snapshot
from tests.support.stores import empty_redis
from tests.support.world import World
from tools.local.dynamodb.memory_table import MemoryTable
from waitlist_shared.ids import entry_id_of

WAITLIST_ID = "bakery-opening"
ENTRY_ID = entry_id_of(WAITLIST_ID, "ada")
ADMIN_PATH = f"/v1/admin/waitlists/{WAITLIST_ID}"
ADMIN_ROUTE = "/v1/admin/waitlists/{waitlist_id}"
Event = dict[str, Any]


def event_of(route: str) -> Event:
    path = path_of(route, ENTRY_ID, WAITLIST_ID)
    return gateway.event(route.split()[0], path, {}, None, operator="/admin/" in path)


EVENTS = {route: event_of(route) for route in ROUTES}


@pytest.fixture(scope="module")
def world() -> World:
    people = People(World.on(MemoryTable(), empty_redis()), WAITLIST_ID)
    assert people.configure().status == 201
    people.all_sign_up("ada")
    return people.world


def status_of(world: World, event: Event) -> tuple[int, str]:
    answer = world.api.handle(event, Context())
    return answer["statusCode"], json.loads(answer["body"] or "{}").get("code", "")


def authorized_as(event: Event, route_key: str) -> Event:
    """Return an event whose path belongs to one route, although IAM has authorised another."""
    context = {**event["requestContext"], "routeKey": route_key}
    return {**event, "routeKey": route_key, "requestContext": context}


def at_path(event: Event, path: str, **parameters: str) -> Event:
    http = {**event["requestContext"]["http"], "path": path}
    context = {**event["requestContext"], "http": http}
    return {**event, "rawPath": path, "requestContext": context, "pathParameters": parameters}


@pytest.mark.parametrize("route_key", ["$default", "ANY /{proxy+}", "", None, 7], ids=str)
def test_no_route_runs_under_an_unknown_route_key(world: World, route_key: Any) -> None:
    before = Snapshot.of(world.dynamodb, world.redis)
    for event in EVENTS.values():
        assert status_of(world, authorized_as(event, route_key)) == (404, "not_found")
    assert Snapshot.of(world.dynamodb, world.redis) == before


def test_no_route_runs_by_the_name_of_any_other(world: World) -> None:
    before = Snapshot.of(world.dynamodb, world.redis)
    for run, judged in permutations(ROUTES, 2):
        event = authorized_as(EVENTS[run], judged)
        assert status_of(world, event) == (404, "not_found"), (run, judged)
    assert Snapshot.of(world.dynamodb, world.redis) == before


def test_a_head_runs_by_its_own_name_alone(world: World) -> None:
    """A HEAD request runs the GET route, but only if IAM has authorised the HEAD route. The
    response has no body.
    """
    event = EVENTS[f"GET {ADMIN_ROUTE}"]
    http = {**event["requestContext"]["http"], "method": "HEAD"}
    head = {**event, "requestContext": {**event["requestContext"], "http": http}}
    asked = authorized_as(head, event["routeKey"].replace("GET ", "HEAD "))
    answer = world.api.handle(asked, Context())
    assert (answer["statusCode"], answer["body"]) == (200, "")
    for name in (event["routeKey"], "HEAD /v1/health", "$default", ""):
        assert world.api.handle(authorized_as(head, name), Context())["statusCode"] == 404


def test_no_route_runs_without_a_name(world: World) -> None:
    for event in EVENTS.values():
        nameless = {name: value for name, value in event.items() if name != "routeKey"}
        assert status_of(world, nameless) == (404, "not_found")


def test_a_list_is_not_read_as_another_resource_through_an_encoded_slash(world: World) -> None:
    """An operator may read a waitlist whose id contains an encoded slash, which API Gateway
    decodes. The function must not mistake the path for a different route's.
    """
    waitlist_id = "bakery-opening/entries"
    path = f"/v1/admin/waitlists/{waitlist_id}"
    event = at_path(EVENTS[f"GET {ADMIN_ROUTE}"], path, waitlist_id=waitlist_id)
    assert status_of(world, event) == (404, "not_found")


def test_an_entry_is_not_erased_by_the_right_to_delete_a_list(world: World) -> None:
    waitlist_id = f"{WAITLIST_ID}/entries/{ENTRY_ID}"
    event = at_path(
        EVENTS[f"DELETE {ADMIN_ROUTE}"],
        f"/v1/admin/waitlists/{waitlist_id}",
        waitlist_id=waitlist_id,
    )
    before = Snapshot.of(world.dynamodb, world.redis)
    assert status_of(world, event) == (404, "not_found")
    assert Snapshot.of(world.dynamodb, world.redis) == before


@pytest.mark.parametrize("cut", ["?x", "?", "#x", "\n", "/x", "%3Fx", "%2Fx", "\x85"], ids=ascii)
def test_a_path_that_is_shorter_than_the_authorised_path_is_not_found(
    world: World, cut: str
) -> None:
    """If the event's path is only the beginning of the path that IAM has authorised, the function
    refuses the request.
    """
    path = "/v1/admin/waitlists/bakery-opening"
    event = at_path(EVENTS[f"GET {ADMIN_ROUTE}"], path, waitlist_id=f"bakery-opening{cut}")
    assert status_of(world, event) == (404, "not_found")


def test_a_parameter_that_the_path_contradicts_is_not_found(world: World) -> None:
    path = "/v1/admin/waitlists/bakery-opening"
    event = at_path(EVENTS[f"GET {ADMIN_ROUTE}"], path, waitlist_id="florist")
    assert status_of(world, event) == (404, "not_found")


@pytest.mark.parametrize("parameter", ["bakery-opening", "%62akery-opening"])
def test_a_parameter_may_come_decoded_or_as_it_was_sent(world: World, parameter: str) -> None:
    path = "/v1/admin/waitlists/bakery-opening"
    event = at_path(EVENTS[f"GET {ADMIN_ROUTE}"], path, waitlist_id=parameter)
    assert status_of(world, event)[0] == 200


def test_the_signature_is_checked_even_if_a_stage_name_precedes_the_path(world: World) -> None:
    """Even if the path begins with a stage name, the function must check that an operator has
    signed the request.
    """
    path = "/prod/v1/admin/waitlists/bakery-opening"
    event = at_path(EVENTS[f"GET {ADMIN_ROUTE}"], path, waitlist_id="bakery-opening")
    event["requestContext"]["stage"] = "prod"
    assert status_of(world, event)[0] == 200
    del event["requestContext"]["authorizer"]
    assert status_of(world, event) == (401, "unauthorized")


def test_the_event_of_sam_local_is_taken(world: World) -> None:
    """This event comes from `sam local start-api` 1.170. It has no time, and its domain is
    `localhost`.
    """
    event: Event = {
        "version": "2.0",
        "routeKey": "GET /v1/waitlists/{waitlist_id}",
        "rawPath": "/v1/waitlists/bakery-opening",
        "rawQueryString": "",
        "cookies": [],
        "headers": {"Host": "127.0.0.1:3000", "X-Forwarded-Proto": "http"},
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "1234567890",
            "domainName": "localhost",
            "domainPrefix": "localhost",
            "http": {
                "method": "GET",
                "path": "/v1/waitlists/bakery-opening",
                "protocol": "HTTP/1.1",
                "sourceIp": "127.0.0.1",
                "userAgent": "curl",
            },
            "requestId": "request",
            "routeKey": "GET /v1/waitlists/{waitlist_id}",
            "stage": "$default",
        },
        "body": "",
        "pathParameters": {"waitlist_id": "bakery-opening"},
        "stageVariables": None,
        "isBase64Encoded": False,
    }
    assert status_of(world, event)[0] == 200
