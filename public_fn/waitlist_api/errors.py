"""Errors that only the public function raises; `waitlist_shared.errors` has the others."""

import json
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from waitlist_shared import ids
from waitlist_shared.errors import NotOpenYet, WaitlistError
from waitlist_shared.limits import MAX_SEGMENT_ATTRIBUTES


class NoSuchRoute(WaitlistError):
    """No route has this path, or API Gateway authorized another route."""

    code = "not_found"
    advice = "No route has this path; the OpenAPI document lists all routes."


class MethodNotAllowed(WaitlistError):
    """The path has routes, but none with this method."""

    code = "method_not_allowed"

    def __init__(self, allowed: Iterable[str]) -> None:
        self.allowed = ", ".join(sorted(allowed))
        super().__init__(f"This path allows {self.allowed}; the OpenAPI document lists all routes.")


class WaitlistNotFound(WaitlistError):
    """No waitlist has this id."""

    code = "waitlist_not_found"
    advice = "No waitlist has this id; an operator creates one with PUT."


class WaitlistDeleting(WaitlistError):
    """The former waitlist with this id is still being deleted."""

    code = "waitlist_deleting"
    advice = "The former waitlist with this id is still being deleted; try again in a few minutes."


class NotInside(WaitlistError):
    """The customer is not inside: not admitted, gone out, or the pass is over."""

    code = "not_inside"
    advice = "The customer is not inside: get the entry for its status."


class EntryNotFound(WaitlistError):
    """No entry of this waitlist has this id."""

    code = "entry_not_found"
    advice = "This waitlist has no entry with this id."


class AlreadyOnList(WaitlistError):
    """The customer is on the waitlist, and the request does not prove to be theirs."""

    code = "already_on_list"
    advice = (
        "This customer is already on the waitlist. To get the entry again, repeat the signup with "
        "the same Idempotency-Key, or send its entry_token as Authorization: Bearer. Without "
        "either, ask an operator for a token."
    )


class NoEntryTokens(WaitlistError):
    """The stack issues no entry tokens: tokens of an OIDC issuer identify its customers."""

    code = "no_entry_tokens"
    advice = (
        "This stack issues no entry tokens: its customers send tokens of their OIDC issuer. Leave "
        "entry tokens out of the request."
    )


class AlreadyAdmitted(WaitlistError):
    """The customer was already admitted."""

    code = "already_admitted"
    advice = (
        "This customer was already admitted. They can join again only if the waitlist's `rejoin` "
        "is `always`, where its `customer_exit` is `frees_at_end` after the pass has ended; or "
        "through an import with `ended: rejoin`."
    )


class RestNotAllowed(WaitlistError):
    """The waitlist has no `rest` setting."""

    code = "rest_not_allowed"
    advice = "On this waitlist an entry cannot rest: an operator allows it by the setting `rest`."


class RestsUsedUp(WaitlistError):
    """The customer has rested as often in this stay as the waitlist's `rest` allows."""

    code = "rests_used_up"
    advice = "This entry has rested as often as the waitlist allows. It can still resume."


class ConfirmOff(WaitlistError):
    """The waitlist has no `confirm` setting."""

    code = "confirm_off"
    advice = "This waitlist asks no customer whether they still wait: set its `confirm` first."


class AlreadyLeft(WaitlistError):
    """The customer has left, and this waitlist does not allow joining again."""

    code = "already_left"
    advice = (
        "This customer has left, and the waitlist's `rejoin` is `never`. An import with "
        "`ended: rejoin` lets them join again."
    )


class OpensLater(NotOpenYet):
    """The waitlist takes signups from its `opens_at` on."""

    def __init__(self, opens_at: str | None) -> None:
        self.opens_at = opens_at
        when = f"from {opens_at} on" if opens_at else "again: its times have just been changed"
        super().__init__(f"The waitlist takes signups {when}; sign up then.")


class Banned(WaitlistError):
    """An operator has banned the customer from this waitlist."""

    code = "banned"
    advice = (
        "An operator has banned this customer from the waitlist; an unban lets them join again."
    )


class NoFormerPlace(WaitlistError):
    """The record has no place of this customer that could be given back."""

    code = "no_former_place"
    advice = (
        "The customer was banned without having been on the waitlist, or the signup was cut off "
        "before it had a place: sign the customer up."
    )


class BanMismatch(WaitlistError):
    """The customer has another ban than the one that the request names."""

    code = "ban_mismatch"
    advice = (
        "The ban that `banned_at` names has ended, and the customer was banned again: get the "
        "entry for its `banned_at`."
    )


class RecordUnavailable(WaitlistError):
    """DynamoDB did not answer in time."""

    code = "record_unavailable"
    advice = "The database did not answer in time; try again in a few seconds."


class NoWebhook(WaitlistError):
    """The stack posts its events to no webhook."""

    code = "no_webhook"
    advice = "Set the stack's parameter WebhookUrl; then there are events to send again."


class NoMessages(WaitlistError):
    """The stack sends no messages, or none by this channel."""

    code = "no_messages"
    advice = "The stack sends none of these: set its parameter MailFrom for mail, SmsFrom for SMS."


class KeysUnavailable(WaitlistError):
    """AWS KMS, which signs passes, did not answer in time."""

    code = "keys_unavailable"
    advice = "The key that signs passes did not answer in time; try again in a few seconds."


class Throttled(WaitlistError):
    """Too many requests at once: repeat after `Retry-After` seconds."""

    code = "throttled"
    advice = "Too many requests at once; try again after the seconds in Retry-After."


class TooManyChanges(WaitlistError):
    """The customer has changed the entry too often: repeat after `Retry-After` seconds."""

    code = "too_many_changes"

    def __init__(
        self, wait_millis: int, what: str = "You have changed this entry too often"
    ) -> None:
        self.retry_after_seconds = -(-wait_millis // 1000)
        super().__init__(f"{what}; try again after the seconds in Retry-After.")


class NotReady(WaitlistError):
    """A part of the service does not answer yet: the key of its entry tokens, or a queue."""

    code = "not_ready"
    advice = "A part of the service does not answer yet; try again in a few seconds."


class Unauthorized(WaitlistError):
    """The request has no valid credentials."""

    code = "unauthorized"
    advice = "Send the entry_token that the signup returned as Authorization: Bearer."


class Forbidden(WaitlistError):
    """The credentials are valid, but not for this resource."""

    code = "forbidden"
    advice = (
        "This entry_token belongs to another entry or to an earlier signup of this entry. Send the "
        "token of the latest signup or import."
    )


class CodeRefused(WaitlistError):
    """The code is wrong, too old, or of a stay that has ended."""

    code = "code_refused"
    advice = "This link is not valid any more. Join again, and open the newest message."


class BotCheckFailed(WaitlistError):
    """The signup has no `bot_token`, or one that the provider of the bot check refuses."""

    code = "bot_check_failed"
    advice = (
        "This signup needs a bot_token: a new one for each signup, from the widget that the "
        "waitlist's `bot_check` describes, on a page of this service, not older than the widget "
        "allows. Get a new one, and repeat the signup with the same Idempotency-Key."
    )


class BotCheckUnavailable(WaitlistError):
    """The provider of the bot check did not answer in time, or could not check."""

    code = "bot_check_unavailable"
    advice = (
        "The check for bots did not answer in time; repeat the signup with the same "
        "Idempotency-Key in a few seconds."
    )


class EdgeOnly(WaitlistError):
    """The request did not come through the edge, and the stack takes customers' requests there."""

    code = "edge_only"

    def __init__(self, edge_url: str) -> None:
        super().__init__(
            "This address takes signed requests of operators alone. Send a customer's request to "
            f"{edge_url or 'the address of the edge (output EdgeUrl)'}."
        )


class InvalidJson(WaitlistError):
    """The body is not JSON."""

    code = "invalid_json"
    advice = "The body must be a JSON document in UTF-8."


class UnsupportedMediaType(WaitlistError):
    """The body is not declared as JSON."""

    code = "unsupported_media_type"

    def __init__(self, accepted: Iterable[str], *, is_patch: bool) -> None:
        self.accepted = ", ".join(accepted)
        self.is_patch = is_patch
        super().__init__(f"Send the body with a Content-Type of these: {self.accepted}.")


class TooLarge(WaitlistError):
    """The body is larger than the route's limit."""

    code = "too_large"


# Limits of one refusal. It takes up to 8 KB as JSON; those of an import's 500 rows take up to 1 MB.
MAX_ERRORS = 20
MAX_ROW_ERRORS = 5
MAX_FIELD_BYTES = 80
MAX_MESSAGE_BYTES = 200
MAX_DETAIL_BYTES = 1000
MAX_ROW_DETAIL_BYTES = 200


class FieldError(Struct, frozen=True):
    """What is wrong with one field; `field` is a path such as `body.profile`."""

    field: str
    message: str


ATTRIBUTE = r"[a-z][a-z0-9_]{0,31}"
ANY_ETAG = r"^\*$"
# A list may have elements that are empty (RFC 9110, section 5.6.1.2).
ETAGS = r'^(\*|[ \t,]*(W/)?"[!#-~]*"([ \t]*,([ \t]*(W/)?"[!#-~]*")?)*)$'
DOMAIN = r"([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9][a-z0-9-]{0,61}[a-z0-9]"
# What a text with each pattern of a request has to be, with an example that is right: a pattern
# alone says that to programmers only.
SHAPES = {
    f"^{ids.WAITLIST_ID}$": "must be lower-case letters, digits and hyphens, at most 63, such as "
    "bakery-2",
    f"^{ids.ENTRY_ID}$": "must be an entry id: 26 of a to z and 2 to 7",
    f"^(me|{ids.ENTRY_ID})$": "must be `me` or an entry id: 26 of a to z and 2 to 7",
    f"^{ids.CUSTOMER_ID}$": "must be 1 to 256 letters, digits and signs of ASCII without blanks, "
    "such as customer-0001 or ada@example.com",
    "^[A-Za-z0-9_-]{1,512}$": "must be the `cursor` of the previous page, unchanged",
    f"^{ATTRIBUTE}$": "must be lower-case letters, digits and underscores, begin with a "
    "letter and have at most 32, such as language or party_size",
    f"^{ATTRIBUTE}(,{ATTRIBUTE}){{0,{MAX_SEGMENT_ATTRIBUTES - 1}}}$": "must be names of attributes "
    "with commas between them, such as gender,language",
    "^([01][0-9]|2[0-3]):[0-5][0-9]$": "must be a time of the day, such as 08:00 or 00:00",
    ETAGS: 'must be the ETag of the waitlist, unchanged, such as "7", or several with commas '
    "between them, or *",
    ANY_ETAG: "must be *",
    "^[0-9a-f]{40}$": "must be the claim_token of the claim: 40 of 0 to 9 and a to f",
    "^[!-~]{16,255}$": "must be 16 to 255 letters, digits and signs of ASCII without blanks, such "
    "as a random UUID",
    "^[!-~]{1,255}$": "must be 1 to 255 letters, digits and signs of ASCII without blanks, such as "
    "a UUID",
    "^[A-Za-z0-9._-]{1,8192}$": "must be the token of the widget, unchanged",
    r"^[0-9a-f]{8}\.[A-Za-z0-9_-]{80}(?:[A-Za-z0-9_-]{35})?$": "must be what follows #v= in the "
    "link, unchanged",
    "^[A-Z]{2}$": "must be the two capital letters of a country, such as DE",
    f"^{DOMAIN}$": "must be a domain in lower case, such as mailinator.com",
    "^[!-~]{0,255}$": "must be at most 255 letters, digits and signs of ASCII without blanks, such "
    "as a UUID",
}

LENGTHS = {"too_long": ("at most", "max_length"), "too_short": ("at least", "min_length")}


def field_error(error: Mapping[str, Any]) -> FieldError:
    """Return pydantic's error with the path of its field (such as body.profile), without values."""
    message = error["msg"].removeprefix("Value error, ")
    if error["type"] == "string_pattern_mismatch":
        message = SHAPES.get(error["ctx"]["pattern"], message)
    elif error["type"] in LENGTHS and isinstance(error["input"], str):
        # Where a check of its own comes before, pydantic counts the items of any value.
        which, limit = LENGTHS[error["type"]]
        message = f"String should have {which} {error['ctx'][limit]} characters"
    return FieldError(".".join(map(str, error["loc"])), message)


class InvalidFields(WaitlistError):
    """A parameter or a field of the body is invalid; `errors` lists them."""

    code = "invalid_request"

    def __init__(self, *errors: FieldError) -> None:
        self.errors = tuple(
            FieldError(cut(one.field, MAX_FIELD_BYTES), cut(one.message, MAX_MESSAGE_BYTES))
            for one in errors[:MAX_ERRORS]
        )
        more = len(errors) - len(self.errors)
        detail = "; ".join(f"{one.field}: {one.message}" for one in self.errors)
        super().__init__(cut(detail, MAX_DETAIL_BYTES) + (f"; and {more} more" if more else ""))


class SettingsChanged(WaitlistError):
    """The settings have changed since the version that `If-Match` names; `errors` says how."""

    code = "settings_changed"

    def __init__(self, *changes: FieldError) -> None:
        self.errors = changes
        super().__init__(
            f"The settings have another version now{_differing(changes)} "
            "Get the waitlist, decide again, and send the request with its new ETag."
        )


class WaitlistExists(WaitlistError):
    """There is a waitlist with this id already; `errors` says how it differs."""

    code = "waitlist_exists"

    def __init__(self, *changes: FieldError) -> None:
        self.errors = changes
        super().__init__(
            f"There is a waitlist with this id already{_differing(changes)} "
            "Change it with If-Match and its ETag, or create one with another id."
        )


def _differing(changes: Iterable[FieldError]) -> str:
    names = ", ".join(one.field.removeprefix("body.") for one in changes)
    if not names:
        return ", in which nothing that you sent differs."
    return f"; of what you sent, these differ: {names}."


def cut(text: str, limit: int) -> str:
    """Return a text of at most `limit` bytes as JSON; a text that was cut ends in an ellipsis."""
    if _json_bytes(text) <= limit:
        return text
    room = limit - _json_bytes("…")
    lengths = range(1, room + 1)
    return text[: bisect_right(lengths, room, key=lambda length: _json_bytes(text[:length]))] + "…"


def _json_bytes(text: str) -> int:
    return len(json.dumps(text)) - len('""')
