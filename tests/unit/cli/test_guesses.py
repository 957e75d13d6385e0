"""The command line guesses what a file's columns mean."""

import pytest

from waitlist_cli.imports.guesses import guess_columns, guess_customer_column, guess_time_format


@pytest.mark.parametrize(
    ("names", "customer"),
    [
        (["name", "Email Address"], "Email Address"),
        (["E-Mail", "Customer ID"], "Customer ID"),
        (["id", "email"], "id"),
        (["name", "age"], None),
    ],
)
def test_the_column_of_customer_ids_is_found_by_its_name(
    names: list[str], customer: str | None
) -> None:
    assert guess_customer_column(names) == customer


def test_a_column_of_addresses_holds_customer_ids_whatever_its_name() -> None:
    names = ["Vorname", "Kontakt"]
    assert guess_customer_column(names, [["Ada"], ["ada@example.com", None]]) == "Kontakt"
    assert guess_customer_column(names, [["Ada"], ["ada@example.com", "none"]]) is None


@pytest.mark.parametrize(
    ("values", "time_format", "other"),
    [
        (["2026-03-01T09:30:00Z"], None, None),
        (["2026-03-01 09:30"], None, None),
        (["11/24/2026 9:05:12"], "%m/%d/%Y %H:%M:%S", None),
        (["24/11/2026 9:05"], "%d/%m/%Y %H:%M", None),
        (["24.11.2026 9:05", ""], "%d.%m.%Y %H:%M", None),
        (["11/24/2026 9:05:12 PM"], "%m/%d/%Y %I:%M:%S %p", None),
        (["3/4/2026 9:05"], "%m/%d/%Y %H:%M", "%d/%m/%Y %H:%M"),
        (["28/2/2026", "1/3/2026"], "%d/%m/%Y", None),
        (["9/2/2026", "3/3/2026", "10/4/2026"], "%d/%m/%Y", "%m/%d/%Y"),
    ],
)
def test_the_format_of_times_must_fit_all_values(
    values: list[str], time_format: str | None, other: str | None
) -> None:
    found = guess_time_format(values)
    assert found
    assert (found.time_format, found.other) == (time_format, other)


@pytest.mark.parametrize("values", [[], [""], ["soon"], ["20260301"], ["2026-03-01", "x"]])
def test_values_that_are_not_times_are_not_taken_for_times(values: list[str]) -> None:
    assert guess_time_format(values) is None


def test_a_column_is_taken_for_times_only_if_its_values_are_times() -> None:
    found = guess_columns(["id", "Date", "Created"], [["1"], ["Tuesday"], ["2026-03-01T09:30Z"]])
    assert (found.customer, found.joined_at) == ("id", "Created")
    found = guess_columns(["id", "Priority", "Date"], [["1"], ["high"], ["x"]])
    assert (found.priority, found.joined_at, found.times) == (None, None, None)
