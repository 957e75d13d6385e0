"""Requests with an invalid path, method, query, cursor or content type are refused and change
nothing (promise P5).
"""

import base64
import json

import pytest

from tests.service.api.refusing import nothing_changes, refused
from tests.support.gateway import Context, event
from tests.support.people import People
from waitlist_shared.limits import MIN_RANK

NO_ID = {
    "capitals": "Bakery",
    "underscore": "the_bakery",
    "hyphen first": "-bakery",
    "64 characters": "a" * 64,
    "300 characters": "a" * 300,
    "encoded umlaut": "b%C3%A4ckerei",
    "umlaut": "bäckerei",
    "encoded dot": "bakery%2e",
    "dots": "..",
    "hash tag": "{bakery}",
    "blank": "the bakery",
}
NO_ENTRY_ID = ["a" * 25, "a" * 27, "a" * 300, "A" * 26, "0" * 26, "%C3%A4", "me"]
# Characters that could end a path parameter or begin a new part of the path, encoded once or twice.
NOT_OF_A_PARAMETER = [
    *("%2F", "%252F", "%2Fentries", "%3F", "%253F", "%3Flimit=1", "%23", "%2523"),
    *("%00", "%2500", "%0A", "%250A", "%0D%0A", "%1B", "%7F", "%C2%85", "%25C2%2585"),
]


@pytest.mark.parametrize("waitlist_id", NO_ID.values(), ids=NO_ID)
@pytest.mark.parametrize("operator", [False, True], ids=["customer", "operator"])
def test_a_malformed_waitlist_id_is_named(
    stocked: People, waitlist_id: str, operator: bool
) -> None:
    """P5"""
    part = "/admin" if operator else ""
    path = f"/v1{part}/waitlists/{waitlist_id}"
    with nothing_changes(stocked.world):
        answer = stocked.world.request("GET", path, operator=operator)
        refused(answer, 422, "invalid_request", "path.waitlist_id")


@pytest.mark.parametrize("more", NOT_OF_A_PARAMETER)
@pytest.mark.parametrize("operator", [False, True], ids=["customer", "operator"])
def test_a_parameter_with_a_slash_a_mark_or_a_control_character_is_not_found(
    stocked: People, more: str, operator: bool
) -> None:
    """IAM checks the path of a request before the function does. A path parameter with a slash, for
    example, must not lead to a route that IAM has not checked (promise P5).
    """
    base, token = (
        (stocked.admin_path, None) if operator else (stocked.path, stocked.token_of("ada"))
    )
    paths = [
        f"{base}{more}",
        f"{base}{more}/entries",
        f"{base}/entries/{stocked.id_of('ada')}{more}",
    ]
    with nothing_changes(stocked.world):
        for path in paths:
            for method in ("GET", "DELETE"):
                answer = stocked.world.request(method, path, token=token, operator=operator)
                assert answer.code == "not_found", path


@pytest.mark.parametrize("entry_id", NO_ENTRY_ID, ids=ascii)
def test_a_malformed_entry_id_is_named(stocked: People, entry_id: str) -> None:
    """P5"""
    token = stocked.token_of("ada")
    with nothing_changes(stocked.world):
        for method in ("GET", "DELETE"):
            path = f"{stocked.path}/entries/{entry_id}"
            answer = stocked.world.request(method, path, token=token)
            refused(answer, 422, "invalid_request", "path.entry_id")
            path = f"{stocked.admin_path}/entries/{entry_id}"
            answer = stocked.world.request(method, path, operator=True)
            refused(answer, 422, "invalid_request", "path.entry_id")
        answer = stocked.world.request("PATCH", path, body={"profile": {}}, operator=True)
        refused(answer, 422, "invalid_request", "path.entry_id")
        path = f"{stocked.admin_path}/claims/{entry_id}/complete"
        answer = stocked.world.request("POST", path, body={"claim_token": "0" * 40}, operator=True)
        refused(answer, 422, "invalid_request", "path.entry_id")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/v1",
        "/v2/health",
        "/v1/Health",
        "//v1/health",
        "/v1/health/",
        "/v1/waitlists",
        "/v1/waitlists//entries",
        "/v1/waitlists/bakery/entries/",
        "/v1/waitlists/☕",
        "/v1/%77aitlists/bakery",
        "/v1/Admin/waitlists",
    ],
    ids=ascii,
)
def test_an_unknown_path_is_not_found(stocked: People, path: str) -> None:
    """The response to an unknown path is the same for customers and for operators (promise P5)."""
    with nothing_changes(stocked.world):
        for operator in (False, True):
            answer = stocked.world.request("GET", path, operator=operator)
            refused(answer, 404, "not_found")


def test_an_encoded_operators_path_is_not_found(stocked: People) -> None:
    """`%61` is an encoded `a`. API Gateway and IAM do not recognize an operator path that is
    written like this, so the function must not decode it (promise P5).
    """
    path = "/v1/%61dmin/waitlists"
    refused(stocked.world.request("GET", path), 404, "not_found")
    refused(stocked.world.request("GET", path, operator=True), 404, "not_found")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/health"),
        ("OPTIONS", "/v1/health"),
        ("DELETE", "/v1/waitlists/bakery"),
        ("PUT", "/v1/waitlists/bakery"),
        ("GET", "/v1/waitlists/bakery/entries"),
        ("DELETE", "/v1/waitlists/bakery/entries"),
        ("PATCH", "/v1/waitlists/bakery/entries"),
        ("OPTIONS", "/v1/admin/waitlists/bakery"),
        ("PATCH", "/v1/admin/waitlists/bakery/entries"),
        ("POST", "/v1/admin/waitlists/bakery/segments"),
        ("DELETE", "/v1/admin/waitlists"),
        ("POST", "/v1/admin/waitlists/bakery"),
        ("DELETE", "/v1/admin/waitlists/bakery/entries"),
        ("DELETE", "/v1/admin/waitlists/bakery/stats"),
    ],
)
def test_a_method_that_a_path_does_not_take_is_not_found(
    stocked: People, method: str, path: str
) -> None:
    """P5"""
    body = {"name": "Bakery", "customer_id": "dan"}
    with nothing_changes(stocked.world):
        for operator in (False, True):
            answer = stocked.world.request(method, path, body=body, operator=operator)
            refused(answer, 404, "not_found")


@pytest.mark.parametrize(
    "media_type",
    [
        "text/plain",
        "text/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonp",
        "application/problem+json",
        "application/xml; charset=application/json",
        "application/json-patch+json",
    ],
)
def test_a_body_of_another_content_type_is_refused(stocked: People, media_type: str) -> None:
    """P5"""
    headers = {"content-type": media_type}
    body = {"customer_id": "dan"}
    with nothing_changes(stocked.world):
        path = f"{stocked.path}/entries"
        answer = stocked.world.request("POST", path, body=body, headers=headers)
        refused(answer, 415, "unsupported_media_type")
        answer = stocked.world.request(
            "PUT", stocked.admin_path, body={"name": "x"}, headers=headers, operator=True
        )
        refused(answer, 415, "unsupported_media_type")
        assert (answer.headers["accept"], "accept-patch" in answer.headers) == (
            "application/json",
            False,
        )


@pytest.mark.parametrize(
    "media_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
def test_a_request_without_a_body_lacks_it_whatever_its_type(
    people: People, media_type: str
) -> None:
    """Powertools treats a form without fields as a body, but the service must answer that the body
    is missing.
    """
    for method in ("PATCH", "PUT"):
        headers = {"content-type": media_type}
        answer = people.world.request(method, people.admin_path, headers=headers, operator=True)
        assert answer.json["errors"] == [{"field": "body", "message": "is required"}]


def test_a_merge_patch_is_taken_only_where_it_merges(stocked: People) -> None:
    headers = {"content-type": "application/merge-patch+json"}
    path = stocked.admin_path
    assert (
        stocked.world.request("PATCH", path, body={}, headers=headers, operator=True).status == 200
    )
    with nothing_changes(stocked.world):
        path, body = stocked.admin_entry("ada"), {"profile": {"phone": None}}
        answer = stocked.world.request("PATCH", path, body=body, headers=headers, operator=True)
        refused(answer, 415, "unsupported_media_type")
        assert answer.headers["accept-patch"] == "application/json"


def test_a_patch_of_another_type_is_answered_with_those_that_are_taken(stocked: People) -> None:
    """If the body of a PATCH request has the wrong content type, the response must name the
    accepted types (RFC 5789, section 2.2).
    """
    headers = {"content-type": "application/json-patch+json"}
    path = stocked.admin_path
    answer = stocked.world.request("PATCH", path, body=[], headers=headers, operator=True)
    refused(answer, 415, "unsupported_media_type")
    taken = "application/json, application/merge-patch+json"
    assert (answer.headers["accept"], answer.headers["accept-patch"]) == (taken, taken)
    assert "application/json or application/merge-patch+json" in answer.json["detail"]


@pytest.mark.parametrize("media_type", ["text/plain", "application/json", ""])
def test_a_body_that_no_route_asks_for_is_not_looked_at(stocked: People, media_type: str) -> None:
    """A route that needs no body ignores any body.

    An error would be wrong here, because the OpenAPI document lists no such error for these routes.
    """
    headers = {"content-type": media_type}
    for method in ("GET", "DELETE"):
        path = stocked.entry("ada")
        token = stocked.token_of("ada")
        answer = stocked.world.request(method, path, raw_body="{", headers=headers, token=token)
        assert answer.status == {"GET": 200, "DELETE": 204}[method]


@pytest.mark.parametrize(
    "media_type", ["application/json; charset=utf-8", "APPLICATION/JSON", " Application/Json"]
)
def test_json_is_taken_by_its_name(people: People, media_type: str) -> None:
    answer = people.world.request(
        "POST",
        f"{people.path}/entries",
        body={"customer_id": "dan"},
        headers={"content-type": media_type},
    )
    assert answer.status == 201


def test_the_name_of_a_header_is_read_in_any_case(people: People) -> None:
    """The service must accept header names in upper or lower case, because `sam local start-api`
    does not convert them to lower case.
    """
    sent = event(
        "POST",
        f"{people.path}/entries",
        {"Content-Type": "application/json"},
        '{"customer_id": "d"}',
    )
    assert people.world.api.handle(sent, Context())["statusCode"] == 201


def test_only_an_operator_may_leave_out_the_content_type(stocked: People) -> None:
    """Any web page can make a browser send a request without a content type, so the service refuses
    such requests from customers (promise P5).
    """
    headers = {"content-type": ""}
    with nothing_changes(stocked.world):
        answer = stocked.world.request(
            "POST", f"{stocked.path}/entries", body={"customer_id": "dan"}, headers=headers
        )
        refused(answer, 415, "unsupported_media_type")
    answer = stocked.world.request(
        "PUT", stocked.admin_path, body={"name": "x"}, headers=headers, operator=True
    )
    assert answer.status == 200


LISTS = [
    "/v1/admin/waitlists",
    "/v1/admin/waitlists/bakery/entries",
    "/v1/admin/waitlists/bakery/segments",
]
QUERIES = {
    **{f"limit={limit}": "query.limit" for limit in (0, -1, 101, 2**70, "x", 1.5, "1e1", "٣")},
    **{f"limit={limit}": "query.limit" for limit in ("1_0", "%2B5", "5.0", "+5", "5%20", "5%0A")},
    "cursor=zz": "query.cursor",
    "cursor=%25%25%25": "query.cursor",
    "cursor=%C3%A4": "query.cursor",
    f"cursor={'a' * 513}": "query.cursor",
}
# A cursor is base64-encoded JSON. None of these texts is the content of a valid cursor.
CONTENTS = [
    "true",
    str(MIN_RANK - 1),
    "null",
    "1.5",
    "[]",
    "{}",
    "NaN",
    "1e999",
    "",
    "{",
    '""',
    "9" * 60,
]


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize("query", QUERIES, ids=ascii)
def test_a_wrong_query_is_named(stocked: People, path: str, query: str) -> None:
    """P5"""
    with nothing_changes(stocked.world):
        answer = stocked.world.request("GET", path, operator=True, query=query)
        refused(answer, 422, "invalid_request", QUERIES[query])


@pytest.mark.parametrize("first", ["1_0", "%2B5", "5.0", "+5", "1e0", "٣"])
def test_a_position_is_written_in_digits_alone(stocked: People, first: str) -> None:
    """P5"""
    refused(stocked.page(f"first={first}"), 422, "invalid_request", "query.first")


def cursor_of(content: str) -> str:
    return base64.urlsafe_b64encode(content.encode()).decode().rstrip("=")


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize("content", [*CONTENTS, "[" * 300], ids=lambda one: one[:10] or "empty")
def test_a_made_up_cursor_is_named(stocked: People, path: str, content: str) -> None:
    """P5"""
    query = f"cursor={cursor_of(content)}x" if not content else f"cursor={cursor_of(content)}"
    with nothing_changes(stocked.world):
        answer = stocked.world.request("GET", path, operator=True, query=query)
        refused(answer, 422, "invalid_request", "query.cursor")


@pytest.mark.parametrize(
    ("path", "content"),
    [
        (LISTS[1], json.dumps("bakery")),
        (LISTS[1], str(2**53)),
        (LISTS[0], "5"),
        (LISTS[0], '"Not An Id"'),
        (LISTS[0], '"\\ud800"'),
        (LISTS[0], '"bakery\\n"'),
        (LISTS[2], "5"),
        (LISTS[2], '"bakery"'),
        (LISTS[2], json.dumps("a" * 17)),
        (LISTS[2], json.dumps("A" * 16)),
        (LISTS[2], json.dumps("a" * 16 + "\n")),
    ],
)
def test_a_cursor_of_another_list_is_named(stocked: People, path: str, content: str) -> None:
    """P5"""
    with nothing_changes(stocked.world):
        query = f"cursor={cursor_of(content)}"
        answer = stocked.world.request("GET", path, operator=True, query=query)
        refused(answer, 422, "invalid_request", "query.cursor")


@pytest.mark.parametrize("content", ["5", '["x"]', '[1, "x"]', "[]"])
def test_a_cursor_is_valid_only_for_its_own_status(stocked: People, content: str) -> None:
    """P5"""
    for status in ("offered", "parked"):
        answer = stocked.page(f"status={status}&cursor={cursor_of(content)}")
        refused(answer, 422, "invalid_request", "query.cursor")


def test_a_status_that_cannot_be_listed_is_named(stocked: People) -> None:
    """P5"""
    with nothing_changes(stocked.world):
        refused(stocked.page("status=joining"), 422, "invalid_request", "query.status")
