"""Tests for attributes, which may contain any script and any punctuation. The service compares them
exactly, and limits how many combinations a customer's attributes can have.
"""

import unicodedata
from typing import Any

import pytest

from tests.service.api.agents import SEGMENTS, arrive, elsewhere, new_people, places, segment_counts
from tests.service.api.refusing import nothing_changes, refused
from tests.support.admissions import Admissions

VALUES = [
    "a=b",
    "a&b=c",
    "#1",
    "two words",
    " blank first",
    'say "yes"',
    "it's",
    "a,b",
    "a/b%2F?c",
    "{bakery}:queue",
    "a\\b\\u0041",
    "العربية",
    "עברית",
    "中文",
    "हिन्दी",
    "👩‍🚀🇪🇸",
    "Straße",
    "İ",
    "x" * 64,
    "😀" * 64,
]
EIGHT = [f"value-{number}" for number in range(8)]
TOO_MANY: dict[str, Any] = {"gender": EIGHT, "language": [*EIGHT[:7], "none"], "age": "30"}
COMPOSED, DECOMPOSED = (unicodedata.normalize(form, "Café Ångström") for form in ("NFC", "NFD"))


@pytest.fixture
def people() -> Admissions:
    return new_people()


@pytest.mark.parametrize("value", VALUES, ids=ascii)
def test_any_value_is_a_segment_of_its_own(people: Admissions, value: str) -> None:
    arrive(people, "ada", language="other")
    arrive(people, "bob", language=[value, "more"], gender=value)
    assert {"segment": {"language": value}, "waiting": 1} in people.segments().json["segments"]
    assert places(people, "bob", "language,gender")[f"{value}+{value}"] == (1, 1)
    assert people.person("bob").json["attributes"] == {"language": [value, "more"], "gender": value}
    assert people.claimed(5, filter={"language": value, "gender": value}) == ["bob"]


def test_values_that_hold_marks_do_not_run_into_each_other(people: Admissions) -> None:
    people.configure(segments=[["a"], ["a", "b"], ["b"], ["a", "b", "c"]])
    arrive(people, "ada", a="b=c")
    arrive(people, "bob", a="b", b="c")
    arrive(people, "cyd", a="x&b=y")
    arrive(people, "dan", a="x", b="y")
    arrive(people, "eve", a="x", b='y","c":"z')
    assert people.claimed(5, filter={"a": "b=c"}) == ["ada"]
    assert people.claimed(5, filter={"a": "b", "b": "c"}) == ["bob"]
    assert people.claimed(5, filter={"a": "x", "b": "y"}) == ["dan"]
    assert people.claimed(5, filter={"a": "x&b=y"}) == ["cyd"]
    assert people.claimed(5, filter={"a": "x", "b": "y", "c": "z"}) == []


def test_two_ways_to_type_the_same_are_one_segment(people: Admissions) -> None:
    assert COMPOSED != DECOMPOSED
    arrive(people, "ada", language=COMPOSED)
    arrive(people, "bob", language=[DECOMPOSED, "more"])
    assert segment_counts(people) == {COMPOSED: 2, "more": 1}
    assert people.person("bob").json["attributes"] == {"language": [COMPOSED, "more"]}
    assert people.claimed(5, filter={"language": DECOMPOSED}) == ["ada", "bob"]


def test_capitals_and_looks_alike_are_distinguished(people: Admissions) -> None:
    alike = ["spanish", "Spanish", "SPANISH", "Spanish ", "Span\u0456sh", "\ufb01", "fi"]
    arrive(people, "ada", language=alike)
    assert segment_counts(people) == dict.fromkeys(alike, 1)


def test_the_limit_of_a_value_is_that_of_its_composed_text(people: Admissions) -> None:
    arrive(people, "ada", language="e\u0301" * 64)
    assert people.claimed(filter={"language": "é" * 64}) == ["ada"]
    with nothing_changes(people.world):
        answer = people.sign_up("bob", attributes={"language": "e\u0301" * 65})
        refused(answer, 422, "invalid_request", "body.attributes.language")


def test_without_segments_any_number_of_combinations_is_taken() -> None:
    people = new_people(segments=[])
    arrive(people, "ada", **TOO_MANY)


def test_an_instance_with_older_segments_refuses_no_signup() -> None:
    """The current segments decide whether a signup is accepted, even if the function has cached the
    old segments.
    """
    people = new_people(segments=[["gender", "language"], ["age"]])
    other = elsewhere(people)
    assert other.sign_up("ada", attributes=TOO_MANY).status == 422
    people.configure(segments=[["language"]])
    assert other.sign_up("ada", attributes=TOO_MANY).status == 201


def test_a_repeat_keeps_its_place_where_segments_were_declared_since() -> None:
    """After Ada's signup, an operator declares segments for which she has too many attributes. If
    she repeats the signup, she keeps her place (promise P2).
    """
    people = new_people(segments=[])
    arrive(people, "ada", **TOO_MANY)
    people.configure(segments=[*SEGMENTS, ["age"]])
    people.world.maintain()
    again = people.sign_up("ada", key="signup-ada", attributes=TOO_MANY)
    assert (again.status, again.json["position"]) == (200, 1)
    assert people.sign_up("bob", attributes=TOO_MANY).status == 422
    people.leave("ada")
    assert people.sign_up("ada", key="again", attributes=TOO_MANY).status == 422


def test_an_entry_with_too_many_combinations_waits_and_is_in_no_segment() -> None:
    """An entry whose attributes have too many combinations is in no segment. The counts and
    positions of all other entries are correct (promise P6).
    """
    people = new_people(segments=[])
    arrive(people, "ada", **TOO_MANY)
    arrive(people, "bob", language="none", gender="F")
    people.configure(segments=[*SEGMENTS, ["age"]])
    people.world.maintain()
    assert people.claimed(5, filter={"language": "none"}) == ["bob"]
    assert places(people, "ada", "language") == {}
    assert people.order() == ["ada"]
