"""Which column becomes what."""

import json
from typing import Any

import pytest

from waitlist_cli.errors import WrongUsage
from waitlist_cli.imports.columns import Columns, InvalidRow, columns_of


def typed(**options: Any) -> Columns:
    usual: dict[str, Any] = {
        "customer": "customer_id",
        "priority": None,
        "kept_time": None,
        "attributes": (),
        "mapped": (),
        "keep_others": True,
        "zone": "UTC",
        "time_format": None,
        "splits_values": True,
    }
    return columns_of(**usual | options)


def test_other_columns_go_into_the_profile_and_empty_cells_nowhere() -> None:
    row = {"customer_id": " ada ", "name": "Ada", "city": ""}
    assert typed().entry(row) == {"customer_id": "ada", "profile": {"name": "Ada"}}
    assert typed(keep_others=False).entry(row) == {"customer_id": "ada"}


def test_json_keeps_its_own_values() -> None:
    columns = typed(attributes=["language"], splits_values=False)
    row = {"customer_id": 7, "language": "a;b", "party": 4, "note": None}
    assert columns.entry(row) == {
        "customer_id": "7",
        "attributes": {"language": "a;b"},
        "profile": {"party": 4},
    }


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("2026-03-01T09:30:00Z", {}, "2026-03-01T09:30:00Z"),
        ("2026-03-01 09:30:00.25+01:00", {}, "2026-03-01T08:30:00.250000Z"),
        ("2026-03-01T09:30", {}, "2026-03-01T09:30:00Z"),
        ("2026-07-01T09:30", {"zone": "Europe/Berlin"}, "2026-07-01T07:30:00Z"),
        ("01.03.2026 09:30", {"time_format": "%d.%m.%Y %H:%M"}, "2026-03-01T09:30:00Z"),
    ],
)
def test_times_are_shown_in_utc(text: str, options: dict[str, str], expected: str) -> None:
    columns = typed(kept_time="applied", **options)
    entry = columns.entry({"customer_id": "ada", "applied": text})
    assert entry["joined_at"] == expected


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"name": "Ada"}, "no customer id in customer_id"),
        ({"customer_id": ["ada"]}, "customer_id: text is needed"),
        ({"customer_id": True}, "customer_id: text is needed"),
        ({"customer_id": "ada", "vip": "high"}, "'high' is not a whole number"),
        ({"customer_id": "ada", "vip": "-1"}, "'-1' is not a whole number"),
        ({"customer_id": "ada", "vip": "9" * 5000}, "is not a whole number"),
        ({"customer_id": "ada", "applied": "soon"}, "'soon' is not a time like"),
        ({"customer_id": "ada", "applied": "0001-01-01T00:00+23:00"}, "is not a time like"),
        ({"customer_id": "ada", "profile": "[1]"}, "profile: a JSON object is needed"),
        ({"customer_id": "ada", "profile": "[" * 100_000}, "profile: a JSON object is needed"),
        ({"customer_id": "ada", "language": 1.5}, "language: text is needed"),
    ],
)
def test_a_bad_row_has_its_reason(row: dict[str, Any], reason: str) -> None:
    """P5"""
    columns = typed(priority="vip", kept_time="applied", attributes=["language"])
    with pytest.raises(InvalidRow) as caught:
        columns.entry(row)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"mapped": ["name"]},
        {"mapped": ["name=profile"]},
        {"mapped": ["name=profile."]},
        {"mapped": ["name=entry_id"]},
        {"mapped": ["customer_id=-"]},
        {"zone": "Mars/Olympus"},
        {"zone": "../etc"},
    ],
)
def test_a_mapping_that_cannot_be_meant_is_wrong_usage(options: dict[str, Any]) -> None:
    with pytest.raises(WrongUsage):
        typed(**options)


def test_a_missing_column_is_an_error_before_any_request() -> None:
    with pytest.raises(WrongUsage, match="No column id: the file has customer, name"):
        typed(customer="id").check(["customer", "name"])


def test_the_advice_is_about_the_missing_column() -> None:
    header = ["customer_id", "joined"]
    with pytest.raises(WrongUsage, match="--customer NAME"):
        typed(customer="id").check(header)
    with pytest.raises(WrongUsage, match="as the first row does"):
        typed(kept_time="signed_up").check(header)


def test_an_exported_row_can_be_imported() -> None:
    person = {"customer_id": "ada", "position": 1, "profile": {"n": 1}, "attributes": {}}
    columns = typed(keep_others=False, splits_values=False)
    entry = columns.entry(json.loads(json.dumps(person)))
    assert entry == {"customer_id": "ada", "profile": {"n": 1}}
