"""Settings that need another setting, or a parameter of the stack."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, get_args

import msgspec
import pytest
from msgspec.structs import fields

from waitlist_api.clock import millis_of
from waitlist_api.http.schemas.waitlists import WaitlistBody
from waitlist_api.records.waitlists import WaitlistSettings
from waitlist_api.settings.page import PageSettings
from waitlist_api.settings.stored import StoredSettings
from waitlist_api.waitlists.setting_needs import (
    CONTRADICTIONS,
    RULES,
    WITHOUT_NEEDS,
    Stack,
    broken_rules,
    contradictions,
)

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
WHOLE = Stack(channels=frozenset({"mail", "sms"}), checks_bots=True)
POLICY = {"rate": {"count": 1, "per": "minute"}}
MAIL = {"identity": {"field": "email"}, "messages": {"kinds": ["verify"]}}
CHECKED = {"identity": {"field": "email", "verify": "before_offer"}}
ASKED = {"confirm": {"every_days": 90}}
AGREE = {"name": "terms", "label": "I agree to the terms", "type": "checkbox"}
SIZE = {"name": "size", "label": "Size", "kept_in": "attributes"}
EMAIL = {"name": "email", "label": "Email", "type": "email"}

# Each rule: settings that break it, and the least change by which they do not.
BROKEN_AND_MENDED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "enter_url_without_policy": (
        {"page": {"enter_url": "https://shop.example.com/"}},
        {"admission": POLICY},
    ),
    "verify_without_link": (CHECKED, {"messages": {"kinds": ["verify"]}}),
    "link_without_sender": ({"identity": {"field": "email"}}, {"messages": {"kinds": ["verify"]}}),
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
    "policy_by_hand": ({"admission": {"offer_seconds": 300}}, {"admission": POLICY}),
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
        {"page": {"fields": [{**AGREE, "version": "2026-11"}]}},
    ),
}


def settings_of(body: dict[str, Any]) -> WaitlistSettings:
    wanted = WaitlistBody.model_validate({"name": "Bakery", **body}).settings()
    return WaitlistSettings(**wanted)


def codes(body: dict[str, Any], stack: Stack = WHOLE) -> list[str]:
    return [rule.code for rule in broken_rules(settings_of(body), stack, millis_of(NOW))]


@pytest.mark.parametrize("code", BROKEN_AND_MENDED)
def test_a_setting_without_what_it_needs_has_one_warning(code: str) -> None:
    broken, mended = BROKEN_AND_MENDED[code]
    assert codes(broken) == [code]
    assert codes({**broken, **mended}) == []


def test_a_list_of_the_defaults_has_no_warning() -> None:
    assert codes({}, Stack()) == []


def test_messages_need_a_sender_of_the_stack() -> None:
    told = {"identity": {"field": "phone"}, "messages": {"kinds": ["joined", "verify"]}}
    by_mail = Stack(channels=frozenset({"mail"}))
    assert codes(told, by_mail) == ["link_without_sender", "messages_without_sender"]
    assert codes(told, Stack(channels=frozenset({"sms"}))) == []


def test_addresses_are_verified_only_where_the_link_can_be_sent() -> None:
    checked = {**CHECKED, "messages": {"kinds": ["verify"]}}
    assert codes(checked, Stack()) == ["verify_without_link", "messages_without_sender"]


def test_a_stack_with_accounts_verifies_no_address() -> None:
    assert codes(CHECKED, Stack(has_accounts=True)) == ["verify_with_accounts"]


def test_a_stack_without_a_bot_check_lets_nobody_in_unchecked() -> None:
    accepts = {"bot_check_down": "accept"}
    assert codes(accepts) == []
    assert codes(accepts, Stack()) == ["bot_check_down_without_check"]


def test_options_of_mail_addresses_do_nothing_for_telephone_numbers() -> None:
    for option in ({"blocked_domains": ["example.com"]}, {"plus_addresses": "different"}):
        by_phone = {**MAIL, "identity": {"field": "phone", **option}}
        assert codes(by_phone) == ["identity_of_other_field"]


def test_a_form_that_keeps_the_address_elsewhere_is_refused() -> None:
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
def test_a_list_for_whose_answers_there_is_no_room_is_refused(
    body: dict[str, Any], least: int
) -> None:
    def found(limit: int) -> list[str]:
        return [one.code for one in contradictions(settings_of({**body, "max_guest_bytes": limit}))]

    assert found(least - 1) == ["no_room_for_answers"]
    assert found(least) == []


def test_each_rule_is_tried() -> None:
    tried = {
        *BROKEN_AND_MENDED,
        "messages_without_sender",
        "verify_with_accounts",
        "bot_check_down_without_check",
    }
    assert tried == {rule.code for rule in RULES}


def test_each_setting_was_considered_whether_it_needs_another() -> None:
    """A new setting gets a rule here, or a place among those without needs."""
    needing = {name for rule in (*RULES, *CONTRADICTIONS) for name in rule.settings}
    assert needing | WITHOUT_NEEDS == set(names_of_settings(WaitlistSettings))
    assert not needing & WITHOUT_NEEDS


def names_of_settings(kind: Any, prefix: str = "") -> Iterator[str]:
    for one in fields(kind):
        yield f"{prefix}{one.encode_name}"
        for part in (one.type, *get_args(one.type)):
            if isinstance(part, type) and issubclass(part, StoredSettings | PageSettings):
                yield from names_of_settings(part, f"{one.encode_name}.")


def test_each_rule_says_what_to_do_in_words_for_people() -> None:
    for rule in RULES:
        assert rule.message.endswith("."), rule.code
        assert len(msgspec.json.encode(rule.message)) < 400, rule.code
