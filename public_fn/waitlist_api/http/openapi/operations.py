"""What the OpenAPI document says of each operation; the routes themselves say only their id."""

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
# Every operation that asks both stores may meet these.
OUTAGES = ("rebuilding", "record_unavailable")


class Operation(Struct, frozen=True):
    """The documentation of one operation, in the words of OpenAPI."""

    tag: str
    summary: str
    responses: Responses
    description: str | None = None
    security: Security | None = None


def operations(*, knows_issuer: bool) -> Mapping[str, Operation]:
    """Return the documentation of every operation by its id.

    With `knows_issuer` customers send the tokens of an OIDC issuer, else entry tokens.
    """
    by_the_edge = _anyone() | _customers(knows_issuer=knows_issuer)
    return {name: _by_the_edge(one) for name, one in by_the_edge.items()} | _operators()


def _by_the_edge(operation: Operation) -> Operation:
    """Return an operation with the refusal of a stack that has `EdgeOnly`."""
    refusal = problems("edge_only")[403]
    if (other := operation.responses.get(403)) is not None:
        refusal = {**other, "description": f"{other['description']}, `edge_only`"}
    return replace(operation, responses={**operation.responses, 403: refusal})


def with_headers(headers: dict[str, Any], responses: Responses) -> Responses:
    """Return responses whose success has these headers."""
    return {**responses, 200: {**responses[200], "headers": headers}}


PUBLIC_CACHE = {
    "Cache-Control": {"schema": {"type": "string", "pattern": "^public, max-age=[0-9]+$"}}
}


ETAG = {
    "ETag": {
        "description": "The version of the settings, for `If-Match`.",
        "schema": {"type": "string", "pattern": '^"[0-9]+"$'},
    }
}


LOCATION = {
    "Location": {
        "description": "The address of the entry, relative to that of the request.",
        "schema": {"type": "string", "format": "uri-reference"},
    }
}


BOARD_CACHE = {
    "Cache-Control": {
        "description": "A cache may answer an old board while it fetches the new one: see `as_of`.",
        "schema": {"type": "string", "const": "public, max-age=5, stale-while-revalidate=30"},
    }
}


def _anyone() -> dict[str, Operation]:
    return {
        "getPassIssuer": Operation(
            "anyone",
            "Get the discovery document of the passes",
            with_headers(PUBLIC_CACHE, answers(200, "Where the keys of the passes are")),
            "OpenID Connect Discovery: JWT authorizers and libraries find the keys by it.",
        ),
        "getPassKeys": Operation(
            "anyone",
            "Get the public keys of the passes",
            with_headers(PUBLIC_CACHE, answers(200, "The keys", "keys_unavailable")),
            "A new key is published before it signs, and stays until its passes are over.",
        ),
        "health": Operation(
            "anyone",
            "Check both stores",
            {200: {"description": "The state of both stores"}, **problems()},
        ),
        "getWaitlist": Operation(
            "anyone",
            "Get a waitlist",
            with_headers(
                PUBLIC_CACHE,
                answers(200, "The waitlist", "waitlist_not_found", *OUTAGES),
            ),
        ),
        "getBoard": Operation(
            "anyone",
            "Get the board: the positions of all ranks",
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
            "An app reads the position of its entry's `rank` from the board, which a cache can "
            "answer for everyone. It gets its own entry when the entry is near the head, when the "
            "board no longer has its rank, and every few minutes: an operator may have moved it. "
            "A new board is made at most every five seconds.",
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
SIGN_UP_GUEST = "Send an Idempotency-Key: only a repeat with the same key gets the token again."
SIGN_UP_WITH_JWT = "The token's `sub` identifies the customer: a repeat returns the same entry."


def _signed_up(codes: tuple[str, ...], answer: type[BaseModel] | None) -> Responses:
    """Return the responses of a signup; `answer` is that of guests, who may get another one."""
    successes = {
        201: {**success(201, "The new entry", links.OF_A_SIGNUP), "headers": LOCATION},
        200: success(200, "The entry of an earlier request of the same client", links.OF_A_SIGNUP),
    }
    if answer is not None:
        told = "A waitlist that verifies addresses: the same for every address"
        successes |= {202: {**success(202, told), **_content(InboxAnswer)}}
        successes = {
            status: {**_content(answer), **response} for status, response in successes.items()
        }
    return {**successes, **problems(*codes)}


def _own_data(*, knows_issuer: bool) -> Responses:
    """Return the responses of a change of one's own data: done, or of guests to be verified."""
    successes = {200: {**success(200, "One's own profile"), **_content(OwnDataAnswer)}}
    if not knows_issuer:
        told = "A new address is to be verified; the same whether or not another entry has it"
        successes[202] = {**success(202, told), **_content(NewAddressAnswer)}
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
            f"{SIGN_UP_WITH_JWT if knows_issuer else SIGN_UP_GUEST} Attributes that would put the "
            f"entry into more than {MAX_COMBINATIONS} segments are refused.",
            JWT if knows_issuer else ENTRY_TOKEN_IF_ANY,
        ),
        "sendLink": Operation(
            "anyone",
            "Ask for the link to one's place",
            answers(
                202,
                "The same for every address",
                "invalid_json",
                "waitlist_not_found",
                "no_entry_tokens",
                "unsupported_media_type",
                "throttled",
                "record_unavailable",
            ),
            "On a waitlist with `identity`: if the address has a place, the event `link_asked` (or "
            "`verification_asked`, while it is not verified) asks for a message with the link. At "
            "most once a minute, then after two, four and so on. If customers use the tokens of an "
            "OIDC issuer, the answer is `no_entry_tokens`.",
        ),
        "verify": Operation(
            "anyone",
            "Verify the address of an entry",
            with_headers(
                NO_STORE,
                answers(
                    200,
                    "The entry, and the token of its stay",
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
            "The code comes in a link that is sent to the address, behind `#v=`. Send it when the "
            "reader asks for it, such as by a button: programs that scan mail open links. The "
            "code of a new address moves the entry to it; `already_on_list` says that this address "
            "has an entry of its own, and that nothing has changed. "
            "Idempotent: a repeat has the same answer. If customers use the tokens of an OIDC "
            "issuer, the answer is `no_entry_tokens`.",
        ),
        "getEntry": Operation(
            "customer",
            "Get an entry's position",
            with_headers(
                NO_STORE,
                answers(
                    200,
                    "The entry, exact at this moment",
                    *OWN_ENTRY,
                    *OUTAGES,
                ),
            ),
            "With `segment` the answer also has the position within each segment that the entry's "
            "values of these attributes make, at the same moment. If the waitlist declares no such "
            "segment the request is refused, and the error lists the declared segments. While "
            "segments are being built the answer is `503 rebuilding`.",
            credentials,
        ),
        "leave": Operation(
            "customer",
            "Leave the waitlist",
            answers(
                204,
                "The customer has left",
                *OWN_ENTRY,
                "already_admitted",
                *OUTAGES,
            ),
            "Idempotent: a repeat has the same answer.",
            credentials,
        ),
        "changeOwnData": Operation(
            "customer",
            "Change one's own data",
            with_headers(NO_STORE, _own_data(knows_issuer=knows_issuer)),
            "Idempotent: a repeat has the same answer. An empty `profile` changes nothing. Fields "
            "that the waitlist requires cannot be taken out. Another address, where the waitlist "
            "tells people apart by one (`identity`), is verified first: the answer is `202`, the "
            "event `address_change_asked` asks for a message to the new address, and `verify` with "
            "its code moves the entry there. The last new address counts, and the present one "
            "takes it back. Three are taken at once, then one after a minute, two, four and so on; "
            "else the answer is `invalid_request`. Fields that the form keeps as attributes are "
            "the operators' to change.",
            credentials,
        ),
        "enter": Operation(
            "customer",
            "Accept an offer, and be admitted",
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
            "Idempotent: a repeat returns the same admission and the same pass.",
            credentials,
        ),
        "getPass": Operation(
            "customer",
            "Get the pass of an admission",
            with_headers(
                NO_STORE,
                answers(
                    200,
                    "The admission with its pass",
                    *OWN_ENTRY,
                    "not_inside",
                    "keys_unavailable",
                    "record_unavailable",
                ),
            ),
            "As long as the pass lasts, also where the waitlist admits without an offer.",
            credentials,
        ),
        "decline": Operation(
            "customer",
            "Decline an offer",
            answers(
                200,
                "The entry at the end of the queue, or off the list",
                *OWN_OFFER,
                "offer_expired",
                "too_many_changes",
                "invalid_json",
                "unsupported_media_type",
            ),
            "The slot is offered to the next customer at once. A repeat changes nothing if it has "
            "`offered_until` of the offer that it means, or the same `Idempotency-Key`; without "
            "either it declines the offer that is open.",
            credentials,
        ),
        "rest": Operation(
            "customer",
            "Rest: let others pass until a time",
            answers(
                200,
                "The entry, which is not ready",
                *EDIT_OWN,
                "rest_not_allowed",
                "rests_used_up",
                "too_many_changes",
                "invalid_json",
                "unsupported_media_type",
            ),
            "The entry keeps its place and is passed over. At `until` it is ready by itself. A "
            "repeat with the same `until` changes nothing; another one counts as one more rest.",
            credentials,
        ),
        "resume": Operation(
            "customer",
            "End a rest",
            answers(
                200,
                "The entry as it is then",
                *EDIT_OWN,
                "invalid_json",
                "unsupported_media_type",
            ),
            "Idempotent: an entry that does not rest, or has another rest, stays as it is.",
            credentials,
        ),
        "confirm": Operation(
            "customer",
            "Confirm that one still waits",
            answers(200, "The entry, whose customer is not asked any more", *EDIT_OWN),
            "Idempotent: without an open question nothing changes. Answers count until the service "
            "has noted that there was none, which is never before `confirm_by`: `not_waiting`.",
            credentials,
        ),
        "exitEntry": Operation(
            "customer",
            "Go out, and free the room",
            answers(200, "The admission", *OWN_ENTRY, "not_inside", *OUTAGES),
            "Idempotent: a repeat has the same answer. Without it the room is free when the pass "
            "ends, and with it too where the policy's `customer_exit` is `frees_at_end`.",
            credentials,
        ),
    }


WAITLIST = ("unauthorized", "waitlist_not_found", "record_unavailable")
READ = (*WAITLIST, "rebuilding")
# Of a request with a body.
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
                "A page of waitlists, by id",
                "unauthorized",
                "record_unavailable",
                links=links.next_page("listWaitlists"),
            ),
        ),
        "replayWebhook": _operator(
            "Send the webhook's dead letters again",
            answers(
                200,
                "How many events are sent again",
                "unauthorized",
                "invalid_json",
                "unsupported_media_type",
                "no_webhook",
            ),
            "Of the events that the webhook has not taken for a day, those since a time. Those of "
            "each entry arrive in order. A repeat sends those that are left.",
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
            "With `If-None-Match: *` it creates one, and replaces none.",
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
            "JSON Merge Patch (RFC 7396), as `application/merge-patch+json` or `application/json`. "
            "Changes of two operators at once both stand, unless they are of one setting: then the "
            "later one does, or with `If-Match` the earlier one. What changes nothing makes no "
            "version.",
        ),
        "getWaitlistConfig": _operator(
            "Get a waitlist's configuration",
            with_headers(ETAG, answers(200, "The waitlist", *WAITLIST)),
        ),
        "deleteWaitlist": _operator(
            "Delete a waitlist with all its entries",
            answers(204, "The waitlist is deleted", *WAITLIST, "settings_changed"),
            "The waitlist is gone at once; its records are erased in the background.",
        ),
        "getStats": _operator(
            "Get the counts of a waitlist",
            answers(200, "The counts, exact at this moment", *READ),
            "The estimate is that of a customer who joins now, by the pace of the last minute.",
        ),
        "getStatsHistory": _operator(
            "Get the counts of a waitlist over the last hour, day or week",
            answers(200, "Points at equal distances, oldest first", *WAITLIST),
            "From samples that maintenance takes each minute and keeps for two days, and for four "
            "weeks those of each hour. A time without a sample has the counts of the one before.",
        ),
        "previewAdmission": _operator(
            "Estimate the waits of an admission policy before it is saved",
            answers(200, "Estimates by position", *WRITE),
            "The estimates that customers at these positions get under this policy: of the saved "
            "one with what is measured of the list, of another one as just after its change. "
            "Those of a paused list are for a resume now. Nothing is written.",
        ),
        "listSegments": _operator(
            "Count the waiting entries of each segment",
            answers(
                200, "A page of segments", *READ, links=links.next_page("listSegments", links.HERE)
            ),
            "Exact at this moment. Segments without a waiting entry are not listed. Each page is "
            "sorted by attributes and values; the pages themselves are not in that order. Empty "
            "for a waitlist that declares no segments.",
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
            "A one-off admission in addition to the policy. With an "
            "Idempotency-Key a repeat by the same operator offers no further slot: it returns the "
            "same entries, as far as they still have theirs. With `refill` slots that are not used "
            "go to the next entries; a `count` of 0 ends that.",
        ),
        "admitPerson": _operator(
            "Offer a slot to this entry now",
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
            "Wherever it waits, and whatever rate and schedule say. Nothing of the policy pays for "
            "it, so an offer that is not used goes to no other entry. With an Idempotency-Key a "
            "repeat by the same operator offers nothing further.",
        ),
        "withdraw": _operator(
            "Take an offer back",
            answers(
                200,
                "The entry, waiting at its old place",
                *ENTRY,
                "not_offered",
                "offer_expired",
                "not_waiting",
                "already_admitted",
            ),
            "The slot goes to the next entry at once, if the policy or a quota still has it due. "
            "Idempotent with `offered_until`, which names the offer.",
        ),
        "exitPerson": _operator(
            "Let a customer go out, and free the room",
            answers(200, "The admission", *ENTRY, "not_inside"),
            "Idempotent: a repeat has the same answer.",
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
            "An entry is claimed by one claimer at a time. With an Idempotency-Key a repeat by the "
            "same operator returns the same entries with the same tokens, as far as they are still "
            "held. If a filter is not a declared segment the request is refused, and the error "
            "lists the declared segments. With `filters` the entries of the first one come first, "
            "each in serving order. While segments are being built the answer is "
            "`503 rebuilding`.",
        ),
        "complete": _operator(
            "Admit a claimed entry: final",
            answers(200, "The entry is admitted", *HOLD),
            "Idempotent for the same claim token; any other token is refused.",
        ),
        "release": _operator(
            "Return a claimed entry to the queue",
            answers(200, "The entry and its position", *HOLD),
            "Idempotent for the same claim token: a repeat begins no other delay.",
        ),
        "extend": _operator(
            "Renew the lease of a claim (heartbeat)",
            answers(200, "The entry and its new deadline", *HOLD),
            "The lease starts again now.",
        ),
        "park": _operator(
            "Set a claimed entry aside until an operator redrives it",
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
            "Import up to 500 entries, also into a closed waitlist",
            with_headers(
                NO_STORE,
                answers(200, "The outcome of each row", *WRITE),
            ),
            "Each row is validated like a signup, and refused without effect on the other rows. A "
            "repeat changes nothing: customers on the waitlist are reported as `already`, and "
            "those who have left or were admitted as `ended`, unless `ended` is `rejoin`. Rows "
            "keep their order, also rows of the same `joined_at`, and also when a call without an "
            "answer is repeated. At most 2 MB.",
        ),
        "importWithTokens": _operator(
            "Import entries, and get their entry tokens",
            with_headers(
                NO_STORE,
                answers(200, "The outcome and token of each row", *WRITE, "no_entry_tokens"),
            ),
            "As `importEntries`. Each row that is on the waitlist afterwards has its entry token, "
            "for you to pass on, unless a guest made the stay. If customers use the tokens of an "
            "OIDC issuer, the answer is `no_entry_tokens`. A right of its own: who may add people "
            "need not be allowed to act for them.",
        ),
        "listEntries": _operator(
            "List entries by status",
            answers(
                200, "A page of entries", *READ, links=links.next_page("listEntries", links.HERE)
            ),
            "Waiting entries come in serving order, offered entries by deadline, parked entries by "
            "the time of parking. Entries that were admitted or left, and customers who are "
            "`inside` (admitted, and their room not free: see `room_until`), come by the time at "
            "which their stay ended, and `banned` customers by the time of the ban: the oldest "
            "first, an entry of the last moments perhaps later. A page of these may be empty "
            "before the last one: follow `cursor` until it is null.",
        ),
        "getPerson": _operator(
            "Get an entry with profile and history",
            answers(
                200,
                "The entry",
                *READ,
                "entry_not_found",
                links=links.next_page("getPerson", links.SAME_ENTRY),
            ),
            "The history has the newest 100 events, oldest first. With `include=history` it comes "
            "in pages from the oldest event on: follow `cursor` to its end to read everything that "
            "is recorded of the person.",
        ),
        "findPerson": _operator(
            "Find a person by their address",
            answers(200, "The entry", *ENTRY, "no_entry_tokens"),
            "On a waitlist with `identity`: any spelling of the mail address or number finds the "
            "entry. The address is in the body, because URLs are logged. If customers use the "
            "tokens of an OIDC issuer, the answer is `no_entry_tokens`.",
        ),
        "editPerson": _operator(
            "Replace attributes, profile or both",
            answers(200, "The entry", *ENTRY, "not_waiting", "already_admitted"),
            "A given field replaces the whole former value. The position stays; the segments "
            "follow the attributes. Idempotent: a repeat has the same answer. The history records "
            "which field was changed, without the values.",
        ),
        "askAll": _operator(
            "Ask customers now whether they still wait",
            answers(
                200,
                "How many entries of the page were asked",
                *WRITE,
                "confirm_off",
                "queue_unavailable",
            ),
            "Goes through the waiting entries that are ready, a page a request: repeat with the "
            "`cursor` until it is null. An entry whose customer is asked already is left as it is, "
            "so a repeat asks no customer twice.",
        ),
        "setReady": _operator(
            "Hold an entry back, or no longer",
            answers(200, "The entry", *ENTRY, "not_waiting", "already_admitted"),
            "An entry that is held back keeps its place and is passed over. One that is offered or "
            "parked is so when it waits again. Idempotent: a repeat has the same answer.",
        ),
        "verifyPerson": _operator(
            "Mark the address of an entry verified",
            answers(200, "The entry", *ENTRY, "not_waiting", "already_admitted"),
            "By a proof of your own, such as a passport at the door. The entry may then be "
            "offered a slot, as after `verify`. Idempotent: a repeat has the same answer, and an "
            "entry that needs no verification stays as it is.",
        ),
        "erasePerson": _operator(
            "Erase a person: record, history and position",
            answers(204, "All data of the person is erased", *READ),
        ),
        "remove": _operator(
            "Remove an entry, also an offered or parked one",
            answers(
                204, "The customer has left, and is banned if asked for", *ENTRY, "already_admitted"
            ),
            "Idempotent: a repeat has the same answer. With `ban` later signups of the customer "
            "are refused until an `unban`, whatever the state of the entry is.",
        ),
        "unban": _operator(
            "End the ban of a customer",
            answers(204, "The customer is not banned", *ENTRY, "ban_mismatch"),
            "The customer may sign up again as the waitlist's `rejoin` allows; the former place "
            "comes back by `reinstate` alone. Idempotent: a repeat has the same answer.",
        ),
        "reinstate": _operator(
            "Give an entry its former place back",
            answers(
                200,
                "The entry at its former place",
                *ENTRY,
                "banned",
                "already_on_list",
                "already_admitted",
                "no_former_place",
                "waitlist_full",
                "not_waiting",
                "idempotency_key_reused",
            ),
            "For an entry that has left, was removed or did not come, or that is parked: the "
            "customer stands between the former neighbours again, with the priority, `joined_at`, "
            "profile and attributes of the stay that has ended. It is a new stay: the former entry "
            "token, claim and parking are over, attempts begin at 0, and it counts as signed up "
            "once more. `issueToken` and `getLink` answer what the guest needs now. Possible on a "
            "closed waitlist, not on a full one, and until `retention_days` after the end of the "
            "stay: then the answer is `entry_not_found`.",
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
            "With an Idempotency-Key a repeat by the same operator moves nothing: it returns the "
            "current position, and how far the first call moved the entry.",
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
                    "The token",
                    *READ,
                    "entry_not_found",
                    "no_entry_tokens",
                    "unsupported_media_type",
                ),
            ),
            "For a customer who was imported or has lost the token. Its holder may act as the "
            "customer in the latest stay of the entry: read it, enter, decline, take the pass, "
            "exit and leave. The request has no body and changes nothing; earlier tokens of the "
            "same stay keep working. If customers use the tokens of an OIDC issuer, the answer is "
            "`no_entry_tokens`.",
        ),
        "previewMessages": _operator(
            "Show the messages of a waitlist with example data",
            answers(200, "The messages, as mails", *WAITLIST),
            "Each kind in each language, also kinds that the waitlist does not send, in the "
            "waitlist's own words where it has them. Nothing is sent.",
        ),
        "sendTestMessage": _operator(
            "Send yourself a message of the waitlist with example data",
            answers(
                200,
                "The message is sent",
                "unauthorized",
                "waitlist_not_found",
                "no_messages",
                "invalid_json",
                "unsupported_media_type",
                "queue_unavailable",
                "record_unavailable",
                "not_ready",
            ),
            "By the stack's own sender, in the waitlist's own words where it has them. The address "
            "is stored and logged nowhere.",
        ),
        "listMessages": _operator(
            "List what became of the messages to a person",
            answers(200, "The messages, without address and text", *WAITLIST, "entry_not_found"),
            "Of the present stay. A message that is being sent at this moment is not there yet.",
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
            "For a mail system of one's own: send it to the address of the entry's profile alone. "
            "While the address is not verified, the reader verifies it by the link, within the "
            "`verify_minutes` from this request; after that the link opens the place, as the entry "
            "token does. The request has no body and changes nothing.",
        ),
    }
