"""Tests that a guest's profile and attributes have a maximum size and contain only the fields that
the page asks for.
"""

import json
from typing import Any

import pytest

from tests.support.gateway import Answer
from tests.support.people import People
from waitlist_api.errors import MAX_MESSAGE_BYTES

LIMIT = 2048
EMPTY = len('{"a":""}')
FIELDS = [
    {"name": "email", "label": "Email", "type": "email"},
    {"name": "city", "label": "City", "kept_in": "attributes"},
]


def profile_of(size: int, letter: str = "x") -> dict[str, str]:
    return {"a": letter * ((size - EMPTY) // len(letter.encode()))}


def refused(answer: Answer) -> dict[str, str]:
    assert (answer.status, answer.json["code"]) == (422, "invalid_request")
    return {one["field"]: one["message"] for one in answer.json["errors"]}


@pytest.mark.parametrize("letter", ["x", "é"])
def test_a_guest_may_send_2048_bytes_and_no_more(people: People, letter: str) -> None:
    """The limit counts the text's UTF-8 bytes, not the escapes in the JSON (promise P5)."""
    answer = people.sign_up("ada", profile=profile_of(LIMIT + 2, letter))
    message = refused(answer)["body.profile"]
    assert f"at most {LIMIT} bytes" in message
    assert f"they have {LIMIT + 2}" in message
    assert "max_guest_bytes" in message
    assert people.person("ada").status == 404
    assert people.sign_up("ada", profile=profile_of(LIMIT, letter)).status == 201


def test_profile_and_attributes_count_together(people: People) -> None:
    attributes = {"language": ["x" * 60] * 12}
    size = len(json.dumps(attributes, separators=(",", ":")))
    fits = profile_of(LIMIT - size)
    assert people.sign_up("ada", profile=fits, attributes=attributes).status == 201
    larger = profile_of(LIMIT - size + 1)
    assert list(refused(people.sign_up("bob", profile=larger, attributes=attributes))) == [
        "body.profile"
    ]
    many = {name: ["x" * 60] * 12 for name in ("a", "b", "c")}
    assert list(refused(people.sign_up("bob", attributes=many))) == ["body.attributes"]


@pytest.mark.parametrize("limit", [0, 100, 9000])
def test_an_operator_sets_the_limit(people: People, limit: int) -> None:
    assert people.configure(max_guest_bytes=limit).json["max_guest_bytes"] == limit
    assert people.sign_up("none").status == 201
    if limit:
        profile = profile_of(min(limit, 8000))
        assert people.sign_up("ada", profile=profile).status == 201
    attributes = {name: ["x" * 60] * 16 for name in "abcdefghij"}
    assert "body.attributes" in refused(people.sign_up("bob", attributes=attributes))


@pytest.mark.parametrize("limit", [-1, 16 * 1024 + 1, None, "2048"])
def test_a_limit_beyond_a_body_is_refused(people: People, limit: Any) -> None:
    assert "body.max_guest_bytes" in refused(people.configure(max_guest_bytes=limit))


def test_imports_and_edits_by_operators_are_not_limited(people: People) -> None:
    large = profile_of(8000)
    people.configure(page={"fields": FIELDS})
    row = {"customer_id": "ada", "profile": large, "attributes": {"vip": "yes"}}
    assert people.bring(row).json["results"][0]["outcome"] == "joined"
    people.sign_up("bob")
    assert people.edit("bob", profile=large).status == 200
    assert people.person("bob").json["profile"] == large


def test_a_lower_limit_does_not_refuse_the_repeat_of_a_signup(people: People) -> None:
    """If an operator lowers the limit, a guest can still repeat a signup that was accepted before
    (promise P2).
    """
    profile = profile_of(1000)
    assert people.sign_up("ada", key="one-signup", profile=profile).status == 201
    people.configure(max_guest_bytes=10)
    assert people.sign_up("ada", key="one-signup", profile=profile).status == 200
    assert "body.profile" in refused(people.sign_up("bob", profile=profile))


def test_a_guest_may_send_the_fields_of_the_page_alone(people: People) -> None:
    people.configure(page={"fields": FIELDS}, segments=[["language", "gender"]])
    messages = refused(
        people.sign_up(
            "ada", profile={"email": "a@example.com", "note": "x"}, attributes={"a": "b"}
        )
    )
    assert messages["body.profile"].endswith("only these fields: email")
    assert messages["body.attributes"].endswith("only these fields: city, gender, language")
    assert people.person("ada").status == 404
    answer = people.sign_up(
        "ada",
        profile={"email": "a@example.com"},
        attributes={"city": "Nord", "language": "Spanish"},
    )
    assert answer.status == 201


def test_a_page_that_asks_for_no_profile_takes_none(people: People) -> None:
    people.configure(page={"fields": FIELDS[1:]})
    messages = refused(people.sign_up("ada", profile={"email": "a@example.com"}))
    assert messages == {"body.profile": "this waitlist accepts no fields here: leave them out"}


def test_a_page_without_fields_takes_any_names(people: People) -> None:
    people.configure(page={"text": "Fresh bread."})
    signed_up = people.sign_up("ada", profile={"note": "x"}, attributes={"language": "Spanish"})
    assert signed_up.status == 201


def test_names_of_many_fields_are_cut_with_an_ellipsis(people: People) -> None:
    fields = [{"name": f"{letter * 32}", "label": "A"} for letter in "abcdefghij"]
    people.configure(page={"fields": fields})
    message = refused(people.sign_up("ada", profile={"note": "x"}))["body.profile"]
    assert message.endswith("…")
    assert len(message.encode()) <= MAX_MESSAGE_BYTES


TERMS = "I agree to the [terms](https://example.com/terms)."
GERMAN = "Ich stimme den [Bedingungen](https://example.com/terms) zu."
FORM: list[dict[str, Any]] = [
    {"name": "email", "label": "Email", "type": "email", "required": True},
    {"name": "phone", "label": "Phone", "type": "tel"},
    {
        "name": "size",
        "label": "Size",
        "type": "select",
        "options": ["S", {"value": "L", "labels": {"en": "Large", "de": "Groß"}}],
        "kept_in": "attributes",
    },
    {
        "name": "terms",
        "label": {"en": TERMS, "de": GERMAN},
        "type": "checkbox",
        "required": True,
        "version": "2026-11",
    },
    {"name": "utm_source", "label": "Source", "type": "hidden"},
]
FILLED = {"email": "ada@example.com", "terms": TERMS}


def test_the_form_is_a_rule_of_the_api(people: People) -> None:
    """A guest must fill in all required fields of the form, with valid values (promise P5)."""
    people.configure(page={"fields": FORM})
    assert list(refused(people.sign_up("ada"))) == ["body.profile.email", "body.profile.terms"]
    for name, value in (
        ("email", "ada"),
        ("email", ["ada@example.com"]),
        ("phone", "none"),
        ("phone", "0151 abc"),
        ("phone", "12"),
        ("phone", "+49 1"),
        ("phone", "030 901820 030 901820 030 901820"),
        ("utm_source", 7),
        ("utm_source", "x" * 201),
        ("terms", True),
        ("terms", f"{TERMS} Not."),
        ("terms", {"text": TERMS, "version": "2026-11"}),
    ):
        answer = people.sign_up("ada", profile={**FILLED, name: value})
        assert list(refused(answer)) == [f"body.profile.{name}"], value
    for size in ("XL", "Large"):
        wrong = people.sign_up("ada", profile=FILLED, attributes={"size": ["S", size]})
        assert "must be one of the options" in refused(wrong)["body.attributes.size"]
    assert people.person("ada").status == 404
    sent = {**FILLED, "phone": "+49 30 901820", "utm_source": "news"}
    assert people.sign_up("ada", profile=sent, attributes={"size": ["S", "L"]}).status == 201


@pytest.mark.parametrize(
    "number",
    [
        "0151 23456789",
        "901820",
        "110",
        "tel:+49-30-901820",
        "(212) 555-0142 ext. 12",
        "+44 20 7946 0958x3",
    ],
)
def test_a_telephone_number_needs_no_country_code(people: People, number: str) -> None:
    people.configure(page={"fields": [{"name": "phone", "label": "Phone", "type": "tel"}]})
    assert people.sign_up("ada", profile={"phone": number}).status == 201


def test_the_consent_of_a_guest_is_kept_with_its_version(people: People) -> None:
    people.configure(page={"fields": FORM})
    key = "0123456789abcdef"
    sent = {**FILLED, "terms": GERMAN}
    first = people.sign_up("ada", profile=sent, key=key)
    agreed = {"text": GERMAN, "version": "2026-11"}
    assert people.person("ada").json["profile"] == {**FILLED, "terms": agreed}
    # A guest has agreed to the old text of the terms, which has changed since. Repeating the signup
    # does not change this consent.
    changed = [{**one, "label": "New"} if one["name"] == "terms" else one for one in FORM]
    people.configure(page={"fields": changed})
    people.world.clock.advance(31)  # The function caches the settings for 30 seconds.
    assert list(refused(people.sign_up("bob", profile=FILLED))) == ["body.profile.terms"]
    repeat = people.sign_up("ada", profile=sent, key=key)
    assert (first.status, repeat.status) == (201, 200)
    assert people.person("ada").json["profile"]["terms"] == agreed


def test_signups_are_counted_by_their_source(people: People) -> None:
    """The statistics count each signup once, even if it is repeated."""
    people.configure(page={"fields": FORM})
    assert people.sign_up("before", profile={**FILLED, "utm_source": "news"}).status == 201
    assert people.stats().json["sources"] is None
    counted = {"source": "utm_source", "sources": ["ad#1", "news"]}
    people.configure(page={"fields": FORM, **counted})
    people.world.clock.advance(31)  # The function caches the settings for 30 seconds.
    assert sources(people) == {"ad#1": 0, "news": 0, "other": 0}
    for name, source in (("ada", "news"), ("bob", "News"), ("cyd", " ad#1 "), ("dan", " ")):
        for _ in range(2):
            profile = {**FILLED, "utm_source": source}
            assert people.sign_up(name, profile=profile, key=f"key-of-{name}").status in (200, 201)
    assert people.sign_up("eve", profile=FILLED).status == 201
    assert sources(people) == {"news": 2, "ad#1": 1, "other": 0}


def test_sources_that_no_operator_has_named_count_together(people: People) -> None:
    """A link contains the source of a signup, such as a campaign. Anyone can invent a source, so
    invented sources are counted together (promise P5).
    """
    people.configure(page={"fields": FORM, "source": "utm_source", "sources": ["news"]})
    for number in range(52):
        profile = {**FILLED, "utm_source": f"made-up-{number}"}
        assert people.sign_up(f"p{number}", profile=profile).status == 201
    assert people.sign_up("ada", profile={**FILLED, "utm_source": "news"}).status == 201
    assert sources(people) == {"news": 1, "other": 52}


def test_the_options_of_a_choice_are_its_sources(people: People) -> None:
    city = {"name": "city", "label": "City", "type": "select", "options": ["Bonn", "Ulm"]}
    people.configure(page={"fields": [city], "source": "city"})
    assert people.sign_up("ada", profile={"city": "Ulm"}).status == 201
    assert sources(people) == {"Ulm": 1, "Bonn": 0, "other": 0}
    page = people.world.request("GET", people.path).json["page"]
    assert (page["source"], page["sources"]) == (None, [])


def sources(people: People) -> dict[str, int]:
    return {one["source"]: one["signed_up"] for one in people.stats().json["sources"]}
