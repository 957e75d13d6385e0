"""An import turns a file's columns into the fields of the entries."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from waitlist_cli.errors import WrongUsage
from waitlist_cli.imports.columns import Columns, build_columns
from waitlist_cli.imports.invalid import InvalidRow


def columns_of(**options: Any) -> Columns:
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
    return build_columns(**usual | options)


def test_other_columns_become_the_profile_and_empty_cells_are_ignored() -> None:
    row = {"customer_id": " ada ", "name": "Ada", "city": ""}
    assert columns_of().read(row).entry == {"customer_id": "ada", "profile": {"name": "Ada"}}
    assert columns_of(keep_others=False).read(row).entry == {"customer_id": "ada"}


def test_values_in_json_are_not_split_or_converted() -> None:
    columns = columns_of(attributes=["language"], splits_values=False)
    row = {"customer_id": 7, "language": "a;b", "party": 4, "note": None}
    assert columns.read(row).entry == {
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
def test_times_are_converted_to_utc(text: str, options: dict[str, str], expected: str) -> None:
    columns = columns_of(kept_time="applied", **options)
    entry = columns.read({"customer_id": "ada", "applied": text}).entry
    assert (entry or {})["joined_at"] == expected


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"name": "Ada"}, "no customer id in customer_id"),
        ({"customer_id": ["ada"]}, "customer_id: must be a string"),
        ({"customer_id": True}, "customer_id: must be a string"),
        ({"customer_id": "ada", "vip": "high"}, "'high' is not a whole number"),
        ({"customer_id": "ada", "vip": "-1"}, "'-1' is not a whole number from 0 to 255"),
        ({"customer_id": "ada", "vip": 1.5}, "'1.5' is not a whole number from 0 to 255"),
        ({"customer_id": "ada", "vip": "9" * 5000}, "is not a whole number"),
        ({"customer_id": "ada", "applied": "soon"}, "'soon' is not a time such as"),
        ({"customer_id": "ada", "applied": "0001-01-01T00:00+23:00"}, "is not a time such as"),
        ({"customer_id": "ada", "profile": "[1]"}, "profile: must be a JSON object"),
        ({"customer_id": "ada", "profile": "[" * 100_000}, "profile: must be a JSON object"),
        ({"customer_id": "ada", "language": 1.5}, "language: must be a string"),
    ],
)
def test_a_bad_row_is_refused_with_a_reason(row: dict[str, Any], reason: str) -> None:
    """P5"""
    columns = columns_of(priority="vip", kept_time="applied", attributes=["language"])
    with pytest.raises(InvalidRow) as caught:
        columns.read(row)
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
def test_contradictory_options_for_columns_are_wrong_usage(options: dict[str, Any]) -> None:
    with pytest.raises(WrongUsage):
        columns_of(**options)


def test_a_missing_column_is_an_error_before_any_request() -> None:
    with pytest.raises(WrongUsage, match=r"The file has no column id\. It has customer, name"):
        columns_of(customer="id").check(["customer", "name"])


def test_the_error_about_a_missing_column_names_its_option() -> None:
    header = ["customer_id", "joined"]
    with pytest.raises(WrongUsage, match="--customer NAME"):
        columns_of(customer="id").check(header)
    with pytest.raises(WrongUsage, match="as they appear in the first row"):
        columns_of(kept_time="signed_up").check(header)


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("01.03.2026 09:30 UTC", "%d.%m.%Y %H:%M %Z", "2026-03-01T09:30:00Z"),
        ("01.03.2026 09:30 gmt", "%d.%m.%Y %H:%M %Z", "2026-03-01T09:30:00Z"),
        ("01.03.2026 09:30 +0100", "%d.%m.%Y %H:%M %z", "2026-03-01T08:30:00Z"),
        ("100% 01.03.2026", "100%% %d.%m.%Y", "2026-02-28T23:00:00Z"),
        ("01.03.2026 09:30 PM", "%d.%m.%Y %I:%M %p", "2026-03-01T20:30:00Z"),
    ],
)
def test_no_part_of_a_time_is_ignored(text: str, options: str, expected: str) -> None:
    """An import must use every part of a time, or refuse the time. Python's strptime alone would
    accept a time zone's name and ignore it.
    """
    columns = columns_of(kept_time="applied", zone="Europe/Berlin", time_format=options)
    entry = columns.read({"customer_id": "ada", "applied": text}).entry
    assert (entry or {})["joined_at"] == expected


@pytest.fixture
def in_chicago() -> Iterator[None]:
    """Run the test as if the computer were in Chicago, because Python accepts CST only in that time
    zone.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "America/Chicago")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("in_chicago")
@pytest.mark.parametrize("name", ["CET", "EST", "CST", "PDT"])
def test_an_ambiguous_name_of_a_time_zone_is_refused(name: str) -> None:
    """P5"""
    columns = columns_of(kept_time="applied", time_format="%d.%m.%Y %H:%M %Z")
    with pytest.raises(InvalidRow, match="%Z reads only UTC and GMT"):
        columns.read({"customer_id": "ada", "applied": f"01.03.2026 09:30 {name}"})


@pytest.mark.parametrize(
    ("time_format", "advice"),
    [("%d.%m.%Y %H:%M %p", "use %I for the hour"), ("%d.%m.%Y %I:%M", "%H")],
)
def test_a_format_that_ignores_half_of_the_day_is_wrong_usage(
    time_format: str, advice: str
) -> None:
    with pytest.raises(WrongUsage, match=advice):
        columns_of(kept_time="applied", time_format=time_format)


def test_an_ambiguous_time_means_the_earlier_time_and_is_noted() -> None:
    columns = columns_of(kept_time="applied", zone="Europe/Berlin")
    reading = columns.read({"customer_id": "ada", "applied": "2026-10-25 02:30"})
    assert (reading.entry or {})["joined_at"] == "2026-10-25T00:30:00Z"
    assert reading.notes == ("Times that occur twice in Europe/Berlin: read as the earlier time",)
    plain = columns.read({"customer_id": "ada", "applied": "2026-10-25 02:30+01:00"})
    assert ((plain.entry or {})["joined_at"], plain.notes) == ("2026-10-25T01:30:00Z", ())


def test_a_time_that_clocks_skip_is_refused() -> None:
    """P5"""
    columns = columns_of(kept_time="applied", zone="Europe/Berlin")
    with pytest.raises(InvalidRow, match="skip '2026-03-29 02:30'"):
        columns.read({"customer_id": "ada", "applied": "2026-03-29 02:30"})


BROKEN = {
    "4.9E+11": "has rounded",
    "4,91701E+11": "has rounded",
    "1.701234567e+09": "has rounded",
    "01701234567.0": "changed to a fraction",
    "1701234567,00": "changed to a fraction",
    "#N/A": "an error",
    "#NAME?": "an error",
    "########": "an error",
}


@pytest.mark.parametrize("value", BROKEN)
def test_an_id_that_a_spreadsheet_has_changed_is_refused(value: str) -> None:
    """An import refuses an id that a spreadsheet has damaged, because it could belong to another
    person or to several people (promise P5).
    """
    for row, options in (
        ({"customer_id": value}, {}),
        ({"phone": value}, {"customer": "phone", "identity": "phone"}),
        ({"customer_id": "ada", "phone": value}, {}),
        ({"customer_id": "ada", "Cell": value}, {"mapped": ["Cell=profile.phone"]}),
    ):
        with pytest.raises(InvalidRow, match=BROKEN[value]):
            columns_of(**options).read(row)


@pytest.mark.parametrize("value", ["12e5", "1.5", "7-E-11", "v1.0", "#12", "+49 170 1234567", "0"])
def test_an_id_that_only_looks_like_a_number_is_kept(value: str) -> None:
    entry = columns_of().read({"customer_id": value}).entry
    assert entry == {"customer_id": value}
    # A number that a spreadsheet has shortened is an error only in an id. Other values are imported
    # as they are.
    entry = columns_of().read({"customer_id": "ada", "income": "4.9E+11"}).entry
    assert (entry or {})["profile"] == {"income": "4.9E+11"}


def test_an_address_that_is_the_customer_id_is_also_used_for_messages() -> None:
    columns = columns_of(customer="Email Address", addresses={"Email Address": "profile.email"})
    assert columns.read({"Email Address": "ada@example.com"}).entry == {
        "customer_id": "ada@example.com",
        "profile": {"email": "ada@example.com"},
    }
