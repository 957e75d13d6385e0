"""The service warns about settings that have no effect without another setting or a stack
parameter.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any, get_args, get_origin

import msgspec
import pytest
from msgspec.structs import fields

from waitlist_api.clock import millis_of
from waitlist_api.http.schemas.settings import settings_in
from waitlist_api.http.schemas.waitlists import WaitlistBody
from waitlist_api.settings.declared import Settings
from waitlist_api.settings.stack import Stack
from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_api.waitlists.setting_needs import CONTRADICTIONS, RULES, broken_rules, contradictions

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
WHOLE = Stack(channels=frozenset({"mail", "sms"}), checks_bots=True)
POLICY = {"rate": {"count": 1, "per": "minute"}}
MAIL = {"identity": {"field": "email"}, "messages": {"kinds": ["verify"]}}
CHECKED = {"identity": {"field": "email", "verify": "before_offer"}}
ASKED = {"confirm": {"every_days": 90}}
AGREE = {"name": "terms", "label": "I agree to the terms", "type": "checkbox"}
LINKED = {**AGREE, "label": "I agree to the [terms](https://example.com/terms)"}
SIZE = {"name": "size", "label": "Size", "kept_in": "attributes"}
EMAIL = {"name": "email", "label": "Email", "type": "email"}
PHONE = {"name": "phone", "label": "Mobile number", "type": "tel"}
# Settings that work on every waitlist and in every stack, so no rule mentions them.
WITHOUT_NEEDS = frozenset(
    {
        "name",
        "paused",
        "capacity",
        "rejoin",
        "lease_seconds",
        "max_attempts",
        "timezone",
        "call_numbers",
        "call_numbers.prefix",
        "call_numbers.restart",
        "max_claims",
        "hide_counts",
        "retention_days",
        "admission.offer_seconds",
        "admission.pass_seconds",
        "admission.decline",
        "admission.customer_exit",
        "page",
        "page.text",
        "page.colour",
        "page.logo_url",
        "page.header_url",
        "page.font",
        "page.imprint_url",
        "page.image_url",
        "page.index",
        "page.source",
        "page.sources",
        "page.texts",
        "rest",
        "rest.max_days",
        "rest.times",
        "confirm.every_days",
        "confirm.answer_days",
        "confirm.reminders_days",
        "confirm.then",
        "confirm.since_millis",
        "identity",
        "identity.verify_minutes",
        "messages",
        "messages.near",
        "messages.language",
        "messages.timezone",
        "messages.mails_per_day",
        "messages.sms_number_types",
        "messages.sms_parts_per_day",
    }
)

# Each case contains settings that break a rule, and the smallest change that makes them obey it.
BROKEN_AND_MENDED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "enter_url_without_policy": (
        {"page": {"enter_url": "https://shop.example.com/"}},
        {"admission": POLICY},
    ),
    "verify_without_link": (CHECKED, {"messages": {"kinds": ["verify"]}}),
    "link_without_sender": ({"identity": {"field": "email"}}, {"messages": {"kinds": ["verify"]}}),
    "misses_without_effect": (
        {"admission": {**POLICY, "no_show": "leave", "misses": {"at_most": 2}}},
        {"admission": {**POLICY, "no_show": "to_back", "misses": {"at_most": 2}}},
    ),
    "then_without_until": (
        {"admission": {**POLICY, "then": "leave"}},
        {"admission": {**POLICY, "then": "wait"}},
    ),
    "until_without_closes_at": (
        {"admission": {**POLICY, "then": "leave", "until": "2027-01-01T00:00:00Z"}},
        {"closes_at": "2026-12-31T00:00:00Z"},
    ),
    "identity_of_other_field": (
        {**MAIL, "identity": {"field": "email", "region": "DE"}},
        {"identity": {"field": "phone", "region": "DE"}},
    ),
    "confirm_without_message": (
        {**MAIL, **ASKED},
        {"messages": {"kinds": ["verify", "confirm"]}},
    ),
    "messages_without_address": (
        {"messages": {"kinds": ["joined"]}, "page": {"fields": [AGREE]}},
        {"page": {"fields": [AGREE, EMAIL]}},
    ),
    "numbers_without_country": (
        {"messages": {"kinds": ["called"]}, "page": {"fields": [PHONE]}},
        {"messages": {"kinds": ["called"], "sms_countries": ["DE"]}},
    ),
    "texts_without_kind": (
        {**MAIL, "messages": {"kinds": ["verify"], "texts": {"en": {"left": {"text": "Bye"}}}}},
        {"messages": {"kinds": ["verify"], "texts": {"en": {"link": {"text": "Here"}}}}},
    ),
    "message_without_question": (
        {**MAIL, "messages": {"kinds": ["verify", "confirm"]}},
        ASKED,
    ),
    "message_without_identity": (
        {"messages": {"kinds": ["verify"]}, "page": {"fields": [EMAIL]}},
        {"identity": {"field": "email"}},
    ),
    "message_without_offers": (
        {
            **MAIL,
            "messages": {"kinds": ["verify", "offered"]},
            "admission": {**POLICY, "acceptance": "automatic"},
        },
        {"admission": POLICY},
    ),
    "policy_by_hand": (
        {"admission": {"presence": {"seconds": 120}}},
        {"admission": {**POLICY, "presence": {"seconds": 120}}},
    ),
    "sum_without_both": (
        {"admission": {**POLICY, "combine": "sum"}},
        {
            "admission": {
                **POLICY,
                "combine": "sum",
                "schedule": [{"cron": "0 9 * * *", "count": 5}],
            }
        },
    ),
    "schedule_over": (
        {"admission": {"schedule": [{"at": "2026-11-27T11:00:00Z", "count": 5}]}},
        {"admission": {"schedule": [{"at": "2026-11-27T13:00:00Z", "count": 5}]}},
    ),
    "opens_at_without_open": (
        {"open": False, "opens_at": "2026-11-27T13:00:00Z"},
        {"opens_at": "2026-11-27T11:00:00Z"},
    ),
    "attribute_without_segment": ({"page": {"fields": [SIZE]}}, {"segments": [["size"]]}),
    "version_without_checkbox": (
        {"page": {"fields": [{**EMAIL, "version": "2026-11"}]}},
        {"page": {"fields": [{**LINKED, "version": "2026-11"}]}},
    ),
    "consent_without_text": (
        {"page": {"fields": [{**AGREE, "version": "2026-11"}]}},
        {"page": {"fields": [{**LINKED, "version": "2026-11"}]}},
    ),
    "admission_over": (
        {"admission": {**POLICY, "until": "2026-11-27T11:00:00Z"}},
        {"admission": {**POLICY, "until": "2026-11-27T13:00:00Z"}},
    ),
}


def settings_of(body: dict[str, Any]) -> WaitlistSettings:
    wanted = WaitlistBody.model_validate({"name": "Bakery", **body})
    found: WaitlistSettings = settings_in(WaitlistSettings, wanted)
    return found


def warning_codes(body: dict[str, Any], stack: Stack = WHOLE) -> list[str]:
    return [rule.code for rule in broken_rules(settings_of(body), stack, millis_of(NOW))]


@pytest.mark.parametrize("code", BROKEN_AND_MENDED)
def test_a_setting_that_lacks_another_setting_has_one_warning(code: str) -> None:
    broken, mended = BROKEN_AND_MENDED[code]
    assert warning_codes(broken) == [code]
    assert warning_codes({**broken, **mended}) == []


def test_a_list_with_default_settings_has_no_warning() -> None:
    assert warning_codes({}, Stack()) == []


def test_messages_need_a_sender_in_the_stack() -> None:
    told = {
        "identity": {"field": "phone", "region": "DE"},
        "messages": {"kinds": ["joined", "verify"]},
    }
    by_mail = Stack(channels=frozenset({"mail"}))
    assert warning_codes(told, by_mail) == ["link_without_sender", "messages_without_sender"]
    assert warning_codes(told, Stack(channels=frozenset({"sms"}))) == []
    messages = {"kinds": ["joined"], "sms_countries": ["DE"]}
    for asked, codes in (([PHONE], ["messages_without_sender"]), ([PHONE, EMAIL], [])):
        assert warning_codes({"messages": messages, "page": {"fields": asked}}, by_mail) == codes


@pytest.mark.parametrize(
    ("asked", "is_warned"),
    [
        ({"page": {"fields": [PHONE]}}, True),
        ({"page": {"fields": [PHONE, EMAIL]}}, False),
        ({"identity": {"field": "phone"}, "page": {"fields": [EMAIL]}}, True),
        ({"identity": {"field": "phone", "region": "DE"}}, False),
        ({"identity": {"field": "email"}, "page": {"fields": [PHONE]}}, False),
    ],
)
@pytest.mark.parametrize("channels", [set(), {"mail"}, {"mail", "sms"}])
def test_people_who_can_give_only_a_number_need_a_country_on_every_stack(
    channels: set[str], asked: dict[str, Any], *, is_warned: bool
) -> None:
    body = {"messages": {"kinds": ["called"]}, **asked}
    found = warning_codes(body, Stack(channels=frozenset(channels)))
    assert ("numbers_without_country" in found) == is_warned


@pytest.mark.parametrize(
    ("channels", "identity", "fields"),
    [
        ({"mail", "sms"}, None, ["email", "phone"]),
        ({"mail"}, None, ["email"]),
        ({"mail", "sms"}, {"field": "phone"}, ["phone"]),
        ({"mail"}, {"field": "phone"}, []),
    ],
)
def test_customers_are_told_of_their_turn_where_the_stack_reaches_them(
    channels: set[str], identity: dict[str, Any] | None, fields: list[str]
) -> None:
    stack = Stack(channels=frozenset(channels))
    told = settings_of({"messages": {"kinds": ["offered"]}, "identity": identity})
    assert stack.fields_told_of_turn(told) == fields
    assert stack.fields_told_of_turn(settings_of({"messages": {"kinds": ["left"]}})) == []


def test_verifying_addresses_needs_a_way_to_send_the_link() -> None:
    checked = {**CHECKED, "messages": {"kinds": ["verify"]}}
    assert warning_codes(checked, Stack()) == ["verify_without_link", "messages_without_sender"]


def test_a_stack_with_accounts_does_not_verify_addresses() -> None:
    assert warning_codes(CHECKED, Stack(has_accounts=True)) == ["verify_with_accounts"]


def test_accepting_signups_while_the_bot_check_is_down_needs_a_bot_check() -> None:
    accepts = {"bot_check_down": "accept"}
    assert warning_codes(accepts) == []
    assert warning_codes(accepts, Stack()) == ["bot_check_down_without_check"]


def test_options_for_mail_addresses_do_not_apply_to_telephone_numbers() -> None:
    for option in ({"blocked_domains": ["example.com"]}, {"plus_addresses": "different"}):
        by_phone = {**MAIL, "identity": {"field": "phone", "region": "DE", **option}}
        assert warning_codes(by_phone) == ["identity_of_other_field"]


def test_a_form_that_stores_the_address_outside_the_profile_is_refused() -> None:
    elsewhere = {
        "identity": {"field": "email"},
        "page": {"fields": [{**EMAIL, "kept_in": "attributes"}]},
    }
    assert [one.code for one in contradictions(settings_of(elsewhere))] == [
        "address_not_in_profile"
    ]


@pytest.mark.parametrize(
    ("body", "least"),
    [
        ({"identity": {"field": "email"}}, len('{"email":"a@b.co"}')),
        (
            {"page": {"fields": [{**AGREE, "required": True}, EMAIL]}},
            len('{"terms":"I agree to the terms"}'),
        ),
        (
            {
                "page": {
                    "fields": [
                        {**SIZE, "required": True, "type": "select", "options": ["small", "xl"]}
                    ]
                }
            },
            len('{"size":"xl"}'),
        ),
    ],
    ids=["the address", "a checkbox", "an attribute"],
)
def test_a_list_whose_limit_is_too_small_for_its_form_is_refused(
    body: dict[str, Any], least: int
) -> None:
    def found(limit: int) -> list[str]:
        return [one.code for one in contradictions(settings_of({**body, "max_guest_bytes": limit}))]

    assert found(least - 1) == ["no_room_for_answers"]
    assert found(least) == []


def test_a_text_to_accept_is_linked_in_each_language_or_as_the_privacy_notice() -> None:
    german = {**LINKED, "label": {"en": LINKED["label"], "de": "Ich stimme zu"}, "version": "1"}
    assert warning_codes({"page": {"fields": [german]}}) == ["consent_without_text"]
    page = {"fields": [german], "privacy_url": "https://example.com/privacy"}
    assert warning_codes({"page": page}) == []


def test_each_rule_is_tested() -> None:
    tried = {
        *BROKEN_AND_MENDED,
        "messages_without_sender",
        "verify_with_accounts",
        "bot_check_down_without_check",
    }
    assert tried == {rule.code for rule in RULES}


def test_each_setting_is_either_part_of_a_rule_or_listed_without_needs() -> None:
    """Each setting is listed in exactly one place.

    A setting that has no effect on some waitlists or in some stacks belongs in RULES or
    CONTRADICTIONS. All other settings belong in WITHOUT_NEEDS.
    """
    needing = {name for rule in (*RULES, *CONTRADICTIONS) for name in rule.settings}
    assert needing | WITHOUT_NEEDS == set(names_of_settings(WaitlistSettings))
    assert not needing & WITHOUT_NEEDS


def names_of_settings(kind: Any) -> Iterator[str]:
    """For a group of settings, yield the names of its fields too, such as `rest.max_days`."""
    for one in fields(kind):
        yield one.encode_name
        for part in parts_of(one.type):
            if isinstance(part, type) and issubclass(part, Settings):
                yield from (f"{one.encode_name}.{field.encode_name}" for field in fields(part))


def parts_of(kind: Any) -> Iterator[Any]:
    if get_origin(kind) is Annotated:
        yield from parts_of(get_args(kind)[0])
    else:
        yield from get_args(kind)


def test_the_message_of_each_rule_is_a_short_sentence() -> None:
    for rule in RULES:
        assert rule.message.endswith("."), rule.code
        assert len(msgspec.json.encode(rule.message)) < 400, rule.code
