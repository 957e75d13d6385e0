"""A search finds people even if names and telephone numbers are written differently."""

import pytest

from waitlist_cli.operations.spellings import Wanted


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("zoe", "Zoë"),
        ("ZOË", "zoe\u0308 Smith"),
        ("strasse 5", "Hauptstraße 5"),
        ("lodz", "Łódź"),
        ("istanbul", "İSTANBUL"),
        ("mueller", "Müller"),
        ("müller", "Joe Mueller"),
        ("muller", "Mu\u0308ller"),
        ("soren", "Søren"),
        ("0151", "+4915123456789"),
        ("+49151", "0151 2345 6789"),
        ("+49 (0)151", "+4915123456789"),
        ("0049151", "0151/23456789"),
        ("+3906", "06 6982"),
        ("+1 212", "+12125550123"),
        ("+353 85", "085 123 4567"),
        ("234567", "+49 151 2345 6789"),
        ("49151", "+4915123456789"),
        ("0151", "House 0151"),
    ],
)
def test_another_spelling_is_found(typed: str, value: str) -> None:
    assert Wanted(typed).is_in(value)


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("zoe", "Zora"),
        ("0151", "+49 30 0151 4"),
        ("+49151", "+43151234567"),
        ("0152", "+4915123456789"),
    ],
)
def test_another_name_or_number_is_not_found(typed: str, value: str) -> None:
    assert not Wanted(typed).is_in(value)


@pytest.mark.parametrize("typed", ["A001", "a001", "a 001", "A-001", "a1", "001", " 1"])
def test_a_call_number_is_known_in_every_spelling(typed: str) -> None:
    wanted = Wanted(typed)
    numbers = ("A001", "A010", "A011", "A101", "B002", "", None)
    assert [*map(wanted.is_call_number, numbers)] == [True, *[False] * 6]


@pytest.mark.parametrize("typed", ["B001", "A 0010", "0001", "A", "0", "Ada 1", "-"])
def test_another_text_is_not_this_call_number(typed: str) -> None:
    assert not Wanted(typed).is_call_number("A001")


def test_only_a_number_with_the_same_letters_is_another_call_number() -> None:
    numbers = ("A043", "A42", "B043", "043", "Ada")
    assert [Wanted(one).is_other_number("A042") for one in numbers] == [True, *[False] * 4]
    # Digits alone can be part of a telephone number.
    assert not Wanted("043").is_other_number("042")
