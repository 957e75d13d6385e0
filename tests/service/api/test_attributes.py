"""Attributes: any script and punctuation, compared exactly, up to the limit of combinations."""

import unicodedata
from typing import Any

import pytest

from tests.service.api.agents import SEGMENTS, arrive, depths, elsewhere, new_desk, places
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
def desk() -> Admissions:
    return new_desk()


@pytest.mark.parametrize("value", VALUES, ids=ascii)
def test_any_value_is_a_segment_of_its_own(desk: Admissions, value: str) -> None:
    arrive(desk, "ada", language="other")
    arrive(desk, "bob", language=[value, "more"], gender=value)
    assert {"segment": {"language": value}, "waiting": 1} in desk.segments().json["segments"]
    assert places(desk, "bob", "language,gender")[f"{value}+{value}"] == (1, 1)
    assert desk.person("bob").json["attributes"] == {"language": [value, "more"], "gender": value}
    assert desk.claimed(5, filter={"language": value, "gender": value}) == ["bob"]


def test_values_that_hold_marks_do_not_run_into_each_other(desk: Admissions) -> None:
    desk.configure(segments=[["a"], ["a", "b"], ["b"], ["a", "b", "c"]])
    arrive(desk, "ada", a="b=c")
    arrive(desk, "bob", a="b", b="c")
    arrive(desk, "cyd", a="x&b=y")
    arrive(desk, "dan", a="x", b="y")
    arrive(desk, "eve", a="x", b='y","c":"z')
    assert desk.claimed(5, filter={"a": "b=c"}) == ["ada"]
    assert desk.claimed(5, filter={"a": "b", "b": "c"}) == ["bob"]
    assert desk.claimed(5, filter={"a": "x", "b": "y"}) == ["dan"]
    assert desk.claimed(5, filter={"a": "x&b=y"}) == ["cyd"]
    assert desk.claimed(5, filter={"a": "x", "b": "y", "c": "z"}) == []


def test_two_ways_to_type_the_same_are_one_segment(desk: Admissions) -> None:
    assert COMPOSED != DECOMPOSED
    arrive(desk, "ada", language=COMPOSED)
    arrive(desk, "bob", language=[DECOMPOSED, "more"])
    assert depths(desk) == {COMPOSED: 2, "more": 1}
    assert desk.person("bob").json["attributes"] == {"language": [COMPOSED, "more"]}
    assert desk.claimed(5, filter={"language": DECOMPOSED}) == ["ada", "bob"]


def test_capitals_and_looks_alike_are_distinguished(desk: Admissions) -> None:
    alike = ["spanish", "Spanish", "SPANISH", "Spanish ", "Span\u0456sh", "\ufb01", "fi"]
    arrive(desk, "ada", language=alike)
    assert depths(desk) == dict.fromkeys(alike, 1)


def test_the_limit_of_a_value_is_that_of_its_composed_text(desk: Admissions) -> None:
    arrive(desk, "ada", language="e\u0301" * 64)
    assert desk.claimed(filter={"language": "é" * 64}) == ["ada"]
    with nothing_changes(desk.world):
        answer = desk.sign_up("bob", attributes={"language": "e\u0301" * 65})
        refused(answer, 422, "invalid_request", "body.attributes.language.value")


def test_without_segments_any_number_of_combinations_is_taken() -> None:
    desk = new_desk(segments=[])
    arrive(desk, "ada", **TOO_MANY)


def test_an_instance_that_remembers_fewer_segments_takes_whom_it_can() -> None:
    """Cached segments refuse no signup, and add no entry that the current ones refuse."""
    desk = new_desk(segments=[["gender", "language"], ["age"]])
    other = elsewhere(desk)
    assert other.sign_up("ada", attributes=TOO_MANY).status == 422
    desk.configure(segments=[["language"]])
    assert other.sign_up("ada", attributes=TOO_MANY).status == 201


def test_a_repeat_keeps_its_place_where_segments_were_declared_since() -> None:
    """P2: also with attributes that would be too many by now."""
    desk = new_desk(segments=[])
    arrive(desk, "ada", **TOO_MANY)
    desk.configure(segments=[*SEGMENTS, ["age"]])
    desk.world.maintain()
    again = desk.sign_up("ada", key="signup-ada", attributes=TOO_MANY)
    assert (again.status, again.json["position"]) == (200, 1)
    assert desk.sign_up("bob", attributes=TOO_MANY).status == 422
    desk.leave("ada")
    assert desk.sign_up("ada", key="again", attributes=TOO_MANY).status == 422


def test_whoever_has_too_many_since_is_in_line_and_in_no_segment() -> None:
    """P6: exact for all other entries, and no position is invented."""
    desk = new_desk(segments=[])
    arrive(desk, "ada", **TOO_MANY)
    arrive(desk, "bob", language="none", gender="F")
    desk.configure(segments=[*SEGMENTS, ["age"]])
    desk.world.maintain()
    assert desk.claimed(5, filter={"language": "none"}) == ["bob"]
    assert places(desk, "ada", "language") == {}
    assert desk.order() == ["ada"]
