"""Tests that the OpenAPI document describes every route and every error of the API."""

import json
import re
from collections.abc import Iterator
from typing import Any, get_args

import pytest

from tests.deployment.template import PAGES, route_authorizers
from tests.support.each import each, labelled
from tools.openapi import document, guests_text, patch_text
from tools.openapi_variants import GUESTS, PATCH, variants
from waitlist_api.http.errors import public_errors
from waitlist_api.http.request_log import HEADER
from waitlist_api.records.entry import MOVED, Status

PROBLEM_JSON = "application/problem+json"
Operation = dict[str, Any]
ERRORS = public_errors()


# The tests read the committed document, because generating it takes a second.
DOCUMENT = json.loads(GUESTS.read_text(encoding="utf-8"))
OPERATIONS: dict[str, Operation] = {
    f"{method.upper()} {path}": operation
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
}
WITHOUT_RECORD = {
    "GET /v1/health",
    "GET /.well-known/openid-configuration",
    "GET /.well-known/jwks.json",
    "POST /v1/admin/webhook/replay",
    # On this route, it is the messages function that reads DynamoDB, not the public function.
    "POST /v1/admin/waitlists/{waitlist_id}/messages/test",
}
each_operation = each("route", labelled(*OPERATIONS))


def codes_of(operation: Operation) -> dict[str, str]:
    """Return the error codes in an operation's description, each with its HTTP status."""
    return {
        code: status
        for status, response in operation["responses"].items()
        for code in response["description"].split("`")[1::2]
    }


def needs_credentials(operation: Operation) -> bool:
    return all(operation["security"]) and operation["security"] != []


def test_it_lists_every_route_that_the_gateway_has() -> None:
    assert set(OPERATIONS) == set(route_authorizers()) - PAGES


@each_operation
def test_each_problem_stands_at_its_own_status(route: str) -> None:
    for code, status in codes_of(OPERATIONS[route]).items():
        assert str(ERRORS[code].status) == status


@each_operation
def test_each_problem_is_described_as_problem_details(route: str) -> None:
    for status, response in OPERATIONS[route]["responses"].items():
        if status >= "400":
            own, *by_the_gateway = response["content"]
            assert (own, set(by_the_gateway) <= {"application/json"}) == (PROBLEM_JSON, True)
            for described in response["content"].values():
                assert described["schema"] == {"$ref": "#/components/schemas/Problem"}


def test_one_schema_reads_problems_and_what_the_gateway_answers() -> None:
    """Generated clients use one schema for all errors. API Gateway's own errors lack some fields,
    so the schema must not require any.
    """
    problem = schema_of("Problem")
    of_the_service = {"type", "title", "status", "code", "detail", "errors", "opens_at"}
    assert set(problem["properties"]) == {*of_the_service, "message"}
    assert "required" not in problem


@pytest.mark.parametrize(
    ("name", "values"),
    [("EntryStatus", [name for name in get_args(Status) if name != MOVED]), ("ErrorCode", ERRORS)],
)
def test_words_that_may_grow_have_a_name_and_a_meaning_each(name: str, values: list[str]) -> None:
    schema = schema_of(name)
    assert (schema["type"], schema["x-extensible-enum"]) == ("string", list(values))
    assert "enum" not in schema
    assert "New values may be added" in schema["description"]
    for value in values:
        assert re.search(f"^- `{value}`: .+", schema["description"], re.MULTILINE), value


@pytest.mark.parametrize(
    ("name", "choices"),
    [
        ("BumpBody", ["BumpByPriority", "BumpByPlaces", "BumpToEnd"]),
        ("EditBody", ["EditProfileBody", "EditAttributesBody"]),
    ],
)
def test_a_body_that_is_a_choice_names_what_there_is_to_choose(
    name: str, choices: list[str]
) -> None:
    references = [{"$ref": f"#/components/schemas/{one}"} for one in choices]
    assert schema_of(name)["anyOf"] == references
    assert all(schema_of(one)["required"] for one in choices)


@each_operation
def test_each_route_names_what_can_go_wrong_with_its_parts(route: str) -> None:
    operation = OPERATIONS[route]
    codes = set(codes_of(operation))
    always = {"invalid_request", "too_large", "throttled", "queue_unavailable", "internal_error"}
    assert always <= codes
    with_body = {"invalid_json", "unsupported_media_type"}
    assert (with_body <= codes) == ("requestBody" in operation)
    assert ("unauthorized" in codes) == needs_credentials(operation)
    if route not in WITHOUT_RECORD:
        assert "record_unavailable" in codes
    if "{waitlist_id}" in route:
        assert "waitlist_not_found" in codes


def test_each_answer_with_settings_has_their_version_for_if_match() -> None:
    headers = {
        (route.split()[0], status): response["headers"]
        for route, operation in OPERATIONS.items()
        for status, response in operation["responses"].items()
        if status < "300" and "WaitlistConfigAnswer" in json.dumps(response.get("content"))
    }
    assert set(headers) == {("GET", "200"), ("PUT", "200"), ("PUT", "201"), ("PATCH", "200")}
    assert all("ETag" in found for found in headers.values())


@each_operation
def test_operators_routes_ask_for_a_signature_customers_for_a_token(route: str) -> None:
    # In OpenAPI, an empty `security` list means that the route needs no authentication.
    expected: list[dict[str, list[str]]] = []
    if "/admin/" in route:
        expected = [{"sigv4": []}]
    elif "{entry_id}" in route:
        expected = [{"entry_token": []}]
    elif route.startswith("POST") and not route.endswith(("/verify", "/links")):
        expected = [{}, {"entry_token": []}]
    assert OPERATIONS[route]["security"] == expected
    schemes = set(DOCUMENT["components"]["securitySchemes"])
    assert schemes == {"sigv4", "entry_token"}


@each_operation
def test_the_gateways_own_answers_are_described_as_such(route: str) -> None:
    documented = {
        status
        for status, response in OPERATIONS[route]["responses"].items()
        if status >= "400" and "application/json" in response["content"]
    }
    assert documented == {"413", "429", "500", "503"} | (
        {"401", "403"} if needs_credentials(OPERATIONS[route]) else set()
    )


@each_operation
def test_headers_have_when_to_come_again_and_what_to_prove(route: str) -> None:
    for status, response in OPERATIONS[route]["responses"].items():
        if status >= "400":
            headers = set(response["headers"])
            assert "Cache-Control" in headers
            assert ("Retry-After" in headers) == (status in ("429", "503"))
            assert ("WWW-Authenticate" in headers) == (status == "401")


@each_operation
def test_each_request_may_have_an_id_and_each_answer_has_one(route: str) -> None:
    """Every response from a function has a header with the request id, but API Gateway's own errors
    do not.
    """
    operation = OPERATIONS[route]
    (asked,) = (one for one in operation["parameters"] if one["name"] == HEADER)
    assert (asked["in"], asked["required"], asked["schema"]) == (
        "header",
        False,
        {"type": "string"},
    )
    for status, response in operation["responses"].items():
        name = response["headers"][HEADER]["$ref"].rpartition("/")[2]
        by_the_gateway = "application/json" in response.get("content", {}) and status >= "400"
        assert DOCUMENT["components"]["headers"][name]["required"] == (not by_the_gateway), status


@each_operation
def test_an_answer_without_content_is_described_without(route: str) -> None:
    success = OPERATIONS[route]["responses"]
    assert not success.get("204", {}).get("content")


def schema_of(name: str) -> Any:
    return DOCUMENT["components"]["schemas"][name]


def test_it_describes_filters_and_their_attributes() -> None:
    waitlist = schema_of("WaitlistBody")["properties"]["segments"]
    assert (waitlist["maxItems"], waitlist["items"]["maxItems"]) == (16, 8)
    assert "64" in waitlist["description"]
    filter_, nothing = schema_of("ClaimBody")["properties"]["filter"]["anyOf"]
    assert (filter_["minProperties"], filter_["maxProperties"]) == (1, 8)
    value = filter_["additionalProperties"]
    assert (value["type"], value["maxLength"], nothing) == ("string", 64, {"type": "null"})
    attribute = schema_of("SignupBody")["properties"]["attributes"]["additionalProperties"]
    assert [one["type"] for one in attribute["anyOf"]] == ["string", "array"]


def test_choices_are_described_by_any_of() -> None:
    # The document must not use `oneOf`, because generated Go clients need an extra library to check
    # it.
    assert '"oneOf"' not in json.dumps(DOCUMENT)


def test_it_describes_the_query_of_a_place_within_a_segment() -> None:
    look = OPERATIONS["GET /v1/waitlists/{waitlist_id}/entries/{entry_id}"]
    (segment,) = [one for one in look["parameters"] if one["in"] == "query"]
    assert (segment["name"], segment["required"]) == ("segment", False)
    answer = look["responses"]["200"]["content"]["application/json"]["schema"]
    assert answer == {"$ref": "#/components/schemas/LookAnswer"}
    assert set(schema_of("LookAnswer")["properties"]) == {
        *schema_of("EntryAnswer")["properties"],
        *("ready", "ready_ahead", "not_ready", "rest_until", "delayed_until", "confirm_by"),
        "estimated_wait",
        "estimate_unavailable",
        "rank",
        "poll_after_seconds",
        "call",
        "call_number",
        "segments",
        "entry_token",
    }
    header = look["responses"]["200"]["headers"]["Cache-Control"]
    assert header["schema"]["const"] == "no-store"


def test_it_describes_the_body_of_an_edit() -> None:
    body = schema_of("EditProfileBody")
    assert body["required"] == ["profile"]
    assert {body["properties"][name]["type"] for name in ("profile", "attributes")} == {"object"}
    entry = "/v1/admin/waitlists/{waitlist_id}/entries/{entry_id}"
    problems = codes_of(OPERATIONS[f"PATCH {entry}"])
    assert {"entry_not_found", "not_waiting", "already_admitted", "rebuilding"} <= set(problems)


def test_links_lead_to_operations_that_there_are() -> None:
    names = {operation["operationId"] for operation in OPERATIONS.values()}
    links = [
        link["operationId"]
        for operation in OPERATIONS.values()
        for response in operation["responses"].values()
        for link in response.get("links", {}).values()
    ]
    assert {"getEntry", "leave", "bump", "redrive", "listEntries"} <= set(links) <= names


def test_strings_and_lists_that_people_send_have_limits() -> None:
    bodies = [name for name in DOCUMENT["components"]["schemas"] if name.endswith("Body")]
    assert len(bodies) >= 10
    for name in bodies:
        for found in _schemas_within(schema_of(name)):
            kind = found.get("type")
            is_limited = {"maxLength", "pattern", "enum", "const", "format"} & found.keys()
            assert kind != "string" or is_limited, (name, found)
            assert kind != "array" or "maxItems" in found, (name, found)
            assert kind not in ("integer", "number") or _has_bounds(found), (name, found)


def _schemas_within(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield a schema and all schemas inside it.

    Examples are skipped, and so is a `oneOf` that only repeats the schema's properties.
    """
    if isinstance(schema, dict):
        yield schema
        for key, inner in schema.items():
            if key not in ("oneOf", "examples") or "properties" not in schema:
                yield from _schemas_within(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _schemas_within(inner)


def _has_bounds(schema: dict[str, Any]) -> bool:
    return {"minimum", "maximum"} <= schema.keys()


def test_the_committed_files_are_those_of_the_code() -> None:
    assert GUESTS.read_text(encoding="utf-8") == guests_text(), "run make openapi"
    assert PATCH.read_text(encoding="utf-8") == patch_text(), "run make openapi"
    # For a stack with an issuer, the document derived from the committed files matches the document
    # generated from the code.
    assert variants()["jwt.json"] == document(knows_issuer=True)


@pytest.mark.parametrize("name", ["customers.json", "customers-jwt.json"])
def test_the_customers_document_contains_only_customers_routes_and_their_schemas(name: str) -> None:
    """The OpenAPI document for customers contains everything that it refers to, and no operations
    for operators (promise P5).
    """
    found = variants()[name]
    content = json.dumps(found)
    routes = {
        f"{method.upper()} {path}" for path, methods in found["paths"].items() for method in methods
    }
    public = {route for route, authorizer in route_authorizers().items() if authorizer is None}
    assert routes == (public & OPERATIONS.keys())
    assert "SigV4" not in content
    named = {one.rpartition("/")[2] for one in re.findall(r'"#/components/[^"]+"', content)}
    components = {one for kind in found["components"].values() for one in kind}
    assert {one.strip('"') for one in named} <= components
    ids = {one["operationId"] for methods in found["paths"].values() for one in methods.values()}
    linked = {
        link["operationId"]
        for methods in found["paths"].values()
        for operation in methods.values()
        for response in operation["responses"].values()
        for link in response.get("links", {}).values()
    }
    assert linked <= ids


def test_every_operation_has_a_name_of_its_own_and_a_summary() -> None:
    names = [operation["operationId"] for operation in OPERATIONS.values()]
    assert len(set(names)) == len(names)
    assert all(operation["summary"] for operation in OPERATIONS.values())
