"""The errors that only the public side knows; the shared ones are in `waitlist_shared`."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from waitlist_shared.errors import WaitlistError


class NoSuchRoute(WaitlistError):
    """No route has this path, or API Gateway authorized another one."""

    code = "not_found"
    advice = "There is no such route; the OpenAPI document lists them all."


class MethodNotAllowed(WaitlistError):
    """The path has routes, but none with this method."""

    code = "method_not_allowed"

    def __init__(self, allowed: Iterable[str]) -> None:
        self.allowed = ", ".join(sorted(allowed))
        super().__init__(f"This path takes {self.allowed}; the OpenAPI document lists all routes.")


class WaitlistNotFound(WaitlistError):
    """No waitlist has this id."""

    code = "waitlist_not_found"
    advice = "There is no waitlist of this id; an operator makes one with PUT."


class WaitlistDeleting(WaitlistError):
    """The waitlist of this id is still being deleted."""

    code = "waitlist_deleting"
    advice = "The former waitlist of this id is still being deleted; try again in some minutes."


class EntryNotFound(WaitlistError):
    """No entry of this waitlist has this id."""

    code = "entry_not_found"
    advice = "There is no entry of this id on this waitlist."


class AlreadyOnList(WaitlistError):
    """The customer is on the list, and the request does not prove that it is theirs."""

    code = "already_on_list"
    advice = (
        "This customer is on the list. The client that signed up gets the place again with the "
        "same Idempotency-Key, or with its entry_token as Authorization: Bearer; whoever has "
        "neither asks an operator for a token."
    )


class NoEntryTokens(WaitlistError):
    """The stack issues no entry tokens: an OIDC issuer's tokens identify its customers."""

    code = "no_entry_tokens"
    advice = (
        "This stack has no entry tokens: its customers prove themselves by their issuer's, so "
        "there is nothing to hand out."
    )


class AlreadyAdmitted(WaitlistError):
    """The customer was admitted already."""

    code = "already_admitted"
    advice = (
        "This customer was admitted. A waitlist gives a new place after an admission only if its "
        "`rejoin` is `always`; an import with `ended: rejoin` gives one, too."
    )


class AlreadyLeft(WaitlistError):
    """The customer left, and this waitlist does not allow joining again."""

    code = "already_left"
    advice = (
        "This customer left, and the waitlist's `rejoin` is `never`. An import with "
        "`ended: rejoin` gives a new place."
    )


class RecordUnavailable(WaitlistError):
    """DynamoDB did not answer in time."""

    code = "record_unavailable"
    advice = "The record cannot be reached; try again in a few seconds."


class Throttled(WaitlistError):
    """Too many requests at once: repeat after `Retry-After` seconds."""

    code = "throttled"
    advice = "Too many requests at once; try again after the seconds in Retry-After."


class NotReady(WaitlistError):
    """The service is starting: the key of its entry tokens is not loaded yet."""

    code = "not_ready"
    advice = "The service is starting; try again in a few seconds."


class Unauthorized(WaitlistError):
    """The request has no valid credentials."""

    code = "unauthorized"
    advice = "Send the entry_token of the signup's answer as Authorization: Bearer."


class Forbidden(WaitlistError):
    """The credentials are valid, but not for this resource."""

    code = "forbidden"
    advice = (
        "This entry_token is of another entry, or of an earlier stay: a token is good for the one "
        "signup, or import, for which it was given."
    )


class InvalidJson(WaitlistError):
    """The body is not JSON."""

    code = "invalid_json"
    advice = "The body must be a JSON document in UTF-8."


class TooLarge(WaitlistError):
    """The body is larger than the route's limit."""

    code = "too_large"


# A refusal lists no more than this: 8 KB as JSON hold it, and 500 rows' 1 MB of an import's answer.
MAX_ERRORS = 20
MAX_ROW_ERRORS = 5
MAX_FIELD_BYTES = 80
MAX_MESSAGE_BYTES = 200
MAX_DETAIL_BYTES = 1000
MAX_ROW_DETAIL_BYTES = 200


@dataclass(frozen=True)
class FieldError:
    """What is wrong with one field; `field` is a path such as `body.profile`."""

    field: str
    message: str


def field_error(error: Mapping[str, Any]) -> FieldError:
    """Name a field of pydantic's error by its path, body.profile say, never by its value."""
    return FieldError(".".join(map(str, error["loc"])), error["msg"].removeprefix("Value error, "))


class InvalidFields(WaitlistError):
    """A parameter or a field of the body is not acceptable; `errors` names which."""

    code = "invalid_request"

    def __init__(self, *errors: FieldError) -> None:
        self.errors = tuple(
            FieldError(cut(one.field, MAX_FIELD_BYTES), cut(one.message, MAX_MESSAGE_BYTES))
            for one in errors[:MAX_ERRORS]
        )
        more = len(errors) - len(self.errors)
        detail = "; ".join(f"{one.field}: {one.message}" for one in self.errors)
        super().__init__(cut(detail, MAX_DETAIL_BYTES) + (f"; and {more} more" if more else ""))


def cut(text: str, limit: int) -> str:
    """Return a text that has at most `limit` bytes as JSON; an ellipsis shows that it was cut."""
    if _json_bytes(text) <= limit:
        return text
    room = limit - _json_bytes("…")
    kept = []
    for character in text[:room]:
        room -= _json_bytes(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept) + "…"


def _json_bytes(text: str) -> int:
    return len(json.dumps(text)) - len('""')
