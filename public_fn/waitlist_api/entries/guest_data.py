"""What a guest may send of themselves: so many bytes, and what the list's page asks for. No I/O."""

from collections.abc import Collection
from typing import Any

from waitlist_api.entries.addresses import is_mail_address
from waitlist_api.errors import FieldError, InvalidFields
from waitlist_api.records.entry import json_text
from waitlist_api.records.waitlists import WaitlistSettings
from waitlist_api.settings.page import PageField

TOO_LARGE = (
    "profile and attributes may have at most {limit} bytes together as JSON on this waitlist; these"
    " have {size}: send less, or have an operator raise max_guest_bytes"
)
MAX_ANSWER = 200
NOT_TEXT = "must be text of at most {limit} characters"
NO_MAIL = "must be a mail address, such as ada@example.com"
NO_NUMBER = "must be a telephone number"
NO_OPTION = "must be one of the options of this waitlist's form"
NOT_AGREED = "must be the text that the customer agrees to: the label of the field, as it is now"
BLOCKED = "this waitlist takes no addresses of this domain: use another one"


def check_guest_data(
    settings: WaitlistSettings, profile: dict[str, Any], attributes: dict[str, Any]
) -> None:
    """Raise InvalidFields if a waitlist takes less from guests, or other fields.

    The record of an entry is written several times, so its size decides what a signup costs.
    Without fields on its page a waitlist takes any names.
    """
    errors = []
    asked = _names_asked(settings)
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
    """Raise InvalidFields if a guest lacks what the waitlist's form requires.

    With `names` of those fields of the profile alone. Also for a mail address of a domain that its
    `identity` blocks.
    """
    sent = {"profile": profile, "attributes": attributes}
    errors = [
        FieldError(f"body.{one.kept_in}.{one.name}", "this waitlist requires it")
        for one in _fields(settings)
        if one.required
        and (names is None or (one.kept_in == "profile" and one.name in names))
        and _is_empty(sent[one.kept_in].get(one.name))
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
    """Raise InvalidFields if a waitlist takes not that these names of a profile change so.

    `domain` is that of a new mail address. What operators or an import have written besides stays,
    also where it is too much.
    """
    taken = _names_asked(settings)
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


def names_shown(settings: WaitlistSettings, names: Collection[str]) -> set[str]:
    """Return the names of a profile that its customer sees: those asked for, or that they sent.

    And the address that says who they are. Operators may have written others for themselves.
    """
    taken = _names_asked(settings)
    shown = set(names) if taken is None else taken["profile"]
    return shown if settings.identity is None else {*shown, settings.identity.field}


def _names_asked(settings: WaitlistSettings) -> dict[str, set[str]] | None:
    """Return the names that a waitlist takes from guests; None for any."""
    if settings.page is None or not settings.page.fields:
        return None
    asked: dict[str, set[str]] = {"profile": set(), "attributes": set()}
    for one in settings.page.fields:
        asked[one.kept_in].add(one.name)
    # Claims filter by segments; an app may sign people up beside the page.
    asked["attributes"].update(*settings.segments)
    if settings.identity is not None:
        asked["profile"].add(settings.identity.field)
    return asked


def kept_profile(settings: WaitlistSettings, profile: dict[str, Any]) -> dict[str, Any]:
    """Return the profile as it is kept: what a customer agreed to with the version of the text."""
    agreed = {
        one.name: {"text": text, "version": one.version}
        for one in _fields(settings)
        if one.type == "checkbox" and isinstance(text := profile.get(one.name), str) and text
    }
    return {**profile, **agreed} if agreed else profile


def _wrong_answers(
    settings: WaitlistSettings, profile: dict[str, Any], attributes: dict[str, Any]
) -> list[FieldError]:
    """Return what does not fit the type of its field; an attribute may have several values."""
    errors = []
    for one in _fields(settings):
        value = (profile if one.kept_in == "profile" else attributes).get(one.name)
        values = value if one.kept_in == "attributes" and isinstance(value, list) else [value]
        problems = (_problem_of(one, each) for each in values if not _is_empty(each))
        if problem := next(filter(None, problems), ""):
            errors.append(FieldError(f"body.{one.kept_in}.{one.name}", problem))
    return errors


def _problem_of(field: PageField, value: Any) -> str:
    """Return what is wrong with an answer, empty if nothing is."""
    if field.type == "checkbox":
        return "" if value in field.labels else NOT_AGREED
    if not isinstance(value, str) or len(value) > MAX_ANSWER:
        return NOT_TEXT.format(limit=MAX_ANSWER)
    match field.type:
        case "email" if not is_mail_address(value):
            return NO_MAIL
        case "tel" if not any(map(str.isdecimal, value)):
            return NO_NUMBER
        case "select" if value not in field.choices:
            return NO_OPTION
    return ""


def _fields(settings: WaitlistSettings) -> tuple[PageField, ...]:
    return () if settings.page is None else settings.page.fields


def _is_empty(value: Any) -> bool:
    return value in (None, "", [], {}) or (isinstance(value, str) and not value.strip())


def json_bytes(data: dict[str, Any]) -> int:
    """Return the bytes of an object as JSON without blanks, in UTF-8; an empty one has none."""
    if not data:
        return 0
    return len(json_text(data).encode())


def _allowed(names: Collection[str]) -> str:
    if not names:
        return "this waitlist asks for none: leave them out"
    return f"this waitlist takes these names alone: {', '.join(sorted(names))}"
