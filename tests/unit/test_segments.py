"""An entry's attributes determine its segments. Different segments have different ids."""

from itertools import product
from typing import Any

import pytest

from tests.support.each import each, labelled
from waitlist_api.errors import InvalidFields
from waitlist_api.records.segments import Segments
from waitlist_shared.ids import segment_id_of

BY_BOTH = ("gender", "language")
DECLARED = (BY_BOTH, ("language",))
SEGMENTS = Segments("agents", DECLARED, version=1)
# If an id were made by joining names and values, several of these segments would share an id.
TRICKS: list[dict[str, str]] = [
    {"a": "b=c"},
    {"a": "b", "c": "d"},
    {"a": "b&c=d"},
    {"a": 'b","c":"d'},
    {"a": "b#c#d"},
    {"a": "b,c"},
    {"a": "b c"},
    {"a": "b\\"},
    {"a": "b\\u003d"},
    {"a": "bc"},
    {"ab": "c"},
    {"a": '[["c","d"]]'},
    {"a": "b", "c": "d&e"},
    {"a": "b", "c": '"d"'},
]


def find_segments(attributes: dict[str, Any]) -> list[dict[str, str]]:
    return list(SEGMENTS.find(attributes).values())


def test_each_combination_of_values_is_a_segment() -> None:
    attributes: dict[str, Any] = {
        "language": ["English", "Spanish"],
        "gender": "F",
        "age": "30",
    }
    assert find_segments(attributes) == [
        {"gender": "F", "language": "English"},
        {"gender": "F", "language": "Spanish"},
        {"language": "English"},
        {"language": "Spanish"},
    ]
    assert SEGMENTS.count(attributes) == 4


def test_a_value_that_is_given_twice_counts_once() -> None:
    attributes: dict[str, Any] = {"language": ["English", "English"]}
    assert find_segments(attributes) == [{"language": "English"}]
    assert SEGMENTS.count(attributes) == 1


@pytest.mark.parametrize("attributes", [{}, {"gender": "F"}, {"age": "30"}], ids=str)
def test_an_entry_that_lacks_an_attribute_is_not_in_the_segment(attributes: Any) -> None:
    assert find_segments(attributes) == []


def test_a_claims_filter_finds_the_segment_whatever_its_order() -> None:
    (both, _) = SEGMENTS.find({"gender": "F", "language": "Spanish"})
    for segment in ({"gender": "F", "language": "Spanish"}, {"language": "Spanish", "gender": "F"}):
        assert SEGMENTS.find_id(segment, "body.filter") == both


def test_no_two_segments_have_the_same_id() -> None:
    ids = {segment_id_of("agents", segment) for segment in TRICKS}
    assert len(ids) == len(TRICKS)


def test_the_id_of_a_segment_differs_between_waitlists() -> None:
    """The same segment has different ids on different waitlists, so an id reveals nothing about
    another waitlist (promise P8).
    """
    ids = {segment_id_of(waitlist_id, {"a": "b"}) for waitlist_id in ("agents", "agent", "a")}
    assert len(ids) == 3


def test_64_combinations_are_accepted_and_65_are_refused() -> None:
    eight = [str(number) for number in range(8)]
    by_both = Segments("agents", (BY_BOTH,), version=1)
    by_both.check({"gender": eight, "language": eight})
    by_more = Segments("agents", (BY_BOTH, ("age",)), version=1)
    with pytest.raises(InvalidFields, match=r"make 65 combinations.* at most 64"):
        by_more.check({"gender": eight, "language": eight, "age": "30"})


def test_combinations_are_counted_without_generating_them() -> None:
    """The service counts the possible combinations of attributes without listing them. Eight
    attributes with 16 values each make more than four billion combinations (promise P9).
    """
    names = tuple(f"a{number}" for number in range(8))
    attributes = {name: [str(value) for value in range(16)] for name in names}
    all_of_them = Segments("agents", (names,), version=1)
    assert all_of_them.count(attributes) == 16**8
    assert all_of_them.find(attributes) == {}


@pytest.mark.parametrize("names", [(), ("gender",), ("language", "language"), ("Language",)])
def test_the_error_about_an_undeclared_segment_lists_the_declared_segments(
    names: tuple[str, ...],
) -> None:
    with pytest.raises(InvalidFields, match=r"declared segments: gender\+language, language"):
        SEGMENTS.declared_names(names, "query.segment")


def test_the_error_about_a_filter_says_that_the_list_declares_no_segments() -> None:
    none = Segments("agents", (), version=0)
    with pytest.raises(InvalidFields, match="declares no segments"):
        none.find_id({"language": "Spanish"}, "body.filter")
    assert none.find({"language": "Spanish"}) == {}
    none.check({"language": [str(number) for number in range(16)]})


def test_the_names_of_a_segment_may_be_in_any_order() -> None:
    assert SEGMENTS.declared_names(["language", "gender"], "query.segment") == BY_BOTH


@each("marks", labelled(*product("=&#,:; \"'\\{}[]", repeat=2)))
def test_punctuation_in_values_is_significant(marks: tuple[str, str]) -> None:
    left, right = marks
    one = segment_id_of("agents", {"a": f"x{left}", "b": f"{right}y"})
    other = segment_id_of("agents", {"a": f"x{left}{right}", "b": "y"})
    assert one != other
