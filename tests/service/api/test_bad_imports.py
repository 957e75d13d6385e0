"""Tests for invalid imports. If the request is malformed, the service imports nobody. If only some
rows are invalid, it refuses only these rows (promise P5).
"""

import json
from typing import Any

import pytest

from tests.service.api.refusing import nothing_changes, refused
from tests.support.gateway import Answer
from tests.support.people import People
from waitlist_api.http.json_body import MAX_BODY_BYTES
from waitlist_api.http.schemas.imports import MAX_IMPORT_BYTES

HALF = "\\ud800"
NEW = '"customer_id": "dan"'
# Invalid bodies, each with the field that the error names.
WRONG: list[tuple[Any, str]] = [
    ([], "body"),
    (5, "body"),
    (None, "body"),
    ({}, "body.entries"),
    ({"entries": None}, "body.entries"),
    ({"entries": {}}, "body.entries"),
    ({"entries": "dan"}, "body.entries"),
    ({"entries": []}, "body.entries"),
    ({"entries": [{"customer_id": f"c{number}"} for number in range(501)]}, "body.entries"),
    ({"entries": [{"customer_id": "dan"}], "open": True}, "body.open"),
]
NO_JSON = {
    "cut off": '{"entries": [',
    "not a number": f'{{"entries": [{{{NEW}, "priority": NaN}}]}}',
    "integer of 5,000 digits": f'{{"entries": [{{{NEW}, "priority": {"9" * 5000}}}]}}',
    "a name twice in a row": f'{{"entries": [{{"customer_id": "eve"}}, {{{NEW}, {NEW}}}]}}',
    "rows twice": '{"entries": [{"customer_id": "eve"}], "entries": [{"customer_id": "dan"}]}',
    "100,000 brackets": "[" * 100_000,
}
# Invalid rows in JSON, each with its error code.
BAD_ROWS: dict[str, tuple[str, str]] = {
    "33 levels": (f'{{{NEW}, "profile": {{"a": {"[" * 31}{"]" * 31}}}}}', "invalid_request"),
    "300 levels": (f'{{{NEW}, "profile": {{"a": {"[" * 300}{"]" * 300}}}}}', "invalid_request"),
    "half a character": (f'{{{NEW}, "profile": {{"a": "{HALF}"}}}}', "invalid_request"),
    "half a character in the id": (f'{{"customer_id": "{HALF}"}}', "invalid_request"),
    "half a character in a name": (f'{{{NEW}, "{HALF}": 1}}', "invalid_request"),
    "17 KB": (f'{{{NEW}, "attributes": {{"a": "{"x" * 17_000}"}}}}', "too_large"),
    "8,193 bytes": (f'{{{NEW}, "profile": {{"a": "{"x" * 8_184}"}}}}', "invalid_request"),
    "a C1 control": (f'{{{NEW}, "attributes": {{"a": "\\u009b2J"}}}}', "invalid_request"),
    "a bidirectional control": (f'{{{NEW}, "attributes": {{"a": ["\u202e"]}}}}', "invalid_request"),
    "a list": ("[]", "invalid_request"),
    "text": ('"dan"', "invalid_request"),
    "no customer": ('{"profile": {}}', "invalid_request"),
}
NO_TIMES: list[Any] = [
    *[5, 1.5, True, [], {}, "", "now", "2021", "2021-05-01", "2021-05-01T12:00:00", 1619870400],
    *["2021-05-01 12:00:00Z", "2021-05-01T12:00Z", "2021-05-01T12:00:00+02:00"],
    *["2021-02-30T12:00:00Z", "2021-05-01T25:00:00Z", "2021-05-01T12:00:00z", "20210501T120000Z"],
    *["2021-05-01T12:00:00Z\n", " 2021-05-01T12:00:00Z", "2021-05-01T12:00:00.1234567Z"],
    *[
        "٢٠٢١-05-01T12:00:00Z",
        "0000-05-01T12:00:00Z",
        "+2021-05-01T12:00:00Z",
        "2021-05-01T12:00:60Z",
    ],
]
NO_PRIORITIES: list[Any] = [256, -1, "1", 1.5, True, None, []]


def send(people: People, body: str) -> Answer:
    path = f"{people.admin_path}/import"
    return people.world.request("POST", path, raw_body=body, operator=True)


def only(answer: Answer) -> Any:
    assert (answer.status, answer.json["refused"]) == (200, 1), answer.text
    (result,) = answer.json["results"]
    assert result["outcome"] == "refused"
    assert result["detail"]
    return result


@pytest.mark.parametrize(("body", "field"), WRONG, ids=lambda one: ascii(one)[:40])
def test_a_wrong_body_is_refused_whole(stocked: People, body: Any, field: str) -> None:
    with nothing_changes(stocked.world):
        refused(send(stocked, json.dumps(body)), 422, "invalid_request", field)


@pytest.mark.parametrize("body", NO_JSON.values(), ids=NO_JSON)
def test_a_body_that_is_not_json_is_refused_whole(stocked: People, body: str) -> None:
    with nothing_changes(stocked.world):
        refused(send(stocked, body), 400, "invalid_json")


@pytest.mark.parametrize(("row", "code"), BAD_ROWS.values(), ids=BAD_ROWS)
def test_a_bad_row_changes_nothing(stocked: People, row: str, code: str) -> None:
    with nothing_changes(stocked.world):
        result = only(send(stocked, f'{{"entries": [{row}]}}'))
    assert (result["code"], result["entry_id"]) == (code, None)


@pytest.mark.parametrize("time", NO_TIMES, ids=lambda one: ascii(one)[:40])
def test_a_time_is_in_utc_and_whole(stocked: People, time: Any) -> None:
    body = {"entries": [{"customer_id": "dan", "joined_at": time}]}
    with nothing_changes(stocked.world):
        result = only(send(stocked, json.dumps(body)))
    assert [one["field"] for one in result["errors"]] == ["body.joined_at"]


@pytest.mark.parametrize("priority", NO_PRIORITIES, ids=repr)
def test_a_priority_is_a_number_up_to_255(stocked: People, priority: Any) -> None:
    body = {"entries": [{"customer_id": "dan", "priority": priority}]}
    with nothing_changes(stocked.world):
        result = only(send(stocked, json.dumps(body)))
    assert [one["field"] for one in result["errors"]] == ["body.priority"]


def test_a_row_of_the_limit_is_read(people: People) -> None:
    """A row of an import may be as large as the body of a signup (promise P9)."""
    row = {"customer_id": "dan", "attributes": {"a": ["x" * 60] * 16}}
    assert len(json.dumps(row)) < MAX_BODY_BYTES
    assert people.bring(row).json["joined"] == 1


def test_two_megabytes_are_read_and_a_byte_more_is_not(people: People) -> None:
    """P9"""
    body = json.dumps({"entries": [{"customer_id": "dan"}]})
    body += " " * (MAX_IMPORT_BYTES - len(body))
    refused(send(people, body + " "), 413, "too_large")
    assert people.person("dan").status == 404
    assert send(people, body).json["joined"] == 1


def test_there_is_no_import_into_no_list(stocked: People) -> None:
    path = "/v1/admin/waitlists/nobodys/import"
    body = {"entries": [{"customer_id": "dan"}]}
    with nothing_changes(stocked.world):
        answer = stocked.world.request("POST", path, body=body, operator=True)
        refused(answer, 404, "waitlist_not_found")


def test_a_customer_may_not_import(stocked: People) -> None:
    body = {"entries": [{"customer_id": "dan"}]}
    with nothing_changes(stocked.world):
        path = f"{stocked.admin_path}/import"
        token = stocked.token_of("ada")
        refused(stocked.world.request("POST", path, body=body, token=token), 401, "unauthorized")


def test_other_routes_have_the_limits_that_they_had(stocked: People) -> None:
    """The larger limits of an import do not apply to later requests in the same process (promise
    P9).
    """
    send(stocked, '{"entries": [5]}')
    deep = f'{{"customer_id": "dan", "profile": {{"a": {"[" * 31}{"]" * 31}}}}}'
    with nothing_changes(stocked.world):
        path = f"{stocked.path}/entries"
        answer = stocked.world.request("POST", path, raw_body=deep)
        refused(answer, 400, "invalid_json")


def test_a_row_must_have_the_address_that_the_page_asks_for(people: People) -> None:
    questions = [
        {"name": "mobile", "label": "Mobile", "type": "tel"},
        {"name": "mail", "label": "Mail", "type": "email"},
        {"name": "note", "label": "Note", "required": True},
    ]
    people.configure(page={"fields": questions})
    answers = {
        "dan": {"mobile": "hello"},
        "eve": {"mobile": "0151 2345678", "mail": "eve@example.com"},
        "fay": {"mail": "fay"},
        "gus": {"mobile": "", "internal": "hello"},
    }
    rows: list[dict[str, Any]] = [
        {"customer_id": name, "profile": profile} for name, profile in answers.items()
    ]
    # A row with a ban is accepted even though its profile is invalid.
    rows.append({"customer_id": "hal", "profile": {"mobile": "hello"}, "banned": True})
    for options in ({"dry_run": True}, {}):
        answer = people.bring(*rows, **options)
        outcomes = [one["outcome"] for one in answer.json["results"]]
        assert outcomes == ["refused", "joined", "refused", "joined", "banned"]
        wrong, _, other, *_ = answer.json["results"]
        assert [wrong["errors"][0]["field"], other["errors"][0]["field"]] == [
            "body.profile.mobile",
            "body.profile.mail",
        ]
        assert "must be a telephone number" in wrong["errors"][0]["message"]
    assert people.order()[-2:] == ["eve", "gus"]
