"""Operator routes for entries."""

from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from msgspec import Struct

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
from waitlist_api.http.operation import ENTRY, Answer, operator
from waitlist_api.http.readiness import readiness_fields
from waitlist_api.http.request import Request
from waitlist_api.http.routes.admin.params import BanKey, Cursor, First, Limit, Only, Ready, Since
from waitlist_api.http.routes.params import EntryId, IdempotencyKey, WaitlistId
from waitlist_api.http.schemas.admin_entries import (
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
from waitlist_api.http.schemas.call import call_answer
from waitlist_api.http.schemas.verify import AddressBody
from waitlist_api.records.bans import BanRequest
from waitlist_api.records.call import current_call
from waitlist_api.records.entry import PRESENT, HistoryEvent
from waitlist_api.records.leaves import Leave
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
        description="`inside` lists customers who were admitted and still count towards "
        "`max_inside`. `unreachable` and `messages_off` list customers who are on the waitlist but "
        "get no messages. In these two lists, the entries have no `position`."
    ),
]
Include = Annotated[Literal["history"] | None, Query()]
# The response fields of an entry whose signup is still in progress. The DynamoDB record does not
# contain these values yet.
UNRECORDED: dict[str, Any] = {
    "call_number": None,
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
    "call": None,
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


class Routes(Struct, frozen=True):
    entry_queries: EntryQueries
    archive: Archive
    entry_edits: EntryEdits
    readiness: ReadinessChanges
    bumps: Bumps
    leaves: Leaves
    bans: Bans
    identities: Identities | None
    request: Request

    @operator(
        "Find a person by their address",
        Answer(200, "The entry"),
        problems=(*ENTRY, "no_entry_tokens"),
        audit="each_request",
    )
    def find_person(
        self, waitlist_id: WaitlistId, body: AddressBody
    ) -> AdminEntryWithHistoryAnswer:
        """This operation finds the entry with this email address or telephone number, in any
        spelling.

        The address is sent in the request body, because URLs are logged. The operation works only
        if the waitlist has `identity` set. If customers sign in with an OIDC issuer, the request
        fails with `no_entry_tokens`.
        """
        if self.identities is None:
            raise NoEntryTokens
        entry_id = self.identities.find_entry_id(waitlist_id, body.model_dump(exclude_unset=True))
        return _whole(self.entry_queries.details_of_address(waitlist_id, entry_id), None)

    @operator(
        "List entries by status",
        Answer(200, "A page of entries", links="next_page"),
        problems=("rebuilding",),
        audit="first_page",
    )
    def list_entries(
        self,
        waitlist_id: WaitlistId,
        status: OfStatus = "waiting",
        cursor: Cursor = None,
        limit: Limit = 100,
        first: First = None,
        since: Since = None,
        ready: Ready = None,
        only: Only = None,
    ) -> EntriesAnswer:
        """Waiting entries are sorted in serving order, offered entries by deadline, and parked
        entries by when they were parked. The lists `left`, `admitted`, `inside` and `banned` are
        sorted by when the customer left, was admitted or was banned, oldest first. In these four
        lists, an entry that has just changed may be missing, and a page can be empty even if more
        pages follow. Request pages until `cursor` is null.
        """
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
                people, following = self.entry_queries.page(
                    waitlist_id, cursor, limit, first, ready=ready, only=only
                )
            case "offered":
                people, following = self.entry_queries.list_off_queue(
                    waitlist_id, "held", cursor, limit
                )
            case "parked":
                people, following = self.entry_queries.list_off_queue(
                    waitlist_id, "parked", cursor, limit
                )
            case _:
                from_millis = None if since is None else int(since.timestamp() * 1000)
                people, following = self.archive.page(
                    waitlist_id, status, from_millis, cursor, limit
                )
        return EntriesAnswer(
            entries=[AdminEntryAnswer(**_person(person)) for person in people], cursor=following
        )

    @operator(
        "Get an entry with its profile and history",
        Answer(200, "The entry", links="next_page"),
        problems=ENTRY,
        audit="first_page",
    )
    def get_person(
        self,
        waitlist_id: WaitlistId,
        entry_id: EntryId,
        include: Include = None,
        cursor: Cursor = None,
        limit: Limit = 100,
    ) -> AdminEntryWithHistoryAnswer:
        """The response contains only the newest 100 events of the entry's history, in chronological
        order. To read the whole history page by page, send `include=history`, and then repeat the
        request with the returned `cursor` until `cursor` is null.
        """
        if include is None:
            return _whole(self.entry_queries.details(waitlist_id, entry_id), None)
        return _whole(
            *self.entry_queries.details_with_history(waitlist_id, entry_id, cursor, limit)
        )

    @operator(
        "Replace an entry's attributes, its profile, or both",
        Answer(200, "The entry"),
        problems=(*ENTRY, "not_waiting", "already_admitted"),
    )
    def edit_person(
        self, waitlist_id: WaitlistId, entry_id: EntryId, body: EditBody
    ) -> AdminEntryAnswer:
        """Each field in the request replaces the whole stored value. The entry keeps its position.
        If its attributes change, the entry moves to the segments for the new attributes. If the
        waitlist's page asks for an email address or a telephone number, a changed answer must be a
        valid email address or telephone number. The history records which fields were changed,
        but not their values. A repeated request returns the same response.
        """
        person = self.entry_edits.edit(
            EditCommand(
                waitlist_id=waitlist_id,
                entry_id=entry_id,
                by=self.request.operator,
                **body.model_dump(exclude_unset=True),
            )
        )
        return AdminEntryAnswer(**_person(person))

    @operator(
        "Hold an entry back, or stop holding it back",
        Answer(200, "The entry"),
        problems=(*ENTRY, "not_waiting", "already_admitted"),
    )
    def set_ready(
        self, waitlist_id: WaitlistId, entry_id: EntryId, body: ReadyBody
    ) -> AdminEntryAnswer:
        """An entry that is held back keeps its position in the queue, but other entries are served
        first. If the entry has an offer, or if an operator has parked it, the change takes effect
        when the entry is waiting again. A repeated request returns the same response.
        """
        person = self.readiness.hold_back(
            HoldBackCommand(
                waitlist_id=waitlist_id,
                entry_id=entry_id,
                by=self.request.operator,
                ready=body.ready,
                reason=body.reason,
            )
        )
        return AdminEntryAnswer(**_person(person))

    @operator(
        "Mark an entry's address as verified",
        Answer(200, "The entry"),
        problems=(*ENTRY, "not_waiting", "already_admitted"),
    )
    def verify_person(
        self, waitlist_id: WaitlistId, entry_id: EntryId, body: VerifyEntryBody
    ) -> AdminEntryAnswer:
        """Use this operation after you have checked the person's identity yourself.

        The address then counts as verified, and the entry can be offered a slot. If the entry is
        already verified or needs no verification, nothing changes. A repeated request returns the
        same response.
        """
        person = self.readiness.mark_verified(
            VerifyCommand(
                waitlist_id=waitlist_id,
                entry_id=entry_id,
                by=self.request.operator,
                reason=body.reason,
                joined=body.joined_at,
            )
        )
        return AdminEntryAnswer(**_person(person))

    @operator(
        "Erase a person's record, history and position",
        Answer(204, "All data about the person is erased"),
        problems=("rebuilding",),
        audit="each_request",
    )
    def erase_person(self, waitlist_id: WaitlistId, entry_id: EntryId) -> Response[Any]:
        self.leaves.erase(waitlist_id, entry_id)
        return Response(204)

    @operator(
        "Remove an entry, even if it is offered or parked",
        Answer(204, "The customer has left, and is banned if the request asked for a ban"),
        problems=(*ENTRY, "already_admitted"),
    )
    def remove(
        self,
        waitlist_id: WaitlistId,
        entry_id: EntryId,
        body: RemoveBody,
        idempotency_key: BanKey = None,
    ) -> Response[Any]:
        """A repeated request returns the same response. If `ban` is true, the customer's later
        signups are refused until an operator calls `unban`. A customer can be banned in any status.
        """
        by = self.request.operator
        if not body.ban:
            self.leaves.leave(waitlist_id, entry_id, Leave(by=by, reason=body.reason))
            return Response(204)
        self.bans.ban(
            BanRequest(
                waitlist_id=waitlist_id,
                entry_id=entry_id,
                by=by,
                reason=body.reason,
                once_key=once_key_of(by, idempotency_key) if idempotency_key else "",
            )
        )
        return Response(204)

    @operator(
        "End a customer's ban",
        Answer(204, "The customer is not banned"),
        problems=(*ENTRY, "ban_mismatch"),
    )
    def unban(self, waitlist_id: WaitlistId, entry_id: EntryId, body: UnbanBody) -> Response[Any]:
        """Ending the ban does not return the customer to their former position.

        The waitlist's `rejoin` setting says whether they may sign up again. An operator can also
        return them to their former position with `reinstate`. A repeated request returns the same
        response.
        """
        by = self.request.operator
        banned_millis = None if body.banned_at is None else millis_of(body.banned_at)
        self.bans.unban((waitlist_id, entry_id), by, body.reason, banned_millis)
        return Response(204)

    @operator(
        "Move an entry",
        Answer(200, "The entry and its new position"),
        problems=(*ENTRY, "not_waiting", "already_admitted", "no_room", "idempotency_key_reused"),
    )
    def bump(
        self,
        waitlist_id: WaitlistId,
        entry_id: EntryId,
        body: BumpBody,
        idempotency_key: IdempotencyKey = None,
    ) -> BumpAnswer:
        """If a request is repeated with the same Idempotency-Key, the entry does not move a second
        time. In the response to the repeated request, `moved` is how many positions the first
        request moved the entry, and `position` is the entry's current position.
        """
        if body.places is not None and not idempotency_key:
            raise InvalidFields(KEY_NEEDED)
        bumped = self.bumps.bump(
            BumpCommand(
                waitlist_id=waitlist_id,
                entry_id=entry_id,
                by=self.request.operator,
                idempotency_key=idempotency_key or "",
                **body.model_dump(),
            )
        )
        return BumpAnswer(**bumped.answer)


def _person(person: EntryDetails) -> dict[str, Any]:
    record = person.record
    if record is None:
        shown = {**person.view.answer, "rank": person.view.rank}
        return {**shown, **readiness_fields(person.view), **UNRECORDED}
    readiness = readiness_fields(person.view, record.readiness)
    is_offer = record.hold.is_offer and record.status == "offered"
    deadline = _time(record.hold.until_millis)
    offered_until = person.view.offered_until
    if is_offer and person.view.status == "offered":
        # Redis does not distinguish offers from claims, so its answer does not say when an offer
        # ends. According to the record, this entry has an offer, so show the record's deadline.
        offered_until = offered_until or deadline
    return {
        **person.view.answer,
        "rank": person.view.rank or (record.rank if record.status in PRESENT else None),
        **readiness,
        "call_number": record.joined.call_number or None,
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
        "attempts": record.hold.attempts,
        "claimed_until": None if is_offer else deadline,
        "call": call_answer(current_call(record, 0)) if person.view.is_claimed else None,
        "parked_at": _time(record.hold.parked_millis),
        "park_reason": record.pauses.park_reason or None,
        "admitted_at": _time(record.end.admitted_millis),
        "inside_until": _time(record.end.inside_until_millis),
        "room_until": _time(record.room_until_millis),
        "exited_at": _time(record.went_out_millis),
        "left_at": _time(record.end.left_millis),
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
