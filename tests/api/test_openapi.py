"""The OpenAPI document says what the API does: every route, every problem."""

from typing import Any

import pytest

from tests.architecture.template import route_authorizers
from tests.support.memory_table import MemoryTable
from tests.support.openapi import document_of
from tests.support.stores import fake_redis
from tests.support.world import World
from waitlist_api.http_errors import STATUS

PROBLEM_JSON = "application/problem+json"
Operation = dict[str, Any]


DOCUMENT = document_of(World.on(MemoryTable(), fake_redis()))
OPERATIONS: dict[str, Operation] = {
    f"{method.upper()} {path}": operation
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
}
each_operation = pytest.mark.parametrize("route", OPERATIONS)


def codes_of(operation: Operation) -> dict[str, str]:
    """Return each problem's code that an operation names, with the status it stands at."""
    return {
        code: status
        for status, response in operation["responses"].items()
        for code in response["description"].split("`")[1::2]
    }


def test_it_lists_every_route_that_the_gateway_has() -> None:
    assert set(OPERATIONS) == set(route_authorizers())


@each_operation
def test_each_problem_stands_at_its_own_status(route: str) -> None:
    for code, status in codes_of(OPERATIONS[route]).items():
        assert str(STATUS[code]) == status


@each_operation
def test_each_problem_is_described_as_problem_details(route: str) -> None:
    for status, response in OPERATIONS[route]["responses"].items():
        if status >= "400":
            assert list(response["content"]) == [PROBLEM_JSON]
            schema = response["content"][PROBLEM_JSON]["schema"]
            assert schema == {"$ref": "#/components/schemas/Problem"}
            fields = DOCUMENT["components"]["schemas"]["Problem"]["properties"]
            assert {"type", "title", "status", "code", "detail", "errors"} == set(fields)


@each_operation
def test_each_route_names_what_can_go_wrong_with_its_parts(route: str) -> None:
    operation = OPERATIONS[route]
    codes = set(codes_of(operation))
    always = {"invalid_request", "too_large", "throttled", "queue_unavailable", "internal_error"}
    assert always <= codes
    with_body = {"invalid_json", "unsupported_media_type"}
    assert (with_body <= codes) == ("requestBody" in operation)
    assert ("unauthorized" in codes) == ("security" in operation)
    if route != "GET /v1/health":
        assert "record_unavailable" in codes
    if "{waitlist_id}" in route and not route.startswith("PUT"):
        assert "waitlist_not_found" in codes


@each_operation
def test_operators_routes_ask_for_a_signature_customers_for_a_token(route: str) -> None:
    if "/admin/" in route:
        expected: Any = [{"sigv4": []}]
    elif "{entry_id}" in route:
        expected = [{"entry_token": []}]
    else:
        expected = None
    assert OPERATIONS[route].get("security") == expected
    schemes = set(DOCUMENT["components"]["securitySchemes"])
    assert schemes == {"sigv4", "entry_token"}


def schema_of(name: str) -> Any:
    return DOCUMENT["components"]["schemas"][name]


def test_it_tells_how_to_filter_and_what_may_be_filtered_by() -> None:
    waitlist = schema_of("WaitlistBody")["properties"]["segments"]
    assert (waitlist["maxItems"], waitlist["items"]["maxItems"]) == (16, 8)
    assert "64" in waitlist["description"]
    filter_, nothing = schema_of("ClaimBody")["properties"]["filter"]["anyOf"]
    assert (filter_["minProperties"], filter_["maxProperties"]) == (1, 8)
    (value,) = filter_["patternProperties"].values()
    assert (value["type"], value["maxLength"], nothing) == ("string", 64, {"type": "null"})
    (attribute,) = schema_of("SignupBody")["properties"]["attributes"]["patternProperties"].values()
    assert [one["type"] for one in attribute["oneOf"]] == ["string", "array"]


def test_it_tells_how_to_ask_for_the_place_within_a_segment() -> None:
    look = OPERATIONS["GET /v1/waitlists/{waitlist_id}/entries/{entry_id}"]
    (segment,) = [one for one in look["parameters"] if one["in"] == "query"]
    assert (segment["name"], segment["required"]) == ("segment", False)
    answer = look["responses"]["200"]["content"]["application/json"]["schema"]
    assert answer == {"$ref": "#/components/schemas/LookAnswer"}
    assert set(schema_of("LookAnswer")["properties"]) == {
        *schema_of("EntryAnswer")["properties"],
        "poll_after_seconds",
        "segments",
        "entry_token",
    }
    header = look["responses"]["200"]["headers"]["Cache-Control"]
    assert header["schema"]["pattern"] == "^private, max-age=[0-9]+$"


def test_it_tells_what_an_edit_needs() -> None:
    body = schema_of("EditBody")
    assert body["anyOf"] == [{"required": ["profile"]}, {"required": ["attributes"]}]
    assert "required" not in body
    assert {body["properties"][name]["type"] for name in ("profile", "attributes")} == {"object"}
    entry = "/v1/admin/waitlists/{waitlist_id}/entries/{entry_id}"
    problems = codes_of(OPERATIONS[f"PATCH {entry}"])
    assert {"entry_not_found", "not_waiting", "already_admitted", "rebuilding"} <= set(problems)


def test_every_operation_has_a_name_of_its_own_and_a_summary() -> None:
    names = [operation["operationId"] for operation in OPERATIONS.values()]
    assert len(set(names)) == len(names)
    assert all(operation["summary"] for operation in OPERATIONS.values())
