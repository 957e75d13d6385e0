"""The errors that only the public side knows; the shared ones are in `waitlist_shared`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from waitlist_shared.errors import WaitlistError


class WaitlistNotFound(WaitlistError):
    """No such waitlist."""

    code = "waitlist_not_found"
    advice = "There is no waitlist of this id; an operator makes one with PUT."


class WaitlistDeleting(WaitlistError):
    """The waitlist of this id is still being deleted."""

    code = "waitlist_deleting"
    advice = "The former waitlist of this id is still being deleted; try again in some minutes."


class EntryNotFound(WaitlistError):
    """No such entry."""

    code = "entry_not_found"
    advice = "There is no entry of this id on this waitlist."


class AlreadyOnList(WaitlistError):
    """Somebody who has not shown to be the same client signs the same customer up again."""

    code = "already_on_list"
    advice = (
        "This customer is on the list. The client that signed up gets the place again with the "
        "same Idempotency-Key, or with its entry_token as Authorization: Bearer; whoever has "
        "neither asks an operator for a token."
    )


class NoEntryTokens(WaitlistError):
    """Entry tokens are asked for where an issuer's tokens say who customers are."""

    code = "no_entry_tokens"
    advice = (
        "This stack has no entry tokens: its customers prove themselves by their issuer's, so "
        "there is nothing to hand out."
    )


class AlreadyAdmitted(WaitlistError):
    """The person was admitted: final, unless the list lets them sign up again."""

    code = "already_admitted"
    advice = "This person was admitted already; only a new signup, where allowed, starts anew."


class AlreadyLeft(WaitlistError):
    """The customer left, and the list lets nobody join again."""

    code = "already_left"
    advice = "This customer left the waitlist, and it lets nobody join again."


class RecordUnavailable(WaitlistError):
    """DynamoDB did not answer in time."""

    code = "record_unavailable"
    advice = "The record cannot be reached; try again in a few seconds."


class Throttled(WaitlistError):
    """An AWS service refused the call because of its rate."""

    code = "throttled"
    advice = "Too many requests at once; try again after the seconds in Retry-After."


class NotReady(WaitlistError):
    """Secrets Manager did not give the key of the entry tokens."""

    code = "not_ready"
    advice = "The service is starting; try again in a few seconds."


class Unauthorized(WaitlistError):
    """No credentials, or none of the form that the route takes."""

    code = "unauthorized"
    advice = "Send the entry_token of the signup's answer as Authorization: Bearer."


class Forbidden(WaitlistError):
    """Credentials that are good for something else."""

    code = "forbidden"
    advice = "This entry_token is not for this entry."


class InvalidJson(WaitlistError):
    """The body is not JSON."""

    code = "invalid_json"
    advice = "The body must be a JSON document in UTF-8."


class TooLarge(WaitlistError):
    """The body is over the limit."""

    code = "too_large"


@dataclass(frozen=True)
class FieldError:
    """What is wrong with one field; `field` is a path such as `body.profile`."""

    field: str
    message: str


def field_error(error: Mapping[str, Any]) -> FieldError:
    """Name a field of pydantic's error by its path, body.profile say, never by its value."""
    return FieldError(".".join(map(str, error["loc"])), error["msg"])


class InvalidFields(WaitlistError):
    """A request that is well-formed and yet not acceptable; says which fields are wrong."""

    code = "invalid_request"

    def __init__(self, *errors: FieldError) -> None:
        super().__init__("; ".join(f"{error.field}: {error.message}" for error in errors))
        self.errors = errors
