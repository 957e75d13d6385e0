"""Responses are small: at most 8 KB for a refused request, and at most 1 MB for an import (promise
P9).
"""

import json
from typing import Any

import pytest

from tests.service.api.refusing import nothing_changes
from tests.support.dynamodb import TABLE
from tests.support.gateway import Answer
from tests.support.people import People
from tests.support.tables import items_of
from waitlist_api.errors import (
    MAX_ERRORS,
    MAX_FIELD_BYTES,
    MAX_MESSAGE_BYTES,
    MAX_ROW_ERRORS,
    FieldError,
    InvalidFields,
    cut,
)
from waitlist_api.http.errors import problem
from waitlist_api.http.json_body import MAX_BODY_BYTES
from waitlist_api.http.schemas.attributes import MAX_PROFILE_BYTES
from waitlist_api.http.schemas.imports import MAX_IMPORT_BYTES
from waitlist_shared.errors import InvalidRequest

MAX_REFUSAL_BYTES = 8 * 1024
MAX_IMPORT_ANSWER_BYTES = 1_000_000
# Characters, some of which take more bytes in a response than in a request.
LETTERS = {
    "ascii": "a",
    "umlaut": "ä",
    "emoji": "😀",
    "quote": '"',
    "control": "\x01",
    "C1": "\x9b",
}


def filled(body: dict[str, Any], within: dict[str, Any], name: str, value: Any, size: int) -> str:
    """Add numbered fields to `within`, an object in the body, until the body is almost `size` bytes
    long. Return the body as JSON.
    """
    room = size - len(as_json(body))
    number = 0
    while room > 0:
        number += 1
        within[f"{name}{number}"] = value
        room -= len(as_json({f"{name}{number}": value}))
    within.popitem()
    return as_json(body).decode()


def as_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def bodies(letter: str) -> dict[str, str]:
    """Return invalid 16 KB signups, each with as many mistakes as possible."""
    whole: dict[str, Any] = {"customer_id": "dan"}
    attributes: dict[str, Any] = {}
    with_attributes = {"customer_id": "dan", "attributes": attributes}
    few = {f"a{number}": [0] * 16 for number in range(16)}
    return {
        "unknown fields": filled(whole, whole, letter, 0, MAX_BODY_BYTES),
        "long unknown fields": long_names(letter),
        "one long field": as_json({letter * (2700 if letter < " " else 4000): 0}).decode(),
        "attributes": filled(with_attributes, attributes, letter, 0, MAX_BODY_BYTES),
        "values": json.dumps({"customer_id": "dan", "attributes": few}),
        "long values": as_json({"customer_id": letter * 1300, "profile": letter * 1300}).decode(),
        "deep": f'{{"customer_id": {"[" * 31}{"]" * 31}, {json.dumps(letter)}: 0}}',
    }


def long_names(letter: str) -> str:
    body: dict[str, Any] = {}
    return filled(body, body, letter * 60, 0, MAX_BODY_BYTES)


@pytest.mark.parametrize("waitlist_id", ["bakery", "nowhere"])
@pytest.mark.parametrize("letter", LETTERS.values(), ids=LETTERS)
def test_a_refused_signup_gets_a_small_response(
    stocked: People, letter: str, waitlist_id: str
) -> None:
    """Anybody can send a signup full of mistakes, so the refusal must be small, even if the
    waitlist does not exist (promise P5).
    """
    for name, body in bodies(letter).items():
        with nothing_changes(stocked.world):
            answer = stocked.world.request(
                "POST", f"/v1/waitlists/{waitlist_id}/entries", raw_body=body
            )
        assert answer.status == 422, (name, answer.text[:500])
        assert len(answer.text.encode()) <= MAX_REFUSAL_BYTES, name
        assert 1 <= len(answer.json["errors"]) <= MAX_ERRORS


def test_a_refusal_names_the_first_errors_and_counts_the_others(stocked: People) -> None:
    body = {"customer_id": "dan", **{f"a{number}": 0 for number in range(100)}}
    answer = stocked.world.request("POST", f"{stocked.path}/entries", body=body)
    assert [one["field"] for one in answer.json["errors"]] == [f"body.a{n}" for n in range(20)]
    assert answer.json["detail"].endswith("; and 80 more")


@pytest.mark.parametrize("letter", LETTERS.values(), ids=LETTERS)
def test_the_largest_refusal_that_can_be_is_within_the_limit(letter: str) -> None:
    wrong = FieldError(letter * 1000, letter * 1000)
    answer = problem(InvalidFields(*[wrong] * 1000))
    assert len(str(answer.body).encode()) <= MAX_REFUSAL_BYTES
    assert len(str(problem(InvalidRequest(letter * 10_000)).body)) <= MAX_REFUSAL_BYTES


@pytest.mark.parametrize("letter", [*LETTERS.values(), "\ud800"], ids=ascii)
@pytest.mark.parametrize("limit", [MAX_FIELD_BYTES, MAX_MESSAGE_BYTES])
def test_text_is_cut_by_its_bytes_as_json(letter: str, limit: int) -> None:
    for length in (0, 1, limit // 12, limit, 16_000):
        text = letter * length
        short = cut(text, limit)
        assert len(json.dumps(short)) - 2 <= limit
        assert short == text or (short.endswith("…") and text.startswith(short[:-1]))
        if len(json.dumps(text)) - 2 <= limit:
            assert short == text


def imported(people: People, body: str) -> Answer:
    assert len(body.encode()) <= MAX_IMPORT_BYTES
    path = f"{people.admin_path}/import"
    return people.world.request("POST", path, raw_body=body, operator=True)


WORST = {name: LETTERS[name] for name in ("umlaut", "control")}
BAD_ROWS: dict[str, dict[str, Any]] = {
    "attributes": {
        "customer_id": "dan",
        "attributes": {f"a{number}": [0] * 16 for number in range(16)},
    },
    # These characters grow the most in bytes from the request to the response.
    **{
        f"unknown fields, {name}": {letter * 30 + str(number): 0 for number in range(20)}
        for name, letter in WORST.items()
    },
    **{
        f"names of attributes, {name}": {
            "customer_id": "dan",
            "attributes": {letter * 33 + str(number): "x" for number in range(16)},
        }
        for name, letter in WORST.items()
    },
}


@pytest.mark.parametrize("row", BAD_ROWS.values(), ids=BAD_ROWS)
def test_an_import_of_bad_rows_is_answered_in_one_megabyte(
    stocked: People, row: dict[str, Any]
) -> None:
    with nothing_changes(stocked.world):
        answer = imported(stocked, as_json({"entries": [row] * 500}).decode())
    assert (answer.status, answer.json["refused"]) == (200, 500)
    assert len(answer.text.encode()) <= MAX_IMPORT_ANSWER_BYTES
    assert all(1 <= len(one["errors"]) <= MAX_ROW_ERRORS for one in answer.json["results"])


LAMBDA_BYTES = 6 * 1024 * 1024


def largest_person(letter: str) -> dict[str, Any]:
    """Return the largest possible profile and attributes.

    An edit may contain at most 16 KB of each.
    """
    text = "" if letter.isascii() else letter
    profile = {"note": letter * ((MAX_PROFILE_BYTES - 12) // (len(as_json(letter)) - 2))}
    attributes: dict[str, list[str]] = {}
    while True:
        more = [f"{(text or letter) * 61}{value:03}" for value in range(16)]
        if len(as_json({"attributes": {**attributes, f"a{len(attributes)}": more}})) > 16_000:
            return {"profile": profile, "attributes": attributes}
        attributes[f"a{len(attributes)}"] = more


def all_become_like(people: People, name: str, *fields: str) -> None:
    table, entry_id = people.world.dynamodb, people.id_of(name)
    recorded = [item for item in items_of(table) if "customer_id" in item]
    (first,) = [item for item in recorded if item["entry_id"]["S"] == entry_id]
    for item in recorded:
        table.put_item(TableName=TABLE, Item={**item, **{field: first[field] for field in fields}})


@pytest.mark.parametrize("letter", ["я", "漢", "😀", "\\", '"'], ids=ascii)
def test_lambda_can_return_a_hundred_of_the_largest_people(people: People, letter: str) -> None:
    """Lambda cannot return more than 6 MB. If the response to a claim were larger, people would be
    claimed without the operator learning who they are (promise P3).
    """
    rows = [{"customer_id": f"c{number}"} for number in range(100)]
    person = largest_person(letter)
    imported(people, as_json({"entries": rows}).decode())
    for name, value in person.items():
        body = as_json({name: value}).decode()
        path = people.admin_entry("c0")
        assert people.world.request("PATCH", path, raw_body=body, operator=True).status == 200
    all_become_like(people, "c0", *person)
    page = people.page("limit=100")
    claims = people.world.request(
        "POST", f"{people.admin_path}/claims", body={"count": 100}, operator=True, key="k"
    )
    assert len(page.json["entries"]) == len(claims.json["claims"]) == 100
    assert page.json["entries"][0]["profile"] == person["profile"]
    for answer in (page, claims):
        whole = json.dumps({"statusCode": 200, "body": answer.text}, ensure_ascii=False)
        assert len(whole.encode()) < LAMBDA_BYTES - 2000
