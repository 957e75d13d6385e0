"""The documentation of each operation in the OpenAPI document.

The routes themselves only state their operation ids.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from pydantic import BaseModel

from waitlist_api.http.openapi import links
from waitlist_api.http.openapi.responses import (
    ENTRY_TOKEN,
    ENTRY_TOKEN_IF_ANY,
    JWT,
    NO_STORE,
    SIGV4,
    Security,
    answers,
    problems,
    success,
)
from waitlist_api.http.schemas.entries import (
    InboxAnswer,
    NewAddressAnswer,
    OwnDataAnswer,
    SignupAnswer,
)
from waitlist_shared.limits import MAX_COMBINATIONS

Responses = dict[int, Any]
# Every operation that uses both stores can return these problems.
OUTAGES = ("rebuilding", "record_unavailable")


class Operation(Struct, frozen=True):
    """The OpenAPI documentation of one operation."""

    tag: str
    summary: str
    responses: Responses
    description: str | None = None
    security: Security | None = None


def operations(*, knows_issuer: bool) -> Mapping[str, Operation]:
    """Return the documentation of every operation by operation id.

    If `knows_issuer` is true, customers send the tokens of an OIDC issuer. Otherwise they send
    entry tokens.
    """
    through_edge = _anyone() | _customers(knows_issuer=knows_issuer)
    return {
        name: _add_edge_refusal(operation) for name, operation in through_edge.items()
    } | _operators()


def _add_edge_refusal(operation: Operation) -> Operation:
    """Add the problem `edge_only`, which a stack with the parameter `EdgeOnly` returns."""
    refusal = problems("edge_only")[403]
    if (other := operation.responses.get(403)) is not None:
        refusal = {**other, "description": f"{other['description']}, `edge_only`"}
    return replace(operation, responses={**operation.responses, 403: refusal})


def with_headers(headers: dict[str, Any], responses: Responses) -> Responses:
    """Return `responses` with these headers added to the response 200."""
    return {**responses, 200: {**responses[200], "headers": headers}}


PUBLIC_CACHE = {
    "Cache-Control": {"schema": {"type": "string", "pattern": "^public, max-age=[0-9]+$"}}
}


ETAG = {
    "ETag": {
        "description": "The version of the settings, for use in `If-Match`.",
        "schema": {"type": "string", "pattern": '^"[0-9]+"$'},
    }
}


LOCATION = {
    "Location": {
        "description": "The URL of the entry, relative to the URL of the request.",
        "schema": {"type": "string", "format": "uri-reference"},
    }
}


BOARD_CACHE = {
    "Cache-Control": {
        "description": "A cache may serve an old board while it fetches the new board. The field "
        "`as_of` says how old a board is.",
        "schema": {"type": "string", "const": "public, max-age=5, stale-while-revalidate=30"},
    }
}


def _anyone() -> dict[str, Operation]:
    return {
        "getPassIssuer": Operation(
            "anyone",
            "Get the OpenID Connect discovery document",
            with_headers(
                PUBLIC_CACHE,
                answers(200, "The discovery document, which says where the keys of the passes are"),
            ),
            "JWT authorizers and libraries read this document (OpenID Connect Discovery) to find "
            "the keys that verify passes.",
        ),
        "getPassKeys": Operation(
            "anyone",
            "Get the public keys that verify passes",
            with_headers(PUBLIC_CACHE, answers(200, "The public keys", "keys_unavailable")),
            "A new key is published before it signs its first pass. An old key stays published "
            "until all passes that it signed have ended.",
        ),
        "health": Operation(
            "anyone",
            "Check whether both stores are available",
            {200: {"description": "The state of both stores"}, **problems()},
        ),
        "getWaitlist": Operation(
            "anyone",
            "Get the public data of a waitlist",
            with_headers(
                PUBLIC_CACHE,
                answers(200, "The waitlist", "waitlist_not_found", *OUTAGES),
            ),
        ),
        "getBoard": Operation(
            "anyone",
            "Get the board, from which an app computes positions",
            with_headers(
                BOARD_CACHE,
                answers(
                    200,
                    "The board",
                    "waitlist_not_found",
                    "counts_hidden",
                    *OUTAGES,
                ),
            ),
            "The board says which position each `rank` has. A cache can serve the same board to "
            "all customers, so an app that polls the board causes little load. An app should "
            "still get its own entry when the entry is near the head, when the board no longer "
            "covers the entry's `rank`, and every few minutes, because an operator may have moved "
            "the entry. The service makes a new board at most every five seconds.",
        ),
    }


OWN_ENTRY = ("unauthorized", "forbidden", "waitlist_not_found", "entry_not_found")
OWN_OFFER = (
    *OWN_ENTRY,
    "not_offered",
    "already_admitted",
    "not_waiting",
    *OUTAGES,
)
EDIT_OWN = (*OWN_ENTRY, "already_admitted", "not_waiting", *OUTAGES)
SIGN_UP = (
    "invalid_json",
    "banned",
    "waitlist_not_found",
    "already_on_list",
    "idempotency_key_reused",
    "already_left",
    "already_admitted",
    "not_open_yet",
    "waitlist_closed",
    "waitlist_full",
    "not_waiting",
    "unsupported_media_type",
    *OUTAGES,
)
BOT_CHECK = ("bot_check_failed", "bot_check_unavailable")
SIGN_UP_GUEST = "Send an Idempotency-Key. Only a repeat with the same key returns the token again."
SIGN_UP_WITH_JWT = (
    "The `sub` of the token identifies the customer, so a repeat returns the same entry."
)


def _signed_up(codes: tuple[str, ...], answer: type[BaseModel] | None) -> Responses:
    """Return the OpenAPI responses of a signup. `answer` is the type of the body for guests."""
    successes = {
        201: {**success(201, "The new entry", links.OF_A_SIGNUP), "headers": LOCATION},
        200: success(
            200,
            "The existing entry, which an earlier request of the same client created",
            links.OF_A_SIGNUP,
        ),
    }
    if answer is not None:
        description = (
            "The waitlist verifies addresses. This response is the same for every address."
        )
        successes |= {202: {**success(202, description), **_content(InboxAnswer)}}
        successes = {
            status: {**_content(answer), **response} for status, response in successes.items()
        }
    return {**successes, **problems(*codes)}


def _own_data(*, knows_issuer: bool) -> Responses:
    """Return the responses of a customer's change of their own data.

    If customers are guests, a new address must be verified first, so there is a second success.
    """
    successes = {200: {**success(200, "The customer's own profile"), **_content(OwnDataAnswer)}}
    if not knows_issuer:
        description = (
            "The new address must be verified. The response does not reveal whether another entry "
            "has it."
        )
        successes[202] = {**success(202, description), **_content(NewAddressAnswer)}
    codes = (*EDIT_OWN, "too_many_changes", "invalid_json", "unsupported_media_type")
    return {**successes, **problems(*codes)}


def _content(model: type[BaseModel]) -> dict[str, Any]:
    return {"content": {"application/json": {"model": model}}}


def _customers(*, knows_issuer: bool) -> dict[str, Operation]:
    credentials = JWT if knows_issuer else ENTRY_TOKEN
    mine = ("unauthorized", "forbidden") if knows_issuer else BOT_CHECK
    codes = (*mine, *SIGN_UP, "too_many_changes")
    return {
        "signUp": Operation(
            "customer",
            "Sign up",
            _signed_up(codes, None if knows_issuer else SignupAnswer),
            f"{SIGN_UP_WITH_JWT if knows_issuer else SIGN_UP_GUEST} The signup is refused if its "
            f"attributes would put the entry into more than {MAX_COMBINATIONS} segments.",
            JWT if knows_issuer else ENTRY_TOKEN_IF_ANY,
        ),
        "sendLink": Operation(
            "anyone",
            "Ask for a message with the link to one's own place",
            answers(
                202,
                "The request was accepted. The response is the same for every address.",
                "invalid_json",
                "waitlist_not_found",
                "no_entry_tokens",
                "unsupported_media_type",
                "throttled",
                "record_unavailable",
            ),
            "This operation works on waitlists with `identity`. If the address has a place, the "
            "service publishes the event `link_asked`, or `verification_asked` if the address is "
            "not verified yet, so that a message with the link is sent. An address gets such a "
            "message at most once a minute, and then after pauses of two minutes, four minutes "
            "and so on. If customers use the tokens of an OIDC issuer, the response is "
            "`no_entry_tokens`.",
        ),
        "verify": Operation(
            "anyone",
            "Verify the address of an entry",
            with_headers(
                NO_STORE,
                answers(
                    200,
                    "The entry and its entry token",
                    "invalid_json",
                    "code_refused",
                    "already_on_list",
                    "waitlist_not_found",
                    "no_entry_tokens",
                    "unsupported_media_type",
                    *OUTAGES,
                    links=links.OF_A_SIGNUP,
                ),
            ),
            "The code follows `#v=` in the link that was sent to the address. Send the code only "
            "when the customer asks for it, for example with a button, because programs that scan "
            "mail open links. If the code belongs to a new address, the entry moves to this "
            "address. If another entry already has the address, the response is `already_on_list` "
            "and nothing changes. A repeat gets the same response. If customers use the tokens of "
            "an OIDC issuer, the response is `no_entry_tokens`.",
        ),
        "getEntry": Operation(
            "customer",
            "Get the position of an entry",
            with_headers(
                NO_STORE,
                answers(
                    200,
                    "The entry, with its exact current position",
                    *OWN_ENTRY,
                    *OUTAGES,
                ),
            ),
            "If the request has `segment`, the response also has the entry's position within each "
            "segment that its values of these attributes form. Both positions are read at the "
            "same moment. If the waitlist does not declare this segment, the request is refused, "
            "and the error lists the declared segments. While segments are being built, the "
            "response is `503 rebuilding`.",
            credentials,
        ),
        "leave": Operation(
            "customer",
            "Leave the waitlist",
            answers(
                204,
                "The customer has left the waitlist",
                *OWN_ENTRY,
                "already_admitted",
                *OUTAGES,
            ),
            "A repeat gets the same response.",
            credentials,
        ),
        "changeOwnData": Operation(
            "customer",
            "Change one's own data",
            with_headers(NO_STORE, _own_data(knows_issuer=knows_issuer)),
            "An empty `profile` changes nothing, and a repeat gets the same response. Fields that "
            "the waitlist requires cannot be removed. If the request changes the address that "
            "identifies the customer (`identity`), the new address must be verified first. The "
            "response is then `202`, the event `address_change_asked` makes the service send a "
            "message to the new address, and `verify` with the code from this message moves the "
            "entry. Only the last new address counts. Sending the current address cancels the "
            "change. A customer can give three new addresses at once, and then one more after one "
            "minute, two minutes, four minutes and so on. Before that, the response is "
            "`too_many_changes`. Only operators can change form fields that are kept as "
            "attributes.",
            credentials,
        ),
        "enter": Operation(
            "customer",
            "Accept an offer and be admitted",
            with_headers(
                NO_STORE,
                answers(
                    200,
                    "The admission",
                    *OWN_OFFER,
                    "offer_expired",
                    "throttled",
                    "keys_unavailable",
                ),
            ),
            "A repeat returns the same admission and the same pass.",
            credentials,
        ),
        "getPass": Operation(
            "customer",
            "Get the pass of an admission",
            with_headers(
                NO_STORE,
                answers(
                    200,
                    "The admission and its pass",
                    *OWN_ENTRY,
                    "not_inside",
                    "keys_unavailable",
                    "record_unavailable",
                ),
            ),
            "The pass is available until it ends, even if the waitlist admitted the customer "
            "without an offer.",
            credentials,
        ),
        "decline": Operation(
            "customer",
            "Decline an offer",
            answers(
                200,
                "The entry, which is now at the end of the queue or has left",
                *OWN_OFFER,
                "offer_expired",
                "too_many_changes",
                "invalid_json",
                "unsupported_media_type",
            ),
            "The next customer gets the offer at once. Send `offered_until` of the offer, or an "
            "`Idempotency-Key`, so that a repeat changes nothing. Without either, each request "
            "declines the offer that is open at that moment.",
            credentials,
        ),
        "rest": Operation(
            "customer",
            "Rest until a given time",
            answers(
                200,
                "The entry, which is not ready until the rest ends",
                *EDIT_OWN,
                "rest_not_allowed",
                "rests_used_up",
                "too_many_changes",
                "invalid_json",
                "unsupported_media_type",
            ),
            "While the entry rests, it keeps its place and other customers are served first. At "
            "`until` the entry becomes ready again. A repeat with the same `until` changes "
            "nothing. A request with another `until` counts as another rest.",
            credentials,
        ),
        "resume": Operation(
            "customer",
            "End a rest",
            answers(
                200,
                "The entry after the change",
                *EDIT_OWN,
                "invalid_json",
                "unsupported_media_type",
            ),
            "If the entry does not rest, or has begun another rest, the request changes nothing. "
            "A repeat gets the same response.",
            credentials,
        ),
        "confirm": Operation(
            "customer",
            "Confirm that one is still waiting",
            answers(200, "The entry, without an open question", *EDIT_OWN),
            "If there is no open question, the request changes nothing. The service accepts a "
            "late answer after `confirm_by`, until it has recorded that the customer did not "
            "answer. After that, the response is `not_waiting`.",
            credentials,
        ),
        "exitEntry": Operation(
            "customer",
            "Go out and free one's room inside",
            answers(200, "The admission", *OWN_ENTRY, "not_inside", *OUTAGES),
            "A repeat gets the same response. If the customer never sends this request, the room "
            "is free when the pass ends. If the policy's `customer_exit` is `frees_at_end`, the "
            "room is free at the end of the pass in either case.",
            credentials,
        ),
    }


WAITLIST = ("unauthorized", "waitlist_not_found", "record_unavailable")
READ = (*WAITLIST, "rebuilding")
# Problems of an operation with a request body.
WRITE = (*READ, "invalid_json", "unsupported_media_type")
ENTRY = (*WRITE, "entry_not_found")
HOLD = (*ENTRY, "claim_expired", "claim_mismatch", "not_waiting", "already_admitted")


def _operator(summary: str, responses: Responses, description: str | None = None) -> Operation:
    return Operation("operator", summary, responses, description, SIGV4)


def _operators() -> dict[str, Operation]:
    return _waitlists() | _admission() | _claims() | _entries() | _tokens()


def _waitlists() -> dict[str, Operation]:
    return {
        "listWaitlists": _operator(
            "List waitlists",
            answers(
                200,
                "A page of waitlists, sorted by id",
                "unauthorized",
                "record_unavailable",
                links=links.next_page("listWaitlists"),
            ),
        ),
        "replayWebhook": _operator(
            "Send the webhook's dead letters again",
            answers(
                200,
                "The number of events that are sent again",
                "unauthorized",
                "invalid_json",
                "unsupported_media_type",
                "no_webhook",
            ),
            "A dead letter is an event that the webhook did not accept for a day. This operation "
            "sends the dead letters since a given time again. The events of each entry arrive in "
            "order. A repeat sends the events that are left.",
        ),
        "putWaitlist": _operator(
            "Create a waitlist, or replace its whole configuration",
            {
                201: {**success(201, "The new waitlist", links.OF_A_WAITLIST), "headers": ETAG},
                **with_headers(
                    ETAG,
                    answers(
                        200,
                        "The changed waitlist",
                        *WAITLIST,
                        "settings_changed",
                        "waitlist_exists",
                        "invalid_json",
                        "waitlist_deleting",
                        "unsupported_media_type",
                        links=links.OF_A_WAITLIST,
                    ),
                ),
            },
            "If the request has `If-None-Match: *`, it only creates a waitlist and never replaces "
            "one.",
        ),
        "changeWaitlist": _operator(
            "Change some settings of a waitlist",
            with_headers(
                ETAG,
                answers(
                    200,
                    "The changed waitlist",
                    *WRITE,
                    "waitlist_deleting",
                    "settings_changed",
                    links=links.OF_A_WAITLIST,
                ),
            ),
            "The body is a JSON Merge Patch (RFC 7396), sent as `application/merge-patch+json` or "
            "`application/json`. If two operators change different settings at the same time, "
            "both changes are kept. If they change the same setting, the later change wins. If "
            "they send `If-Match`, the later change is refused instead. A request that changes "
            "nothing creates no new version.",
        ),
        "getWaitlistConfig": _operator(
            "Get the configuration of a waitlist",
            with_headers(ETAG, answers(200, "The waitlist", *WAITLIST)),
        ),
        "deleteWaitlist": _operator(
            "Delete a waitlist with all its entries",
            answers(204, "The waitlist is deleted", *WAITLIST, "settings_changed"),
            "The waitlist is gone at once. Its records are erased in the background.",
        ),
        "getStats": _operator(
            "Get the counts of a waitlist",
            answers(200, "The exact current counts", *READ),
            "The estimate is the wait of a customer who joins now, at the pace of the last minute.",
        ),
        "getStatsHistory": _operator(
            "Get the counts of a waitlist over the last hour, day or week",
            answers(200, "Points at equal intervals, oldest first", *WAITLIST),
            "The counts are samples. Maintenance takes a sample each minute and keeps it for two "
            "days. It keeps one sample of each hour for four weeks. A point without a sample "
            "repeats the counts of the point before.",
        ),
        "previewAdmission": _operator(
            "Estimate the waits under an admission policy before you save it",
            answers(200, "The estimates by position", *WRITE),
            "The response has the estimates that customers at these positions would get under "
            "this policy. If the policy is the saved policy, its estimates use the measured pace "
            "of the waitlist. The estimates of any other policy are the estimates that customers "
            "get just after the change. If the waitlist is paused, the estimates assume that it "
            "resumes now. Nothing is saved.",
        ),
        "listSegments": _operator(
            "Count the waiting entries of each segment",
            answers(
                200, "A page of segments", *READ, links=links.next_page("listSegments", links.HERE)
            ),
            "The counts are exact at the time of the response. Segments without a waiting entry "
            "are not listed. Each page is sorted by attributes and values, but the pages are not "
            "in order among each other. If the waitlist declares no segments, the list is empty.",
        ),
    }


def _admission() -> dict[str, Operation]:
    return {
        "admit": _operator(
            "Offer slots to the next entries, optionally of one segment",
            answers(
                200,
                "The entries that got a slot, in serving order",
                *WRITE,
                "waitlist_paused",
                "idempotency_key_reused",
            ),
            "This admission comes on top of the policy. If an operator repeats a request with the "
            "same Idempotency-Key, no further slots are offered. The response has the same "
            "entries, except entries that no longer have their slot. If `refill` is true, slots "
            "that are not used go to the next entries. A request with a `count` of 0 ends the "
            "refilling.",
        ),
        "admitPerson": _operator(
            "Offer a slot to one entry now",
            answers(
                200,
                "The entry and its offer",
                *ENTRY,
                "not_waiting",
                "already_admitted",
                "inside_full",
                "waitlist_paused",
                "idempotency_key_reused",
            ),
            "The entry may be anywhere in the queue, and the rate and schedule of the policy do "
            "not matter. The offer takes no slot of the policy, so an unused offer does not go to "
            "another entry. If an operator repeats a request with the same Idempotency-Key, no "
            "second offer is made.",
        ),
        "withdraw": _operator(
            "Take an offer back",
            answers(
                200,
                "The entry, which waits at its old place again",
                *ENTRY,
                "not_offered",
                "offer_expired",
                "not_waiting",
                "already_admitted",
            ),
            "The slot goes to the next entry at once if the policy or a quota still has this slot "
            "open. Send `offered_until`, which names the offer, so that a repeat changes nothing.",
        ),
        "exitPerson": _operator(
            "Let a customer go out and free their room inside",
            answers(200, "The admission", *ENTRY, "not_inside"),
            "A repeat gets the same response.",
        ),
    }


def _claims() -> dict[str, Operation]:
    return {
        "claim": _operator(
            "Claim the next entries, optionally of one segment",
            answers(
                200,
                "The claimed entries, in serving order",
                *WRITE,
                "waitlist_paused",
                "idempotency_key_reused",
            ),
            "Only one claimer can hold an entry at a time. If an operator repeats a request with "
            "the same Idempotency-Key, the response has the same entries and claim tokens, except "
            "entries that are no longer held. If a filter is not a declared segment, the request "
            "is refused, and the error lists the declared segments. With `filters`, the entries "
            "of the first filter come first, in serving order, and then the entries of the next "
            "filter. While segments are being built, the response is `503 rebuilding`.",
        ),
        "complete": _operator(
            "Admit a claimed entry for good",
            answers(200, "The entry is admitted", *HOLD),
            "A repeat with the same claim token gets the same response. Any other claim token is "
            "refused.",
        ),
        "release": _operator(
            "Return a claimed entry to the queue",
            answers(200, "The entry and its position", *HOLD),
            "A repeat with the same claim token gets the same response and does not restart the "
            "delay.",
        ),
        "extend": _operator(
            "Renew the lease of a claim (heartbeat)",
            answers(200, "The entry and its new deadline", *HOLD),
            "The lease starts again at the time of this request.",
        ),
        "park": _operator(
            "Park a claimed entry until an operator redrives it",
            answers(200, "The entry is parked", *HOLD, links=links.OF_THE_PARKED),
        ),
        "redrive": _operator(
            "Return a parked entry to the queue",
            answers(200, "The entry and its position", *ENTRY, "not_parked", "already_admitted"),
        ),
    }


def _entries() -> dict[str, Operation]:
    return {
        "importEntries": _operator(
            "Import up to 500 entries, even into a closed waitlist",
            with_headers(
                NO_STORE,
                answers(200, "The outcome of each row", *WRITE),
            ),
            "Each row is validated like a signup. An invalid row is refused, and the other rows "
            "are still imported. A repeat changes nothing. It reports customers who are on the "
            "waitlist as `already`, and customers who have left or were admitted as `ended`, "
            "unless the request's `ended` is `rejoin`. Rows keep their order, even if several "
            "rows have the same `joined_at`, and even if a call that got no response is repeated. "
            "The body may have at most 2 MB.",
        ),
        "importWithTokens": _operator(
            "Import entries and get their entry tokens",
            with_headers(
                NO_STORE,
                answers(
                    200, "The outcome and the entry token of each row", *WRITE, "no_entry_tokens"
                ),
            ),
            "This operation works like `importEntries`. The response also has an entry token for "
            "each row that is on the waitlist afterwards, unless the guest signed up themselves. "
            "Pass the tokens on to the guests. If customers use the tokens of an OIDC issuer, the "
            "response is `no_entry_tokens`. The operation has its own IAM permission, because not "
            "everyone who may add people should be able to act for them.",
        ),
        "listEntries": _operator(
            "List entries by status",
            answers(
                200, "A page of entries", *READ, links=links.next_page("listEntries", links.HERE)
            ),
            "Waiting entries are sorted in serving order, offered entries by deadline, and parked "
            "entries by the time of parking. Entries that were admitted or left, and customers "
            "who are `inside` (admitted, and still counted until `room_until`), are sorted by the "
            "time at which their stay ended, oldest first. Customers who are `banned` are sorted "
            "by the time of the ban, oldest first. In these lists, an entry that changed in "
            "the last moments may be missing. A page of these lists may be empty before the last "
            "page, so follow `cursor` until it is null.",
        ),
        "getPerson": _operator(
            "Get an entry with its profile and history",
            answers(
                200,
                "The entry",
                *READ,
                "entry_not_found",
                links=links.next_page("getPerson", links.SAME_ENTRY),
            ),
            "The response has the newest 100 events of the history, oldest first. If the request "
            "has `include=history`, the response is a page of the history, which begins with the "
            "oldest event. Follow `cursor` to the end to read everything that is recorded about "
            "the person.",
        ),
        "findPerson": _operator(
            "Find a person by their address",
            answers(200, "The entry", *ENTRY, "no_entry_tokens"),
            "This operation works on waitlists with `identity`. Any spelling of the mail address "
            "or telephone number finds the entry. Send the address in the body, because URLs are "
            "logged. If customers use the tokens of an OIDC issuer, the response is "
            "`no_entry_tokens`.",
        ),
        "editPerson": _operator(
            "Replace an entry's attributes, its profile, or both",
            answers(200, "The entry", *ENTRY, "not_waiting", "already_admitted"),
            "Each field that you send replaces the whole stored value. The entry keeps its "
            "position, and its segments follow the new attributes. A repeat gets the same "
            "response. The history records which field was changed, but not the values.",
        ),
        "askAll": _operator(
            "Ask customers now whether they still wait",
            answers(
                200,
                "The number of entries on this page that were asked",
                *WRITE,
                "confirm_off",
                "queue_unavailable",
            ),
            "This operation goes through the waiting entries that are ready, one page per "
            "request. Repeat the request with the returned `cursor` until the `cursor` is null. A "
            "customer who has already been asked is not asked again.",
        ),
        "setReady": _operator(
            "Hold an entry back, or stop holding it back",
            answers(200, "The entry", *ENTRY, "not_waiting", "already_admitted"),
            "An entry that is held back keeps its place, and other entries are served first. If "
            "the entry is offered or parked, it is held back once it waits again. A repeat gets "
            "the same response.",
        ),
        "verifyPerson": _operator(
            "Mark the address of an entry as verified",
            answers(200, "The entry", *ENTRY, "not_waiting", "already_admitted"),
            "Use this operation if you have checked the person yourself, for example by their "
            "passport. After that, the entry can be offered a slot, as after `verify`. If the "
            "entry needs no verification, nothing changes. A repeat gets the same response.",
        ),
        "erasePerson": _operator(
            "Erase a person's record, history and position",
            answers(204, "All data about the person is erased", *READ),
        ),
        "remove": _operator(
            "Remove an entry, even if it is offered or parked",
            answers(
                204,
                "The customer has left, and is banned if the request asked for a ban",
                *ENTRY,
                "already_admitted",
            ),
            "A repeat gets the same response. If `ban` is true, later signups of the customer are "
            "refused until an `unban`. A customer can be banned in any status.",
        ),
        "unban": _operator(
            "End the ban of a customer",
            answers(204, "The customer is not banned", *ENTRY, "ban_mismatch"),
            "After the unban, the waitlist's `rejoin` decides whether the customer may sign up "
            "again. Only `reinstate` gives the former place back. A repeat gets the same response.",
        ),
        "reinstate": _operator(
            "Give an entry its former place back",
            answers(
                200,
                "The entry, at its former place",
                *ENTRY,
                "banned",
                "already_on_list",
                "already_admitted",
                "no_former_place",
                "waitlist_full",
                "not_waiting",
                "idempotency_key_reused",
            ),
            "Use this operation for an entry that has left, was removed, did not use its offer, "
            "or is parked. The entry returns to its former place between its former neighbours, "
            "with the priority, `joined_at`, profile and attributes of the stay that has ended. "
            "The entry begins a new stay. Its former entry token, claim and parking are no longer "
            "valid, its attempts start at 0, and it counts as another signup. Get the guest's new "
            "token with `issueToken`, or their new link with `getLink`. An entry can be "
            "reinstated on a closed waitlist, but not on a full waitlist. After `retention_days` "
            "from the end of the stay the response is `entry_not_found`.",
        ),
        "bump": _operator(
            "Move an entry",
            answers(
                200,
                "The entry and its new position",
                *ENTRY,
                "not_waiting",
                "already_admitted",
                "no_room",
                "idempotency_key_reused",
            ),
            "If an operator repeats a request with the same Idempotency-Key, the entry is not "
            "moved again. The response then has the current position, and the distance that the "
            "first request moved the entry.",
        ),
    }


def _tokens() -> dict[str, Operation]:
    return {
        "issueToken": _operator(
            "Issue an entry token for a guest",
            with_headers(
                NO_STORE,
                answers(
                    200,
                    "The entry token",
                    *READ,
                    "entry_not_found",
                    "no_entry_tokens",
                    "unsupported_media_type",
                ),
            ),
            "Use this operation for a customer who was imported, or who has lost their token. "
            "Whoever has the token can act as the customer in the latest stay of the entry: read "
            "it, enter, decline, get the pass, exit and leave. The request has no body and "
            "changes nothing. Earlier tokens of the same stay stay valid. If customers use the "
            "tokens of an OIDC issuer, the response is `no_entry_tokens`.",
        ),
        "previewMessages": _operator(
            "Show the messages of a waitlist with example data",
            answers(200, "The messages, shown as mails", *WAITLIST),
            "The response has each kind of message in each language, including kinds that the "
            "waitlist does not send. It uses the waitlist's own texts where the waitlist has "
            "them. No message is sent.",
        ),
        "sendTestMessage": _operator(
            "Send yourself a message of the waitlist with example data",
            answers(
                200,
                "The message has been sent",
                "unauthorized",
                "waitlist_not_found",
                "no_messages",
                "invalid_json",
                "unsupported_media_type",
                "queue_unavailable",
                "record_unavailable",
                "not_ready",
            ),
            "The message goes through the stack's own sender, and uses the waitlist's own texts "
            "where the waitlist has them. The address is neither stored nor logged.",
        ),
        "listMessages": _operator(
            "List the messages to a person and their outcomes",
            answers(200, "The messages, without addresses and texts", *WAITLIST, "entry_not_found"),
            "The list covers the current stay. A message that is being sent at this moment is not "
            "listed yet.",
        ),
        "getLink": _operator(
            "Get the link by which a guest opens the entry",
            with_headers(
                NO_STORE,
                answers(
                    200,
                    "The link",
                    *READ,
                    "entry_not_found",
                    "no_entry_tokens",
                    "unsupported_media_type",
                ),
            ),
            "Use this operation if your own mail system sends the messages. Send the link only to "
            "the address in the entry's profile. While the address is not verified, the customer "
            "verifies it with the link, within `verify_minutes` from this request. After that the "
            "link opens the entry, as the entry token does. The request has no body and changes "
            "nothing.",
        ),
    }
