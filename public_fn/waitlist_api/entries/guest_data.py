"""Validate the profile and attributes that a guest sends. This module does no I/O."""

from collections.abc import Collection
from typing import Any, get_args

from waitlist_api.entries.addresses import is_mail_address, may_be_number
from waitlist_api.errors import FieldError, InvalidFields
from waitlist_api.records.entry import json_text
from waitlist_api.settings.page import MAX_ANSWER, FieldType, PageField
from waitlist_api.settings.waitlist import WaitlistSettings

TOO_LARGE = (
    "profile and attributes together may have at most {limit} bytes as JSON on this waitlist, but"
    " they have {size}: send less data, or ask an operator to raise max_guest_bytes"
)
# The types of questions that ask for an address.
ADDRESSES: tuple[FieldType, ...] = ("email", "tel")
NOT_TEXT = "must be text of at most {limit} characters"
NO_MAIL = "must be an email address, such as ada@example.com"
NO_NUMBER = "must be a telephone number in digits, such as +49 30 901820"
NO_OPTION = "must be one of the options of this waitlist's form"
NOT_AGREED = "must be the text that the customer agrees to, which is the field's current label"
BLOCKED = "this waitlist does not accept email addresses from this domain: use another address"


def check_guest_data(
    settings: WaitlistSettings, profile: dict[str, Any], attributes: dict[str, Any]
) -> None:
    """Raise InvalidFields if the data is too large or contains unknown fields or invalid values."""
    errors = []
    asked = _accepted_names(settings)
    if asked is not None:
        for where, sent in (("profile", profile), ("attributes", attributes)):
            if sent.keys() - asked[where]:
                errors.append(FieldError(f"body.{where}", _allowed(asked[where])))
    errors += _wrong_answers(settings, profile, attributes)
    sizes = {"profile": json_bytes(profile), "attributes": json_bytes(attributes)}
    size = sum(sizes.values())
    if size > settings.max_guest_bytes:
        larger = max(sizes, key=sizes.__getitem__)
        message = TOO_LARGE.format(limit=settings.max_guest_bytes, size=size)
        errors.append(FieldError(f"body.{larger}", message))
    if errors:
        raise InvalidFields(*errors)


def check_person(
    settings: WaitlistSettings,
    domain: str,
    profile: dict[str, Any],
    attributes: dict[str, Any],
    names: Collection[str] | None = None,
) -> None:
    """Raise InvalidFields if a required field is empty or the email domain is blocked."""
    sent = {"profile": profile, "attributes": attributes}
    errors = [
        FieldError(f"body.{field.kept_in}.{field.name}", "this waitlist requires this field")
        for field in _fields(settings)
        if field.required
        and (names is None or (field.kept_in == "profile" and field.name in names))
        and _is_empty(sent[field.kept_in].get(field.name))
    ]
    if settings.identity is not None and settings.identity.blocks(domain):
        errors.append(FieldError(f"body.profile.{settings.identity.field}", BLOCKED))
    if errors:
        raise InvalidFields(*errors)


def check_own_data(
    settings: WaitlistSettings,
    former: dict[str, Any],
    profile: dict[str, Any],
    attributes: dict[str, Any],
    names: Collection[str],
    domain: str = "",
) -> None:
    """Raise InvalidFields if customers may not change one of these profile fields, or if a new
    value is invalid.
    """
    taken = _accepted_names(settings)
    if taken is not None and set(names) - taken["profile"]:
        raise InvalidFields(FieldError("body.profile", _allowed(taken["profile"])))
    check_person(settings, domain, profile, attributes, names)
    size = json_bytes(profile) + json_bytes(attributes)
    if size > settings.max_guest_bytes and json_bytes(profile) > json_bytes(former):
        message = TOO_LARGE.format(limit=settings.max_guest_bytes, size=size)
        raise InvalidFields(FieldError("body.profile", message))
    changed = {name: profile.get(name) for name in names if profile.get(name) != former.get(name)}
    if errors := _wrong_answers(settings, changed, {}):
        raise InvalidFields(*errors)


def check_addresses(
    settings: WaitlistSettings, profile: dict[str, Any], attributes: dict[str, Any]
) -> None:
    """Raise InvalidFields if an operator's data contains an invalid email address or telephone
    number.

    Only the answers to questions that ask for an address are checked, because operators may store
    anything in other answers.
    """
    if errors := _wrong_answers(settings, profile, attributes, ADDRESSES):
        raise InvalidFields(*errors)


def visible_names(settings: WaitlistSettings, names: Collection[str]) -> set[str]:
    """Return the names of the profile fields that the customer may see.

    If the waitlist's form asks for fields, customers see only these fields, because operators may
    keep internal data in other fields.
    """
    taken = _accepted_names(settings)
    shown = set(names) if taken is None else taken["profile"]
    return shown if settings.identity is None else {*shown, settings.identity.field}


def _accepted_names(settings: WaitlistSettings) -> dict[str, set[str]] | None:
    """Return the names of the fields that guests may send, or None if all names are allowed."""
    if settings.page is None or not settings.page.fields:
        return None
    asked: dict[str, set[str]] = {"profile": set(), "attributes": set()}
    for field in settings.page.fields:
        asked[field.kept_in].add(field.name)
    # Always accept the attributes that define segments, because apps may send them even if the form
    # does not ask for them.
    asked["attributes"].update(*settings.segments)
    if settings.identity is not None:
        asked["profile"].add(settings.identity.field)
    return asked


def profile_to_store(settings: WaitlistSettings, profile: dict[str, Any]) -> dict[str, Any]:
    """Return the profile to store. A ticked checkbox is stored with its text and version."""
    agreed = {
        field.name: {"text": text, "version": field.version}
        for field in _fields(settings)
        if field.type == "checkbox" and isinstance(text := profile.get(field.name), str) and text
    }
    return {**profile, **agreed} if agreed else profile


def _wrong_answers(
    settings: WaitlistSettings,
    profile: dict[str, Any],
    attributes: dict[str, Any],
    types: Collection[FieldType] = get_args(FieldType),
) -> list[FieldError]:
    """Return an error for each value that does not match its field's type.

    Fields whose type is not in `types` are not checked.
    """
    errors = []
    for field in _fields(settings):
        if field.type not in types:
            continue
        value = (profile if field.kept_in == "profile" else attributes).get(field.name)
        values = value if field.kept_in == "attributes" and isinstance(value, list) else [value]
        problems = (_find_problem(field, each) for each in values if not _is_empty(each))
        if problem := next(filter(None, problems), ""):
            errors.append(FieldError(f"body.{field.kept_in}.{field.name}", problem))
    return errors


def _find_problem(field: PageField, value: Any) -> str:
    """Return why the value is invalid, or an empty string if the value is valid."""
    if field.type == "checkbox":
        return "" if value in field.labels else NOT_AGREED
    if not isinstance(value, str) or len(value) > MAX_ANSWER:
        return NOT_TEXT.format(limit=MAX_ANSWER)
    match field.type:
        case "email" if not is_mail_address(value):
            return NO_MAIL
        case "tel" if not may_be_number(value):
            return NO_NUMBER
        case "select" if value not in field.choices:
            return NO_OPTION
    return ""


def _fields(settings: WaitlistSettings) -> tuple[PageField, ...]:
    return () if settings.page is None else settings.page.fields


def _is_empty(value: Any) -> bool:
    return value in (None, "", [], {}) or (isinstance(value, str) and not value.strip())


def json_bytes(data: dict[str, Any]) -> int:
    """Return the size of the data as compact JSON, in UTF-8 bytes. Empty data counts as 0 bytes."""
    if not data:
        return 0
    return len(json_text(data).encode())


def _allowed(names: Collection[str]) -> str:
    if not names:
        return "this waitlist accepts no fields here: leave them out"
    return f"this waitlist accepts only these fields: {', '.join(sorted(names))}"
