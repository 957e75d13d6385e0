"""Check that a waitlist's settings work together and that the stack supports them."""

import re
from collections.abc import Callable, Iterator

from msgspec import Struct

from waitlist_api.records.entry import json_text
from waitlist_api.settings.identity import IdentityField
from waitlist_api.settings.messages import CHANNEL_OF
from waitlist_api.settings.page import PageField
from waitlist_api.settings.schedule import next_instant
from waitlist_api.settings.sms import sms_countries
from waitlist_api.settings.stack import SENT_WITH_VERIFY, Stack
from waitlist_api.settings.waitlist import WaitlistSettings, schedule_of

SHORTEST_ADDRESS: dict[IdentityField, str] = {"email": "a@b.co", "phone": "+4930123"}
# A link in a checkbox's label, such as [terms](https://example.com/terms).
LINK = re.compile(r"\[[^\]]+\]\([^)]+\)")
SHORTEST_ANSWERS = {"email": "a@b.co", "tel": "110"}


class Rule(Struct, frozen=True, kw_only=True):
    """A rule for settings that depend on each other or on a stack parameter."""

    code: str
    settings: tuple[str, ...]
    message: str
    is_broken: Callable[[WaitlistSettings, Stack, int], bool]


def broken_rules(settings: WaitlistSettings, stack: Stack, now_millis: int) -> list[Rule]:
    """Return the rules that the settings violate. The caller shows a warning for each of them."""
    return [rule for rule in RULES if rule.is_broken(settings, stack, now_millis)]


def contradictions(settings: WaitlistSettings) -> list[Rule]:
    """Return the violated rules that make every signup impossible.

    The service refuses settings that violate such a rule.
    """
    return [rule for rule in CONTRADICTIONS if rule.is_broken(settings, Stack(), 0)]


def _enters_without_pass(settings: WaitlistSettings, _stack: Stack, _: int) -> bool:
    has_place = settings.page is not None and settings.page.enter_url is not None
    return has_place and settings.admission is None


def _verifies_without_link(settings: WaitlistSettings, stack: Stack, _: int) -> bool:
    identity = settings.identity
    is_checked = identity is not None and identity.verifies and not stack.has_accounts
    return is_checked and not stack.sends(settings, "verify")


def _verifies_accounts(settings: WaitlistSettings, stack: Stack, _: int) -> bool:
    return stack.has_accounts and settings.identity is not None and settings.identity.verifies


def _finds_without_link(settings: WaitlistSettings, stack: Stack, _: int) -> bool:
    identity = settings.identity
    is_found = identity is not None and not identity.verifies and not stack.has_accounts
    return is_found and not stack.sends(settings, "link")


def _identity_of_other_field(settings: WaitlistSettings, _stack: Stack, _: int) -> bool:
    identity = settings.identity
    if identity is None:
        return False
    if identity.field == "email":
        return identity.region is not None
    return bool(identity.blocked_domains) or identity.plus_addresses != "same"


def _asks_unheard(settings: WaitlistSettings, stack: Stack, _: int) -> bool:
    return settings.confirm is not None and not stack.sends(settings, "confirm")


def _kinds(settings: WaitlistSettings) -> frozenset[str]:
    return frozenset(() if settings.messages is None else settings.messages.kinds)


def _sends_by_nothing(settings: WaitlistSettings, stack: Stack, _: int) -> bool:
    fields = _asked_addresses(settings) or CHANNEL_OF.keys()
    return bool(_kinds(settings)) and not any(CHANNEL_OF[one] in stack.channels for one in fields)


def _sends_to_nobody(settings: WaitlistSettings, _stack: Stack, _: int) -> bool:
    return bool(_kinds(settings)) and not _asked_addresses(settings)


def _numbers_without_country(settings: WaitlistSettings, _stack: Stack, _: int) -> bool:
    rules = settings.messages
    if rules is None or not rules.kinds or _asked_addresses(settings) != ["phone"]:
        return False
    return not sms_countries(rules, settings.identity)


def _asked_addresses(settings: WaitlistSettings) -> list[IdentityField]:
    """Return the names of the profile fields in which a signup on the customer's page can give an
    address for messages.
    """
    if settings.identity is not None:
        return [settings.identity.field]
    asked = {field.name for field in _fields(settings) if field.kept_in == "profile"}
    return [name for name in CHANNEL_OF if name in asked]


def _words_without_kind(settings: WaitlistSettings, _stack: Stack, _: int) -> bool:
    kinds = _kinds(settings)
    sent = kinds | {*SENT_WITH_VERIFY} if "verify" in kinds else kinds
    texts = {} if settings.messages is None else settings.messages.texts
    return any(own.keys() - sent for own in texts.values())


def _confirms_without_question(settings: WaitlistSettings, _stack: Stack, _: int) -> bool:
    return "confirm" in _kinds(settings) and settings.confirm is None


def _links_without_identity(settings: WaitlistSettings, _stack: Stack, _: int) -> bool:
    return bool(_kinds(settings) & {"verify", *SENT_WITH_VERIFY}) and settings.identity is None


def _announces_no_offers(settings: WaitlistSettings, _stack: Stack, _: int) -> bool:
    policy = settings.admission
    is_automatic = policy is not None and policy.acceptance == "automatic"
    return is_automatic and bool(_kinds(settings) & {"offered", "ending"})


def _offers_by_hand(settings: WaitlistSettings, _stack: Stack, _: int) -> bool:
    policy = settings.admission
    return policy is not None and not (policy.rate or policy.schedule or policy.max_inside)


def _leaves_at_first_miss(settings: WaitlistSettings, _stack: Stack, _: int) -> bool:
    policy = settings.admission
    return policy is not None and policy.misses is not None and policy.no_show == "leave"


def _leaves_at_no_time(settings: WaitlistSettings, _stack: Stack, _: int) -> bool:
    policy = settings.admission
    return policy is not None and policy.then == "leave" and policy.until is None


def _is_over(settings: WaitlistSettings, _stack: Stack, now_millis: int) -> bool:
    policy = settings.admission
    return (
        policy is not None and policy.until_millis is not None and policy.until_millis <= now_millis
    )


def _opens_when_over(settings: WaitlistSettings, _stack: Stack, _: int) -> bool:
    policy, closes_millis = settings.admission, settings.closes_millis
    if policy is None or policy.until_millis is None or policy.then != "leave":
        return False
    return settings.open and (closes_millis is None or closes_millis > policy.until_millis)


def _adds_nothing(settings: WaitlistSettings, _stack: Stack, _: int) -> bool:
    policy = settings.admission
    if policy is None or policy.combine != "sum":
        return False
    return not (policy.rate and policy.schedule)


def _schedule_is_over(settings: WaitlistSettings, _stack: Stack, now_millis: int) -> bool:
    schedule = schedule_of(settings)
    return bool(schedule) and next_instant(schedule, now_millis) is None


def _stays_closed(settings: WaitlistSettings, _stack: Stack, now_millis: int) -> bool:
    return not settings.open and (settings.opens_millis or 0) > now_millis


def _accepts_unchecked(settings: WaitlistSettings, stack: Stack, _: int) -> bool:
    return settings.bot_check_down == "accept" and not stack.checks_bots


def _asks_for_lost_attributes(settings: WaitlistSettings, _stack: Stack, _: int) -> bool:
    filtered = {name for segment in settings.segments for name in segment}
    return any(
        field.kept_in == "attributes" and field.name not in filtered for field in _fields(settings)
    )


def _version_of_no_text(settings: WaitlistSettings, _stack: Stack, _: int) -> bool:
    return any(
        field.version is not None and field.type != "checkbox" for field in _fields(settings)
    )


def _links_to_no_text(settings: WaitlistSettings, _stack: Stack, _: int) -> bool:
    if settings.page is None or settings.page.privacy_url is not None:
        return False
    return any(
        field.type == "checkbox" and field.version is not None and not _has_link(field)
        for field in settings.page.fields
    )


def _has_link(field: PageField) -> bool:
    return all(LINK.search(label) for label in field.labels)


def _keeps_address_elsewhere(settings: WaitlistSettings, _stack: Stack, _: int) -> bool:
    identity = settings.identity
    places = {(field.kept_in, field.name) for field in _fields(settings)}
    return identity is not None and ("attributes", identity.field) in places


def _has_no_room(settings: WaitlistSettings, _stack: Stack, _: int) -> bool:
    """Return whether even the shortest answers to all required fields are larger than
    `max_guest_bytes`.
    """
    required = [field for field in _fields(settings) if field.required]
    sent = {
        place: {field.name: _shortest_answer(field) for field in required if field.kept_in == place}
        for place in ("profile", "attributes")
    }
    if settings.identity is not None:
        field = settings.identity.field
        sent["profile"][field] = SHORTEST_ADDRESS[field]
    size = sum(len(json_text(data).encode()) for data in sent.values() if data)
    return size > settings.max_guest_bytes


def _shortest_answer(field: PageField) -> str:
    if field.type == "checkbox":
        return min(field.labels, key=len)
    if field.type == "select":
        return min(field.choices, key=len)
    return SHORTEST_ANSWERS.get(field.type, "a")


def _fields(settings: WaitlistSettings) -> Iterator[PageField]:
    yield from () if settings.page is None else settings.page.fields


RULES: tuple[Rule, ...] = (
    Rule(
        code="enter_url_without_policy",
        settings=("page.enter_url", "admission"),
        message="Customers are sent to enter_url without a pass, because only waitlists with an "
        "admission policy issue passes. Set `admission`.",
        is_broken=_enters_without_pass,
    ),
    Rule(
        code="verify_without_link",
        settings=("identity.verify", "messages.kinds"),
        message="Customers must verify their address before they get an offer, but the waitlist "
        "is not set up to send them the verification link. Add `verify` to messages.kinds, and "
        "set the stack's MailFrom parameter for email or SmsFrom for SMS. Otherwise, your backend "
        "must send the links.",
        is_broken=_verifies_without_link,
    ),
    Rule(
        code="verify_with_accounts",
        settings=("identity.verify",),
        message="Addresses are not verified, because this stack's customers have accounts (the "
        "JwtIssuer parameter). Set identity.verify to `off`.",
        is_broken=_verifies_accounts,
    ),
    Rule(
        code="link_without_sender",
        settings=("identity.field", "messages.kinds"),
        message="The customer's page lets customers request a link to their place, but the "
        "waitlist is not set up to send this link. Add `verify` to messages.kinds, and set the "
        "stack's MailFrom parameter for email or SmsFrom for SMS. Otherwise, your backend must "
        "send the links.",
        is_broken=_finds_without_link,
    ),
    Rule(
        code="identity_of_other_field",
        settings=(
            "identity.region",
            "identity.plus_addresses",
            "identity.blocked_domains",
            "identity.field",
        ),
        message="`identity` has a setting that has no effect on the chosen field. `region` applies "
        "to `phone`, and `plus_addresses` and `blocked_domains` apply to `email`. Remove the "
        "setting, or choose the other field.",
        is_broken=_identity_of_other_field,
    ),
    Rule(
        code="confirm_without_message",
        settings=("confirm", "messages.kinds"),
        message="Customers lose their place if they do not confirm that they are still waiting, "
        "but the waitlist is not set up to send them a message about this. Add `confirm` to "
        "messages.kinds, and set the stack's MailFrom parameter for email or SmsFrom for SMS. "
        "Otherwise, your backend must send the messages.",
        is_broken=_asks_unheard,
    ),
    Rule(
        code="messages_without_sender",
        settings=("messages.kinds", "identity.field", "page.fields"),
        message="The stack cannot send messages to the addresses that this waitlist uses. Set the "
        "stack's MailFrom parameter for email, or SmsFrom for SMS.",
        is_broken=_sends_by_nothing,
    ),
    Rule(
        code="messages_without_address",
        settings=("messages.kinds", "identity.field", "page.fields"),
        message="Customers who sign up on the customer's page get no messages, because the page "
        "does not ask for an address. Set `identity`, or add a field named `email` or `phone` to "
        "page.fields and store its answer in the profile.",
        is_broken=_sends_to_nobody,
    ),
    Rule(
        code="numbers_without_country",
        settings=("messages.sms_countries",),
        message="Customers who give only a telephone number get no messages, because the waitlist "
        "does not send SMS to any country. Add your customers' country to messages.sms_countries.",
        is_broken=_numbers_without_country,
    ),
    Rule(
        code="texts_without_kind",
        settings=("messages.texts", "messages.kinds"),
        message="messages.texts contains a text for a kind of message that the waitlist does not "
        "send. Add the kind to messages.kinds, or remove the text.",
        is_broken=_words_without_kind,
    ),
    Rule(
        code="message_without_question",
        settings=("messages.kinds", "confirm"),
        message="The `confirm` message is never sent, because customers are not asked whether they "
        "are still waiting. Set `confirm`, or remove `confirm` from messages.kinds.",
        is_broken=_confirms_without_question,
    ),
    Rule(
        code="message_without_identity",
        settings=("messages.kinds", "identity.field"),
        message="The `verify`, `link` and `address` messages are never sent, because the waitlist "
        "does not identify customers by an address. Set `identity`, or remove these kinds from "
        "messages.kinds.",
        is_broken=_links_without_identity,
    ),
    Rule(
        code="message_without_offers",
        settings=("messages.kinds", "admission.acceptance"),
        message="The `offered` and `ending` messages are never sent, because the waitlist admits "
        "customers without an offer. Choose `admitted` instead, or set admission.acceptance to "
        "`enter`.",
        is_broken=_announces_no_offers,
    ),
    Rule(
        code="policy_by_hand",
        settings=(
            "admission",
            "admission.rate",
            "admission.schedule",
            "admission.max_inside",
            "admission.offer_hours",
            "admission.presence",
        ),
        message="This policy makes no offers by itself. Customers get an offer only when an "
        "operator calls `admit`, and the `presence` setting has an effect only if this request "
        "contains a `count`. To make offers automatically, set `rate`, `schedule` or `max_inside`.",
        is_broken=_offers_by_hand,
    ),
    Rule(
        code="sum_without_both",
        settings=("admission.combine", "admission.rate", "admission.schedule"),
        message="`combine` is `sum`, which adds the rate to the schedule, but one of them is "
        "missing. Set both `rate` and `schedule`, or set `combine` to `least`.",
        is_broken=_adds_nothing,
    ),
    Rule(
        code="schedule_over",
        settings=("admission.schedule",),
        message="All times in the schedule have passed, so it allows no more offers. Add a time in "
        "the future, or remove the schedule.",
        is_broken=_schedule_is_over,
    ),
    Rule(
        code="misses_without_effect",
        settings=("admission.misses", "admission.no_show"),
        message="`misses` has no effect, because `no_show` is `leave`, so an entry leaves after "
        "its first unused offer. Set `no_show` to `to_back` or `keep_place`, or remove `misses`.",
        is_broken=_leaves_at_first_miss,
    ),
    Rule(
        code="then_without_until",
        settings=("admission.then",),
        message="`then` is `leave`, but admissions have no end. Set `until`, or set `then` to "
        "`wait`.",
        is_broken=_leaves_at_no_time,
    ),
    Rule(
        code="admission_over",
        settings=("admission.until",),
        message="Admissions have ended, because the `until` time has passed, so the waitlist makes "
        "no offers. Set `until` to a later time, or remove it.",
        is_broken=_is_over,
    ),
    Rule(
        code="until_without_closes_at",
        settings=("admission.until", "closes_at"),
        message="People can still sign up after admissions have ended, but the service removes "
        "them from the waitlist within a minute. Set `closes_at` to the same time as `until`, or "
        "earlier.",
        is_broken=_opens_when_over,
    ),
    Rule(
        code="opens_at_without_open",
        settings=("opens_at", "open"),
        message="The waitlist will not open at opens_at, because `open` is false. Set `open` to "
        "true. Signups will still be refused until opens_at.",
        is_broken=_stays_closed,
    ),
    Rule(
        code="bot_check_down_without_check",
        settings=("bot_check_down",),
        message="`bot_check_down` has no effect, because the stack does not check signups for "
        "bots. Set the stack's BotCheck parameter, or set `bot_check_down` to `refuse`.",
        is_broken=_accepts_unchecked,
    ),
    Rule(
        code="attribute_without_segment",
        settings=("page.fields", "segments"),
        message="The page stores an answer as an attribute, but no segment uses this attribute, so "
        "claims cannot filter by it. Add the attribute to `segments`, or store the answer in the "
        "profile.",
        is_broken=_asks_for_lost_attributes,
    ),
    Rule(
        code="version_without_checkbox",
        settings=("page.fields",),
        message="A field on the page has a version, but only a checkbox can have a version, which "
        "identifies the text that customers accept. Make the field a checkbox, or remove the "
        "version.",
        is_broken=_version_of_no_text,
    ),
    Rule(
        code="consent_without_text",
        settings=("page.fields", "page.privacy_url"),
        message="A checkbox asks customers to accept a version of a text, but the page does not "
        "link to it. Add a link such as [terms](https://example.com/terms) to the label in each "
        "language, or set page.privacy_url.",
        is_broken=_links_to_no_text,
    ),
)

CONTRADICTIONS: tuple[Rule, ...] = (
    Rule(
        code="address_not_in_profile",
        settings=("page.fields", "identity.field"),
        message="the page keeps the address as an attribute, but `identity` expects it in the "
        "profile. Keep the field in the profile",
        is_broken=_keeps_address_elsewhere,
    ),
    Rule(
        code="no_room_for_answers",
        settings=("max_guest_bytes", "page.fields", "identity.field"),
        message="even the shortest signup would be larger than this limit, because the address and "
        "the required answers take up more bytes. Raise the limit, or require fewer answers",
        is_broken=_has_no_room,
    ),
)
