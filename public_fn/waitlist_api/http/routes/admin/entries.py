"""Operator routes for entries."""

from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.auth.credentials import identify_operator
from waitlist_api.clock import iso, iso_of, millis_of
from waitlist_api.entries.archive import Archive
from waitlist_api.entries.ban import Bans
from waitlist_api.entries.bump import BumpCommand, Bumps
from waitlist_api.entries.edit import EditCommand, EntryEdits
from waitlist_api.entries.identify import Identities
from waitlist_api.entries.leave import Leaves
from waitlist_api.entries.once import once_key_of
from waitlist_api.entries.queries import EntryDetails, EntryQueries
from waitlist_api.entries.readiness import HoldBackCommand, ReadinessChanges, VerifyCommand
from waitlist_api.errors import EntryNotFound, FieldError, InvalidFields, NoEntryTokens
from waitlist_api.http.readiness import readiness_fields
from waitlist_api.http.routes.params import (
    BanKey,
    Cursor,
    EntryId,
    First,
    IdempotencyKey,
    Limit,
    Only,
    Ready,
    Since,
    WaitlistId,
)
from waitlist_api.http.schemas.entries import (
    AddressBody,
    AdminEntryAnswer,
    AdminEntryWithHistoryAnswer,
    BumpAnswer,
    BumpBody,
    EditBody,
    EntriesAnswer,
    HistoryAnswer,
    ReadyBody,
    RemoveBody,
    UnbanBody,
    VerifyEntryBody,
)
from waitlist_api.records.bans import BanRequest
from waitlist_api.records.entry import PRESENT, HistoryEvent
from waitlist_shared.ranks import time_of

OfStatus = Annotated[
    Literal[
        "waiting",
        "offered",
        "parked",
        "admitted",
        "left",
        "inside",
        "banned",
        "unreachable",
        "messages_off",
    ],
    Query(
        description="`inside` lists customers who were admitted and still count for `max_inside`. "
        "`unreachable` and `messages_off` list customers who are on the waitlist but get no "
        "messages. In these two lists, the entries have no `position`."
    ),
]
Include = Annotated[Literal["history"] | None, Query()]
ENTRIES = "/v1/admin/waitlists/<waitlist_id>/entries"
ENTRY = f"{ENTRIES}/<entry_id>"
# Default fields for an entry whose signup is still in progress. The DynamoDB record of the entry
# has only the status `joining`.
UNRECORDED: dict[str, Any] = {
    "language": None,
    "held_back_reason": None,
    "messages_off": False,
    "unreachable": False,
    "asked_at": None,
    "confirmed_at": None,
    "customer_id": None,
    "profile": {},
    "attributes": {},
    "attempts": 0,
    "claimed_until": None,
    "parked_at": None,
    "park_reason": None,
    "admitted_at": None,
    "inside_until": None,
    "room_until": None,
    "exited_at": None,
    "left_at": None,
    "banned_at": None,
    "ban_reason": None,
}
FIRST_ALONE = FieldError(
    "query.first",
    "is allowed only with status=waiting, and not together with cursor",
)
BY_TIME = ("admitted", "left", "inside", "banned", "unreachable", "messages_off")
SINCE_BY_TIME = FieldError("query.since", f"is allowed only with status={', '.join(BY_TIME)}")
KEY_NEEDED = FieldError(
    "header.idempotency-key",
    "is required for a bump by places, because a retry without it would move the entry twice",
)


def admin_entry_routes(
    entry_queries: EntryQueries,
    archive: Archive,
    entry_edits: EntryEdits,
    readiness: ReadinessChanges,
    bumps: Bumps,
    leaves: Leaves,
    bans: Bans,
    identities: Identities | None,
) -> APIGatewayHttpRouter:
    """Return the operator routes for entries. If `identities` is None, customers have accounts."""
    router = APIGatewayHttpRouter()

    @router.post("/v1/admin/waitlists/<waitlist_id>/find", operation_id="findPerson")
    def find(waitlist_id: WaitlistId, body: AddressBody) -> AdminEntryWithHistoryAnswer:
        if identities is None:
            raise NoEntryTokens
        entry_id = identities.find_entry_id(waitlist_id, body.model_dump(exclude_unset=True))
        return _whole(entry_queries.details_of_address(waitlist_id, entry_id), None)

    @router.get(ENTRIES, operation_id="listEntries")
    def list_entries(
        waitlist_id: WaitlistId,
        status: OfStatus = "waiting",
        cursor: Cursor = None,
        limit: Limit = 100,
        first: First = None,
        since: Since = None,
        ready: Ready = None,
        only: Only = None,
    ) -> EntriesAnswer:
        for name, filter_ in (("ready", ready), ("only", only)):
            if filter_ is not None and status != "waiting":
                raise InvalidFields(
                    FieldError(f"query.{name}", "is allowed only with status=waiting")
                )
        if first is not None and (cursor is not None or status != "waiting"):
            raise InvalidFields(FIRST_ALONE)
        if since is not None and status not in BY_TIME:
            raise InvalidFields(SINCE_BY_TIME)
        match status:
            case "waiting":
                people, following = entry_queries.page(
                    waitlist_id, cursor, limit, first, ready=ready, only=only
                )
            case "offered":
                people, following = entry_queries.list_off_queue(waitlist_id, "held", cursor, limit)
            case "parked":
                people, following = entry_queries.list_off_queue(
                    waitlist_id, "parked", cursor, limit
                )
            case _:
                from_millis = None if since is None else int(since.timestamp() * 1000)
                people, following = archive.page(waitlist_id, status, from_millis, cursor, limit)
        return EntriesAnswer(
            entries=[AdminEntryAnswer(**_person(person)) for person in people], cursor=following
        )

    @router.get(ENTRY, operation_id="getPerson")
    def get_person(
        waitlist_id: WaitlistId,
        entry_id: EntryId,
        include: Include = None,
        cursor: Cursor = None,
        limit: Limit = 100,
    ) -> AdminEntryWithHistoryAnswer:
        if include is None:
            return _whole(entry_queries.details(waitlist_id, entry_id), None)
        return _whole(*entry_queries.details_with_history(waitlist_id, entry_id, cursor, limit))

    @router.patch(ENTRY, operation_id="editPerson")
    def edit(waitlist_id: WaitlistId, entry_id: EntryId, body: EditBody) -> AdminEntryAnswer:
        person = entry_edits.edit(
            EditCommand(
                waitlist_id=waitlist_id,
                entry_id=entry_id,
                by=identify_operator(router.current_event.raw_event),
                **body.model_dump(exclude_unset=True),
            )
        )
        return AdminEntryAnswer(**_person(person))

    @router.post(f"{ENTRY}/ready", operation_id="setReady")
    def set_ready(waitlist_id: WaitlistId, entry_id: EntryId, body: ReadyBody) -> AdminEntryAnswer:
        person = readiness.hold_back(
            HoldBackCommand(
                waitlist_id=waitlist_id,
                entry_id=entry_id,
                by=identify_operator(router.current_event.raw_event),
                ready=body.ready,
                reason=body.reason,
            )
        )
        return AdminEntryAnswer(**_person(person))

    @router.post(f"{ENTRY}/verify", operation_id="verifyPerson")
    def verify(
        waitlist_id: WaitlistId, entry_id: EntryId, body: VerifyEntryBody
    ) -> AdminEntryAnswer:
        person = readiness.mark_verified(
            VerifyCommand(
                waitlist_id=waitlist_id,
                entry_id=entry_id,
                by=identify_operator(router.current_event.raw_event),
                reason=body.reason,
                joined=body.joined_at,
            )
        )
        return AdminEntryAnswer(**_person(person))

    @router.delete(ENTRY, operation_id="erasePerson")
    def erase(waitlist_id: WaitlistId, entry_id: EntryId) -> Response[Any]:
        leaves.erase(waitlist_id, entry_id)
        return Response(204)

    @router.post(f"{ENTRY}/remove", operation_id="remove")
    def remove(
        waitlist_id: WaitlistId,
        entry_id: EntryId,
        body: RemoveBody,
        idempotency_key: BanKey = None,
    ) -> Response[Any]:
        by = identify_operator(router.current_event.raw_event)
        if not body.ban:
            leaves.leave(waitlist_id, entry_id, by, body.reason)
            return Response(204)
        bans.ban(
            BanRequest(
                waitlist_id=waitlist_id,
                entry_id=entry_id,
                by=by,
                reason=body.reason,
                once_key=once_key_of(by, idempotency_key) if idempotency_key else "",
            )
        )
        return Response(204)

    @router.post(f"{ENTRY}/unban", operation_id="unban")
    def unban(waitlist_id: WaitlistId, entry_id: EntryId, body: UnbanBody) -> Response[Any]:
        by = identify_operator(router.current_event.raw_event)
        banned_millis = None if body.banned_at is None else millis_of(body.banned_at)
        bans.unban((waitlist_id, entry_id), by, body.reason, banned_millis)
        return Response(204)

    @router.post(f"{ENTRY}/bump", operation_id="bump")
    def bump(
        waitlist_id: WaitlistId,
        entry_id: EntryId,
        body: BumpBody,
        idempotency_key: IdempotencyKey = None,
    ) -> BumpAnswer:
        if body.places is not None and not idempotency_key:
            raise InvalidFields(KEY_NEEDED)
        bumped = bumps.bump(
            BumpCommand(
                waitlist_id=waitlist_id,
                entry_id=entry_id,
                by=identify_operator(router.current_event.raw_event),
                idempotency_key=idempotency_key or "",
                **body.model_dump(),
            )
        )
        return BumpAnswer(**bumped.answer)

    return router


def _person(person: EntryDetails) -> dict[str, Any]:
    record = person.record
    if record is None:
        shown = {**person.view.answer, "rank": person.view.rank}
        return {**shown, **readiness_fields(person.view), **UNRECORDED}
    readiness = readiness_fields(person.view, record.readiness)
    is_offer = record.is_offer and record.status == "offered"
    deadline = _time(record.claimed_until_millis)
    offered_until = person.view.offered_until
    if is_offer and person.view.status == "offered":
        # Redis lists claimed and offered entries together. According to its DynamoDB record, this
        # entry has an offer.
        offered_until = offered_until or deadline
    return {
        **person.view.answer,
        "rank": person.view.rank or (record.rank if record.status in PRESENT else None),
        **readiness,
        "held_back_reason": record.pauses.held_back_reason or None,
        "messages_off": bool(record.contact.messages),
        "unreachable": record.contact.unreachable,
        "language": record.contact.language or None,
        "asked_at": _time(record.question.asked_millis),
        "confirmed_at": _time(record.question.confirmed_millis),
        "offered_until": offered_until,
        "customer_id": record.customer_id or None,
        "profile": record.profile,
        "attributes": record.attributes,
        "attempts": record.attempts,
        "claimed_until": None if is_offer else deadline,
        "parked_at": _time(record.parked_millis),
        "park_reason": record.park_reason or None,
        "admitted_at": _time(record.admitted_millis),
        "inside_until": _time(record.inside_until_millis),
        "room_until": _time(record.room_until_millis),
        "exited_at": _time(record.went_out_millis),
        "left_at": _time(record.left_millis),
        "banned_at": iso_of(time_of(record.ban.stamp)) if record.ban.stamp else None,
        "ban_reason": record.ban.reason or None,
    }


def _whole(person: EntryDetails, cursor: str | None) -> AdminEntryWithHistoryAnswer:
    record = person.record
    if record is None:
        raise EntryNotFound
    return AdminEntryWithHistoryAnswer(
        **_person(person),
        created_at=iso(record.joined.millis),
        by_guest=record.joined.by_guest,
        updated_at=iso(record.updated_millis),
        expires_at=_time(record.expires_at and record.expires_at * 1000),
        history=[_event(event) for event in person.history],
        cursor=cursor,
    )


def _time(millis: int | None) -> str | None:
    return None if millis is None else iso(millis)


def _event(event: HistoryEvent) -> HistoryAnswer:
    return HistoryAnswer(
        event=event.event,
        at=event.at,
        by=event.by,
        reason=event.reason,
        detail=event.detail | ({"jti": event.jti} if event.jti else {}),
    )
