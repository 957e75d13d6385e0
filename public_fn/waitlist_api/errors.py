"""Errors that only the public Lambda function raises.

Errors that both Lambda functions can raise are defined in `waitlist_shared.errors`.
"""

import json
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from waitlist_shared.errors import InvalidRequest, NotOpenYet, WaitlistError


class NoSuchRoute(WaitlistError):
    """The API has no route with this method and path."""

    code = "not_found"
    status = 404
    advice = (
        "The API has no route with this method and path. The OpenAPI document lists all routes."
    )


class WaitlistNotFound(WaitlistError):
    """No waitlist has this id."""

    code = "waitlist_not_found"
    status = 404
    advice = "No waitlist has this id. Check the id, or ask an operator to create the waitlist."


class WaitlistDeleting(WaitlistError):
    """A deleted waitlist had this id, and its records are still being erased."""

    code = "waitlist_deleting"
    status = 409
    advice = (
        "A deleted waitlist had this id, and its records are still being erased. Try again in a "
        "few minutes."
    )


class NotInside(WaitlistError):
    """The customer was never admitted, has already exited, or has an expired pass."""

    code = "not_inside"
    status = 409
    advice = "The customer has no valid admission. Get the entry to see its current status."


class EntryNotFound(WaitlistError):
    """This waitlist has no entry with this id."""

    code = "entry_not_found"
    status = 404
    advice = "This waitlist has no entry with this id. Check the id."


class InvitationNotFound(WaitlistError):
    """There is no invitation with this id."""

    code = "invitation_not_found"
    status = 404
    advice = "There is no invitation with this id. List the waitlist's invitations to find it."


class AlreadyOnList(WaitlistError):
    """The customer is already on the waitlist, and the caller may be a different person."""

    code = "already_on_list"
    status = 409
    advice = (
        "This customer is already on the waitlist. Repeat the signup with the same "
        "Idempotency-Key, or send the entry_token in an `Authorization: Bearer ENTRY_TOKEN` "
        "header. If you have neither, ask an operator for a token."
    )


class NoEntryTokens(WaitlistError):
    """The stack issues no entry tokens. Its customers are identified by an OIDC issuer."""

    code = "no_entry_tokens"
    status = 409
    advice = "This stack issues no entry tokens. Use a token from the stack's OIDC issuer instead."


class AlreadyAdmitted(WaitlistError):
    """The customer has already been admitted."""

    code = "already_admitted"
    status = 409
    advice = (
        "This customer has already been admitted. The waitlist's `rejoin` and `customer_exit` "
        "settings say when customers can join again. An operator can add the customer again by "
        "importing them with `ended: rejoin`."
    )


class RestNotAllowed(WaitlistError):
    """The waitlist's `rest` setting is off, so customers cannot let others pass in the queue."""

    code = "rest_not_allowed"
    status = 409
    advice = (
        "Customers of this waitlist cannot let others pass in the queue. An operator can allow it "
        "with the `rest` setting."
    )


class RestsUsedUp(WaitlistError):
    """The customer has already let others pass as many times as the `rest` setting allows."""

    code = "rests_used_up"
    status = 409
    advice = (
        "This customer has already let others pass as many times as the waitlist allows. If the "
        "customer is letting others pass now, they can stop early with `resume`."
    )


class ConfirmOff(WaitlistError):
    """The `confirm` setting is off, so no customer is asked whether they are still waiting."""

    code = "confirm_off"
    status = 409
    advice = (
        "This waitlist does not ask customers whether they are still waiting. Set its `confirm` "
        "setting first."
    )


class AlreadyLeft(WaitlistError):
    """The customer has left, and the waitlist does not allow customers to join again."""

    code = "already_left"
    status = 409
    advice = (
        "This customer has left, and the waitlist's `rejoin` is `never`. An operator can add the "
        "customer again by importing them with `ended: rejoin`."
    )


class OpensLater(NotOpenYet):
    """The waitlist does not accept signups before its `opens_at`."""

    def __init__(self, opens_at: str | None) -> None:
        self.fields = {"opens_at": opens_at}
        super().__init__(
            f"The waitlist opens at {opens_at}. Sign up then."
            if opens_at
            else "The waitlist's opening time has just changed. Sign up again."
        )


class Banned(WaitlistError):
    """An operator has banned the customer from this waitlist."""

    code = "banned"
    status = 403
    advice = (
        "An operator has banned this customer from the waitlist. They can join again after an "
        "operator has lifted the ban."
    )


class NoFormerPlace(WaitlistError):
    """The customer never had a place in the queue, so the entry cannot be reinstated."""

    code = "no_former_place"
    status = 409
    advice = (
        "This customer never had a place in the queue, for example because their signup was not "
        "completed. Sign the customer up instead."
    )


class BanMismatch(WaitlistError):
    """The request names a ban that began at a different time than the current ban."""

    code = "ban_mismatch"
    status = 409
    advice = (
        "The customer's current ban began at a different time than the `banned_at` in the request. "
        "Get the entry to read its current `banned_at`."
    )


class RecordUnavailable(WaitlistError):
    """DynamoDB did not answer in time."""

    code = "record_unavailable"
    status = 503
    retry_after_seconds = 2
    advice = "The database did not answer in time. Try again in a few seconds."


class NoWebhook(WaitlistError):
    """The stack has no webhook, so it cannot resend events."""

    code = "no_webhook"
    status = 409
    advice = "This stack has no webhook. To use one, set the stack's `WebhookUrl` parameter."


class NoMessages(WaitlistError):
    """The stack cannot send this message by email or SMS."""

    code = "no_messages"
    status = 409
    advice = (
        "This stack cannot send this message. Set its `MailFrom` parameter to send email, or "
        "`SmsFrom` to send SMS messages."
    )


class KeysUnavailable(WaitlistError):
    """AWS KMS did not answer in time, so no pass could be signed."""

    code = "keys_unavailable"
    status = 503
    retry_after_seconds = 2
    advice = "The service that signs passes did not answer in time. Try again in a few seconds."


class TooManyChanges(WaitlistError):
    """The customer has changed the entry too often. Try again after `Retry-After` seconds."""

    code = "too_many_changes"
    status = 429
    retry_after_seconds = 300

    def __init__(
        self, wait_millis: int, what: str = "You have changed this entry too often"
    ) -> None:
        self.retry_after_seconds = -(-wait_millis // 1000)
        super().__init__(f"{what}. Try again after the number of seconds in Retry-After.")


class NotReady(WaitlistError):
    """A resource that the service needs, such as a secret or a queue, is unavailable."""

    code = "not_ready"
    status = 503
    retry_after_seconds = 2
    advice = "A part of the service cannot be reached at the moment. Try again in a few seconds."


class Unauthorized(WaitlistError):
    """The request has no valid credentials."""

    code = "unauthorized"
    status = 401
    headers: Mapping[str, str] = {"WWW-Authenticate": "Bearer"}
    advice = (
        "Send the entry_token from the customer's signup in an `Authorization: Bearer "
        "ENTRY_TOKEN` header."
    )


class Forbidden(WaitlistError):
    """The credentials are valid, but they do not give access to this resource."""

    code = "forbidden"
    status = 403
    advice = (
        "This entry_token belongs to another entry or an earlier signup. Send the token of the "
        "latest signup."
    )


class CodeRefused(WaitlistError):
    """The code is invalid, has expired, or belongs to a signup that has ended."""

    code = "code_refused"
    status = 403
    advice = (
        "This link is no longer valid. Open the link in the newest message. If there is no newer "
        "message, sign up again, or enter the new address again if the link was for a change of "
        "address."
    )


class BotCheckFailed(WaitlistError):
    """The signup has no `bot_token`, or the bot-check provider rejected the token."""

    code = "bot_check_failed"
    status = 403
    advice = (
        "This signup needs a new bot_token. Get a token from the widget that the waitlist's "
        "`bot_check` field describes, and repeat the signup with the same Idempotency-Key. A token "
        "is valid only for a short time and for a single signup."
    )


class BotCheckUnavailable(WaitlistError):
    """The bot-check provider did not answer in time, or could not check the token."""

    code = "bot_check_unavailable"
    status = 503
    retry_after_seconds = 2
    advice = (
        "The bot check did not answer in time. Repeat the signup with the same Idempotency-Key in "
        "a few seconds."
    )


class EdgeOnly(WaitlistError):
    """The stack accepts customers' requests only through CloudFront."""

    code = "edge_only"
    status = 403

    def __init__(self, edge_url: str) -> None:
        super().__init__(
            "This address accepts only signed requests from operators. Send customers' requests "
            f"to {edge_url or 'the edge address (the stack output EdgeUrl)'}."
        )


class InvalidJson(WaitlistError):
    """The body is not valid JSON."""

    code = "invalid_json"
    status = 400
    advice = "The body must be a JSON document in UTF-8."


class UnsupportedMediaType(WaitlistError):
    """The request has a body, but its Content-Type header does not say that the body is JSON."""

    code = "unsupported_media_type"
    status = 415

    def __init__(self, accepted: Iterable[str], *, is_patch: bool) -> None:
        media_types = tuple(accepted)
        name = "Accept-Patch" if is_patch else "Accept"
        self.headers = dict.fromkeys(("Accept", name), ", ".join(media_types))
        super().__init__(f"Set the Content-Type header to {' or '.join(media_types)}.")


class TooLarge(WaitlistError):
    """The body is larger than this route allows."""

    code = "too_large"
    status = 413


# These limits keep the JSON of an error response below 8 KB. The response to an import, which can
# contain errors for many rows, stays below 1 MB.
MAX_ERRORS = 20
MAX_ROW_ERRORS = 5
MAX_FIELD_BYTES = 80
MAX_MESSAGE_BYTES = 200
MAX_DETAIL_BYTES = 1000
MAX_ROW_DETAIL_BYTES = 200


class FieldError(Struct, frozen=True):
    """An error in a single field of a request.

    `field` is the path of the field, such as `body.profile`.
    """

    field: str
    message: str


class InvalidFields(InvalidRequest):
    """A parameter or a field of the body is invalid. `errors` lists every invalid field."""

    def __init__(self, *errors: FieldError) -> None:
        self.errors = tuple(
            FieldError(cut(error.field, MAX_FIELD_BYTES), cut(error.message, MAX_MESSAGE_BYTES))
            for error in errors[:MAX_ERRORS]
        )
        self.fields = _listed(self.errors)
        more = len(errors) - len(self.errors)
        detail = "; ".join(f"{error.field}: {error.message}" for error in self.errors)
        super().__init__(cut(detail, MAX_DETAIL_BYTES) + (f"; and {more} more" if more else ""))


class SettingsChanged(WaitlistError):
    """The settings have changed since the version in `If-Match`. `errors` lists the differences."""

    code = "settings_changed"
    status = 412

    def __init__(self, *changes: FieldError) -> None:
        self.fields = _listed(changes)
        differences = f" {_name_differences(changes)}" if changes else ""
        super().__init__(
            f"The settings have changed since the version in If-Match.{differences} Get the "
            "waitlist, decide again, and send the request with the new ETag."
        )


class WaitlistExists(WaitlistError):
    """A waitlist with this id already exists. `errors` lists the settings whose values differ."""

    code = "waitlist_exists"
    status = 412

    def __init__(self, *changes: FieldError) -> None:
        self.fields = _listed(changes)
        super().__init__(
            f"A waitlist with this id already exists. {_name_differences(changes)} To change it, "
            "send its ETag in If-Match. To create a new waitlist, choose another id."
        )


def _listed(errors: Iterable[FieldError]) -> dict[str, Any]:
    return {"errors": [asdict(error) for error in errors]}


def _name_differences(changes: Iterable[FieldError]) -> str:
    names = ", ".join(change.field.removeprefix("body.") for change in changes)
    if not names:
        return "The settings that you sent are the same as the stored settings."
    return f"The stored values differ from yours for: {names}."


def cut(text: str, limit: int) -> str:
    """Shorten a text to at most `limit` bytes of JSON, including the ellipsis."""
    if _json_bytes(text) <= limit:
        return text
    room = limit - _json_bytes("…")
    lengths = range(1, room + 1)
    return text[: bisect_right(lengths, room, key=lambda length: _json_bytes(text[:length]))] + "…"


def _json_bytes(text: str) -> int:
    return len(json.dumps(text)) - len('""')
