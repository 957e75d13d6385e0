"""Tests for invalid signups. The error names the invalid field, nothing is stored, and no ticket
number is used (promise P5).
"""

import base64
import json
from typing import Any

import pytest

from tests.service.api.refusing import nothing_changes, refused, send_base64
from tests.support.people import People

NEW = "dan"
HALF = "\\ud800"
DEEP = 100_000


def with_profile(text: str) -> str:
    return f'{{"customer_id": "{NEW}", "profile": {{"a": {text}}}}}'


NO_JSON = {
    "cut off": '{"customer_id": "dan"',
    "text": "customer_id=dan",
    "two documents": '{"customer_id": "dan"} {}',
    "single quotes": "{'customer_id': 'dan'}",
    "byte order mark": '\ufeff{"customer_id": "dan"}',
    "raw control character": '{"customer_id": "d\x00n"}',
    "not a number": with_profile("NaN"),
    "infinity": with_profile("-Infinity"),
    "larger than any double": with_profile("1e999"),
    "integer of 5,000 digits": with_profile("9" * 5000),
    "half a character in a value": with_profile(f'"{HALF}"'),
    "half a character in a name": with_profile(f'{{"{HALF}": 1}}'),
    "half a character in the id": f'{{"customer_id": "{HALF}"}}',
    "half a character unescaped": '{"customer_id": "\ud800"}',
    "a name twice": '{"customer_id": "dan", "customer_id": "dan"}',
    "a name twice, once escaped": '{"customer_id": "dan", "custome\\u0072_id": "eve"}',
    "a name twice, deeper": with_profile('[{"b": {"c": 1, "d": 2, "c": 1}}]'),
    "an attribute twice": '{"customer_id": "dan", "attributes": {"a": "x", "a": ["y"]}}',
    "a long name twice": with_profile(f'{{"{"x" * 4000}": 1, "{"x" * 4000}": 2}}'),
    "33 levels": with_profile("[" * 31 + "]" * 31),
    "7,000 levels": with_profile("[" * 7000 + "]" * 7000),
    "7,000 brackets": "[" * 7000,
}
TOO_LARGE = {
    "a megabyte": json.dumps({"customer_id": NEW, "profile": {"a": "x" * 2**20}}),
    "100,000 brackets": "[" * DEEP,
    "100,000 levels": with_profile("[" * DEEP + "]" * DEEP),
    "17 KB of blanks": '{"customer_id": "dan"}' + " " * 17_000,
    "17 KB in characters of four bytes": json.dumps(
        {"customer_id": NEW, "profile": {"a": "😀" * 4300}}, ensure_ascii=False
    ),
}
ID, PROFILE, ATTRIBUTES = "body.customer_id", "body.profile", "body.attributes"
WRONG_IDS: list[Any] = [
    *[5, None, True, 1.5, [], ["dan"], {}, "", "a" * 257, "a" * 300],
    *["dan\n", "\ndan", "d an", "d\x00n", "d\x7fn", "dän", "☕", "dan\u2028", " "],
]
NO_OBJECTS: list[Any] = [[], "x", None, 5, True]
MANY = {f"a{number}": "x" for number in range(17)}
# Invalid signups, each with the field that the error names.
WRONG: list[tuple[Any, str]] = [
    *[(body, "body") for body in NO_OBJECTS],
    ({}, ID),
    *[({"customer_id": value}, ID) for value in WRONG_IDS],
    *[({"customer_id": NEW, "profile": value}, PROFILE) for value in NO_OBJECTS],
    *[({"customer_id": NEW, "attributes": value}, ATTRIBUTES) for value in (*NO_OBJECTS, MANY)],
    ({"customer_id": NEW, "profile": {"a": "x" * 10_240}}, PROFILE),
    ({"customer_id": NEW, "profile": {"a": "x" * 8184}}, PROFILE),
    ({"customer_id": NEW, "priority": 9}, "body.priority"),
    ({"customer_id": NEW, "status": "admitted"}, "body.status"),
    ({"customer_id": NEW, "entry_id": "a" * 26}, "body.entry_id"),
]
# An attribute can be a list. If a value in the list is invalid, the error names the attribute.
WRONG_ATTRIBUTES: dict[str, Any] = {
    "number": {"language": 5},
    "null": {"language": None},
    "nothing": {"language": ""},
    "no values": {"language": []},
    "17 values": {"language": ["x"] * 17},
    "65 characters": {"language": "x" * 65},
    "a line feed": {"language": "English\n"},
    "a control character": {"language": ["English", "\x7f"]},
    "a C1 control character": {"language": "\x9b2J"},
    "a bidirectional control character": {"language": ["English", "\u202eEnglish"]},
    "a line separator": {"language": "English\u2028"},
    "nested": {"language": [["English"]]},
    "object": {"language": {"first": "English"}},
}
WRONG_NAMES = ["Language", "", "1st", "a-b", "a" * 33, "language\n", "ä", "a b"]


def send(people: People, body: str) -> Any:
    return people.world.request("POST", f"{people.path}/entries", raw_body=body, key="k" * 16)


@pytest.mark.parametrize("body", NO_JSON.values(), ids=NO_JSON)
def test_a_body_that_is_not_json_is_refused_as_such(stocked: People, body: str) -> None:
    """P5"""
    with nothing_changes(stocked.world):
        refused(send(stocked, body), 400, "invalid_json")


@pytest.mark.parametrize("body", TOO_LARGE.values(), ids=TOO_LARGE)
def test_a_body_over_the_limit_is_too_large(stocked: People, body: str) -> None:
    """P5 P9"""
    encoded = base64.b64encode(body.encode()).decode()
    with nothing_changes(stocked.world):
        refused(send(stocked, body), 413, "too_large")
        answer = send_base64(stocked.world, f"{stocked.path}/entries", encoded)
        refused(answer, 413, "too_large")


@pytest.mark.parametrize(("body", "field"), WRONG, ids=lambda one: ascii(one)[:40])
def test_a_wrong_field_is_named(stocked: People, body: Any, field: str) -> None:
    """P5"""
    with nothing_changes(stocked.world):
        refused(send(stocked, json.dumps(body)), 422, "invalid_request", field)


@pytest.mark.parametrize("attributes", WRONG_ATTRIBUTES.values(), ids=WRONG_ATTRIBUTES)
def test_a_wrong_attribute_is_named(stocked: People, attributes: Any) -> None:
    """P5"""
    body = json.dumps({"customer_id": NEW, "attributes": attributes})
    with nothing_changes(stocked.world):
        answer = send(stocked, body)
    assert (answer.status, answer.code) == (422, "invalid_request")
    fields = [one["field"] for one in answer.json["errors"]]
    assert fields
    assert all(field.startswith(f"{ATTRIBUTES}.language") for field in fields)


@pytest.mark.parametrize("name", WRONG_NAMES, ids=ascii)
def test_a_wrong_attributes_name_is_named(stocked: People, name: str) -> None:
    """P5"""
    body = json.dumps({"customer_id": NEW, "attributes": {name: "x"}})
    with nothing_changes(stocked.world):
        answer = send(stocked, body)
        refused(answer, 422, "invalid_request", f"{ATTRIBUTES}.{name}")


def test_several_wrong_fields_are_all_named(stocked: People) -> None:
    """P5"""
    body = json.dumps({"customer_id": 5, "profile": [], "priority": 1})
    with nothing_changes(stocked.world):
        answer = send(stocked, body)
        refused(answer, 422, "invalid_request", ID, PROFILE, "body.priority")


def test_a_refusal_repeats_no_value_that_was_sent(stocked: People) -> None:
    """The error does not contain the refused value, which may be a customer's name (promise P8)."""
    secret = "Ada Lovelace of London"
    body = {"customer_id": secret, "profile": secret, "attributes": {"name": [secret + "\n"]}}
    answer = send(stocked, json.dumps(body))
    assert answer.status == 422
    assert secret not in answer.text


@pytest.mark.parametrize(
    "body",
    ["abc", base64.b64encode(b'{"customer_id": "\xff"}').decode()],
    ids=["no base64", "no utf-8"],
)
def test_a_body_that_cannot_be_decoded_is_not_json(stocked: People, body: str) -> None:
    """P5"""
    with nothing_changes(stocked.world):
        answer = send_base64(stocked.world, f"{stocked.path}/entries", body)
        refused(answer, 400, "invalid_json")


def test_utf_16_is_not_json(stocked: People) -> None:
    """P5"""
    body = base64.b64encode('{"customer_id": "dan"}'.encode("utf-16")).decode()
    with nothing_changes(stocked.world):
        answer = send_base64(stocked.world, f"{stocked.path}/entries", body)
        refused(answer, 400, "invalid_json")


@pytest.mark.parametrize("body", [None, "", "null"])
def test_a_missing_body_is_named(stocked: People, body: str | None) -> None:
    """P5"""
    path = f"{stocked.path}/entries"
    with nothing_changes(stocked.world):
        answer = stocked.world.request("POST", path, raw_body=body)
        refused(answer, 422, "invalid_request", "body")


@pytest.mark.parametrize("key", ["", "a b", "a\n", "é", "☕", "a" * 256, "\x00"], ids=ascii)
def test_a_wrong_idempotency_key_is_named(stocked: People, key: str) -> None:
    """P5"""
    with nothing_changes(stocked.world):
        answer = stocked.sign_up(NEW, key=key)
        refused(answer, 422, "invalid_request", "header.idempotency-key")


def test_refused_signups_use_no_ticket_numbers(stocked: People) -> None:
    """P5"""
    assert stocked.stats().json["signed_up"] == 3
    assert stocked.order() == ["ada", "bob", "cyd"]
