"""The OpenAPI documentation of each operation. A route contains only its operation id."""

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
# Errors that any operation can return if it uses both Redis and DynamoDB.
OUTAGES = ("rebuilding", "record_unavailable")


class Operation(Struct, frozen=True):
    """The OpenAPI documentation of one operation."""

    tag: str
    summary: str
    responses: Responses
    description: str | None = None
    security: Security | None = None


def operations(*, knows_issuer: bool) -> Mapping[str, Operation]:
    """Return the documentation of every operation, by operation id.

    If `knows_issuer` is true, customers authenticate with tokens of an OIDC issuer. Otherwise they
    authenticate with entry tokens.
    """
    through_edge = _anyone() | _customers(knows_issuer=knows_issuer)
    return {
        name: _add_edge_refusal(operation) for name, operation in through_edge.items()
    } | _operators()


def _add_edge_refusal(operation: Operation) -> Operation:
    """Add the error `edge_only`, which is returned if the stack's parameter `EdgeOnly` is set."""
    refusal = problems("edge_only")[403]
    if (other := operation.responses.get(403)) is not None:
        refusal = {**other, "description": f"{other['description']}, `edge_only`"}
    return replace(operation, responses={**operation.responses, 403: refusal})


def with_headers(headers: dict[str, Any], responses: Responses) -> Responses:
    """Return `responses`, with these headers added to the 200 response."""
    return {**responses, 200: {**responses[200], "headers": headers}}


PUBLIC_CACHE = {
    "Cache-Control": {"schema": {"type": "string", "pattern": "^public, max-age=[0-9]+$"}}
}


ETAG = {
    "ETag": {
        "description": "The version of the settings. Send it in `If-Match` with a later change.",
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
        "description": "A cache may serve an old board while it fetches a new board. The field "
        "`as_of` "
        "contains the time of the board.",
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
                answers(200, "The discovery document, which contains the URL of the public keys"),
            ),
            "JWT authorizers and libraries read this document (OpenID Connect Discovery) to find "
            "the keys that verify passes.",
        ),
        "getPassKeys": Operation(
            "anyone",
            "Get the public keys that verify passes",
            with_headers(PUBLIC_CACHE, answers(200, "The public keys", "keys_unavailable")),
            "A new key is published before it signs its first pass. An old key stays published "
            "until the last pass that it signed has expired.",
        ),
        "health": Operation(
            "anyone",
            "Check whether Redis and DynamoDB are available",
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
            "Get the board, a snapshot of all positions",
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
            "The board is a public snapshot of the queue, with the position of each `rank`. "
            "Because the board is the same for all customers, a cache can serve it. A new board "
            "is made at most every five seconds. Get the entry itself every few minutes, because "
            "an operator may have moved it. Get it more often when it is near the head of the "
            "queue, or when the board no longer covers its `rank`.",
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
SIGN_UP_GUEST = (
    "Send an Idempotency-Key. If you lose the response, only a request with the same key returns "
    "the entry token again."
)
SIGN_UP_WITH_JWT = (
    "The `sub` claim of the token identifies the customer, so a repeated signup returns the same "
    "entry."
)


def _signed_up(codes: tuple[str, ...], answer: type[BaseModel] | None) -> Responses:
    """Return the OpenAPI responses of the signup operation.

    `answer` is the response model for guests. It is None if customers have accounts.
    """
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
            "The waitlist verifies addresses. This response is the same for every address, so it "
            "does not reveal who is on the waitlist."
        )
        successes |= {202: {**success(202, description), **_content(InboxAnswer)}}
        successes = {
            status: {**_content(answer), **response} for status, response in successes.items()
        }
    return {**successes, **problems(*codes)}


def _own_data(*, knows_issuer: bool) -> Responses:
    """Return the OpenAPI responses of the operation with which customers change their own data."""
    successes = {200: {**success(200, "The customer's own profile"), **_content(OwnDataAnswer)}}
    if not knows_issuer:
        description = (
            "The new address must be verified first. The response does not reveal whether another "
            "entry has this address."
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
            "Request a message with a link to one's own entry",
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
            "Sends a link to the address if an entry has this address. The service publishes the "
            "`link_asked` event, or `verification_asked` if the address is not verified yet. An "
            "address gets at most one of these messages a minute, and the pauses double with each "
            "further message. The operation works only if the waitlist has `identity` set. If "
            "customers sign in with an OIDC issuer, the request fails with `no_entry_tokens`.",
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
            "Send the code from the link that the address has received. The code is the part "
            "after `#v=`. Call the operation only after a click, because programs that scan mail "
            "open links automatically. If the code was sent to a new address, the entry moves to "
            "that address. If another entry already has the new address, the request fails with "
            "`already_on_list` and nothing changes. A repeated request returns the same response. "
            "If customers sign in with an OIDC issuer, the request fails with `no_entry_tokens`.",
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
            "To also get the entry's position within a segment, send the attribute names of the "
            "segment in `segment`. If the entry has several values for these attributes, the "
            "response has a position for each combination. If the waitlist has not declared the "
            "segment, the request is refused. While the service prepares new segments, the "
            "request fails with `503 rebuilding`.",
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
            "A repeated request returns the same response.",
            credentials,
        ),
        "changeOwnData": Operation(
            "customer",
            "Change the customer's own data",
            with_headers(NO_STORE, _own_data(knows_issuer=knows_issuer)),
            "A field that the waitlist requires cannot be removed. Only operators can change "
            "form fields that are stored as attributes. If the request changes the address that "
            "identifies the customer, the response is `202`. The service then "
            "publishes the `address_change_asked` event and sends a code to the new address. The "
            "entry moves to the new address when `verify` is called with this code. Only the "
            "newest requested address can be verified. To cancel the change, send the current "
            "address. A customer can request three new addresses in a row. After that, a request "
            "that comes too early fails with `too_many_changes`. A repeated request returns the "
            "same response.",
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
            "A repeated request returns the same admission and the same pass.",
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
            "The pass is available until it expires.",
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
            "The next customer gets the offer at once. Send `offered_until` or an "
            "`Idempotency-Key`, so that a repeated request cannot decline a later offer.",
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
            "While an entry rests, it keeps its position in the queue, but other customers are "
            "served first. At the time `until`, the entry becomes ready again. If a request with "
            "the same `until` is repeated, it changes nothing.",
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
            "If the entry is not resting, or if a different rest has begun, nothing changes. A "
            "repeated request returns the same response.",
            credentials,
        ),
        "confirm": Operation(
            "customer",
            "Confirm that the customer is still waiting",
            answers(200, "The entry after the confirmation", *EDIT_OWN),
            "Some waitlists ask customers from time to time whether they are still waiting. If "
            "the customer has not been asked, the request changes nothing. After the service has "
            "recorded that the customer did not answer, the request fails with `not_waiting`.",
            credentials,
        ),
        "exitEntry": Operation(
            "customer",
            "Exit, which makes room for another customer",
            answers(200, "The admission", *OWN_ENTRY, "not_inside", *OUTAGES),
            "A repeated request returns the same response. If the customer never sends this "
            "request, they count for `max_inside` until their pass ends. If the policy's "
            "`customer_exit` is `frees_at_end`, they count until the end of the pass even after "
            "this request.",
            credentials,
        ),
    }


WAITLIST = ("unauthorized", "waitlist_not_found", "record_unavailable")
READ = (*WAITLIST, "rebuilding")
# Return the errors of an operation that has a request body.
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
            "A dead letter is an event that could not be delivered to the webhook for a day. This "
            "operation sends all dead letters since a given time again. The events of each entry "
            "arrive in order. If the response has `more`, repeat the request to send the remaining "
            "events.",
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
            "If the request has `If-None-Match: *`, it creates a new waitlist and never replaces "
            "an existing waitlist.",
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
            "The body is a JSON Merge Patch (RFC 7396) with the media type "
            "`application/merge-patch+json` or `application/json`. If two operators change "
            "different settings at the same time, both changes are kept. If they change the same "
            "setting, the later change wins. With `If-Match`, the later change is refused "
            "instead. A request that changes nothing does not create a new version.",
        ),
        "getWaitlistConfig": _operator(
            "Get the configuration of a waitlist",
            with_headers(ETAG, answers(200, "The waitlist", *WAITLIST)),
        ),
        "deleteWaitlist": _operator(
            "Delete a waitlist with all its entries",
            answers(204, "The waitlist is deleted", *WAITLIST, "settings_changed"),
            "The waitlist disappears at once. Its records are erased in the background.",
        ),
        "getStats": _operator(
            "Get the counts of a waitlist",
            answers(200, "The exact current counts", *READ),
            "The estimate is the wait of a customer who joins now. It assumes that customers are "
            "admitted as fast as in the last minute.",
        ),
        "getStatsHistory": _operator(
            "Get the counts of a waitlist over the last hour, day or week",
            answers(200, "Points at equal intervals, oldest first", *WAITLIST),
            "The service takes a sample of the counts every minute and keeps it for two days. It "
            "keeps one sample of every hour for four weeks. If a point in time has no sample, it "
            "gets the counts of the previous point.",
        ),
        "previewAdmission": _operator(
            "Estimate waits under an admission policy without saving it",
            answers(200, "The estimates by position", *WRITE),
            "The response contains the estimated waits at the given positions under the given "
            "policy. The request saves nothing. If the given policy is the saved policy, the "
            "estimates use the measured speed of the waitlist. Otherwise, they are the estimates "
            "just after a change to the given policy. If the waitlist is paused, the estimates "
            "assume that it resumes now.",
        ),
        "listSegments": _operator(
            "Count the waiting entries of each segment",
            answers(
                200, "A page of segments", *READ, links=links.next_page("listSegments", links.HERE)
            ),
            "The counts are exact at the time of the response. Segments without a waiting entry "
            "are left out. If the waitlist declares no segments, the list is empty. Each page is "
            "sorted by attributes and values, but the order across pages is undefined.",
        ),
    }


def _admission() -> dict[str, Operation]:
    return {
        "admit": _operator(
            "Offer slots to the next entries, optionally within one segment",
            answers(
                200,
                "The entries that got a slot, in serving order",
                *WRITE,
                "waitlist_paused",
                "idempotency_key_reused",
            ),
            "This operation offers slots in addition to the slots of the waitlist's policy. If "
            "`refill` is true, each unused slot is offered to the next entry. A request with a "
            "`count` of 0 stops these further offers. A repeated request with the same "
            "Idempotency-Key offers no further slots, and returns the entries that still have "
            "their slot.",
        ),
        "admitPerson": _operator(
            "Offer a slot to one entry now",
            answers(
                200,
                "The entry with its offer",
                *ENTRY,
                "not_waiting",
                "already_admitted",
                "inside_full",
                "waitlist_paused",
                "idempotency_key_reused",
            ),
            "The entry may be anywhere in the queue. The policy's rate and schedule do not apply "
            "to this offer. If the customer does not accept the offer, no other entry gets it. A "
            "repeated request with the same Idempotency-Key makes no second offer.",
        ),
        "withdraw": _operator(
            "Take an offer back",
            answers(
                200,
                "The entry, which waits in its former position again",
                *ENTRY,
                "not_offered",
                "offer_expired",
                "not_waiting",
                "already_admitted",
            ),
            "If the slot is still available, the next entry gets it at once. Send the "
            "`offered_until` of the offer, so that a repeated request cannot withdraw a later "
            "offer.",
        ),
        "exitPerson": _operator(
            "Check a customer out, which makes room for another customer",
            answers(200, "The admission", *ENTRY, "not_inside"),
            "A repeated request returns the same response.",
        ),
    }


def _claims() -> dict[str, Operation]:
    return {
        "claim": _operator(
            "Claim the next entries, optionally within one segment",
            answers(
                200,
                "The claimed entries, in serving order",
                *WRITE,
                "waitlist_paused",
                "idempotency_key_reused",
            ),
            "A claim reserves an entry for one caller. A repeated request with the same "
            "Idempotency-Key returns the same entries and claim tokens, except for entries whose "
            "claim has ended. Each filter must match a declared segment. If there are several "
            "`filters`, the entries that match the first filter come first. While the service "
            "prepares new segments, the request fails with `503 rebuilding`.",
        ),
        "complete": _operator(
            "Admit a claimed entry for good",
            answers(200, "The entry is admitted", *HOLD),
            "A repeated request with the same claim token returns the same response. Any other "
            "claim token is refused.",
        ),
        "release": _operator(
            "Return a claimed entry to the queue",
            answers(200, "The entry and its position", *HOLD),
            "A repeated request with the same claim token returns the same response and does not "
            "restart the delay.",
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
            "Each row is validated like a signup. Invalid rows are refused, and all other rows "
            "are imported in their order. It is safe to repeat an import. Customers who are "
            "already on the waitlist are reported as `already`. Customers who have left or were "
            "admitted are reported as `ended`, unless the request's `ended` is `rejoin`. The body "
            "may have at most 2 MB.",
        ),
        "importWithTokens": _operator(
            "Import entries and get their entry tokens",
            with_headers(
                NO_STORE,
                answers(
                    200, "The outcome and the entry token of each row", *WRITE, "no_entry_tokens"
                ),
            ),
            "This operation works like `importEntries`, but the response also contains the entry "
            "tokens of the imported customers. Entries of guests who signed up themselves get no "
            "token. Give each token to its customer. If customers sign in with an OIDC issuer, "
            "the request fails with `no_entry_tokens`. The operation has its own IAM permission, "
            "because a token allows its holder to act as the customer.",
        ),
        "listEntries": _operator(
            "List entries by status",
            answers(
                200, "A page of entries", *READ, links=links.next_page("listEntries", links.HERE)
            ),
            "Waiting entries are sorted in serving order, offered entries by deadline, and parked "
            "entries by the time of parking. The lists `left`, `admitted`, `inside` and `banned` "
            "are sorted by the time of this event, oldest first. In these four lists, an entry "
            "that changed a moment ago may be missing, and a page can be empty although more "
            "pages follow. Follow `cursor` until it is null.",
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
            "The response contains the newest 100 events of the history, oldest first. To read "
            "the whole history, send `include=history` and follow `cursor` until it is null.",
        ),
        "findPerson": _operator(
            "Find a person by their address",
            answers(200, "The entry", *ENTRY, "no_entry_tokens"),
            "Any spelling of the email address or telephone number finds the entry. The address "
            "is sent in the body, because URLs are logged. The operation works only if the "
            "waitlist has `identity` set. If customers sign in with an OIDC issuer, the request "
            "fails with `no_entry_tokens`.",
        ),
        "editPerson": _operator(
            "Replace an entry's attributes, its profile, or both",
            answers(200, "The entry", *ENTRY, "not_waiting", "already_admitted"),
            "Each field in the request replaces the whole stored value. The entry keeps its "
            "position, and its segments change with its attributes. The history records which "
            "fields were changed, but not their values. A repeated request returns the same "
            "response.",
        ),
        "askAll": _operator(
            "Ask customers now whether they are still waiting",
            answers(
                200,
                "The number of entries on this page that were asked",
                *WRITE,
                "confirm_off",
                "queue_unavailable",
            ),
            "The operation asks ready entries whether they are still waiting, one page of entries "
            "per request. Repeat the request with the returned `cursor` until `cursor` is null. "
            "Customers who have already been asked are not asked again.",
        ),
        "setReady": _operator(
            "Hold an entry back, or stop holding it back",
            answers(200, "The entry", *ENTRY, "not_waiting", "already_admitted"),
            "An entry that is held back keeps its position in the queue, but other entries are "
            "served first. If the entry is offered or parked, the change takes effect when the "
            "entry is waiting again. A repeated request returns the same response.",
        ),
        "verifyPerson": _operator(
            "Mark the address of an entry as verified",
            answers(200, "The entry", *ENTRY, "not_waiting", "already_admitted"),
            "Use this operation if you have checked the person's identity yourself. The address "
            "then counts as verified, so the entry can be offered a slot. If the entry needs no "
            "verification, nothing changes. A repeated request returns the same response.",
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
            "A repeated request returns the same response. If `ban` is true, later signups of the "
            "customer are refused until an operator calls `unban`. A customer can be banned in any "
            "status.",
        ),
        "unban": _operator(
            "End the ban of a customer",
            answers(204, "The customer is not banned", *ENTRY, "ban_mismatch"),
            "The waitlist's `rejoin` setting decides whether the customer may sign up again after "
            "the ban has ended. The customer does not return to their former position, unless an "
            "operator calls `reinstate`. A repeated request returns the same response.",
        ),
        "reinstate": _operator(
            "Return an entry to its former position",
            answers(
                200,
                "The entry, in its former position",
                *ENTRY,
                "banned",
                "already_on_list",
                "already_admitted",
                "no_former_place",
                "waitlist_full",
                "not_waiting",
                "idempotency_key_reused",
            ),
            "Use this operation for an entry that has left, was removed, missed its offer, or is "
            "parked. The entry returns to its former position with its former priority, profile "
            "and attributes. The operation counts as a new signup, so the former entry token is "
            "no longer valid and `attempts` starts at 0. To get a new token for the guest, call "
            "`issueToken`. To get a new link, call `getLink`. An entry can be reinstated on a "
            "closed waitlist, but not on a full waitlist. When the entry's `retention_days` have "
            "passed, the request fails with `entry_not_found`.",
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
            "If a request is repeated with the same Idempotency-Key, the entry is not moved "
            "again. The response then contains the current position, and how far the first "
            "request moved the entry.",
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
            "Whoever has the token can act as the customer until the customer signs up again. "
            "Earlier tokens for the same signup remain valid. The request has no body and changes "
            "nothing. If customers sign in with an OIDC issuer, the request fails with "
            "`no_entry_tokens`.",
        ),
        "previewMessages": _operator(
            "Show a waitlist's messages with example data",
            answers(200, "The messages, shown as mails", *WAITLIST),
            "The response contains each kind of message in each language, even if the waitlist "
            "does not send it. No message is sent.",
        ),
        "sendTestMessage": _operator(
            "Send a message with example data to one address",
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
            "The message is sent from the stack's own address or number. The recipient's address "
            "is neither stored nor logged.",
        ),
        "listMessages": _operator(
            "List the messages to a person with the outcome of each",
            answers(200, "The messages, without addresses and texts", *WAITLIST, "entry_not_found"),
            "The list contains the messages since the customer's latest signup. A message that is "
            "being sent at this moment is not listed yet.",
        ),
        "getLink": _operator(
            "Get the link with which a guest opens their entry",
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
            "the address in the entry's profile. If the address is not verified yet, the link is "
            "valid for `verify_minutes` and verifies the address. Otherwise the link opens the "
            "entry. The request has no body and changes nothing.",
        ),
    }
