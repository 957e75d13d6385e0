"""Invite people by making offers to the first entries in the queue, or to specific entries.

An invitation is stored first, and its offers are then made in pages of up to 100. Maintenance
continues an invitation that was interrupted (docs/decisions/0087-an-offer-knows-its-invitation.md).
"""

import hashlib
import json
import logging
import secrets
from collections.abc import Mapping, Sequence
from typing import ClassVar

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from waitlist_api.admission.admit import Admissions
from waitlist_api.admission.dequeue import once_fields
from waitlist_api.clock import IsTimeUp, NowMillis
from waitlist_api.errors import FieldError, InvalidFields, InvitationNotFound
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.invitations import Invitation, InvitationRecords
from waitlist_api.records.invitees import Funnel, Invitees
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.settings.messages import OwnText
from waitlist_api.settings.texts import Language
from waitlist_api.settings.waitlist import WaitlistSettings, is_over, until_millis_of
from waitlist_shared import contracts as c
from waitlist_shared.errors import AdmissionOver, WaitlistError, WaitlistPaused
from waitlist_shared.ids import new_invitation_id
from waitlist_shared.limits import MAX_ADMIT, MAX_OFFER_SECONDS, MIN_OFFER_SECONDS

logger = logging.getLogger(__name__)
# A request makes offers for at most this long, and leaves the remaining offers to maintenance.
REQUEST_MILLIS = 8_000
NO_OFFER_MESSAGE = (
    "this waitlist does not send the `offered` message, so add `offered` to `messages.kinds` first"
)


class InviteCommand(Struct, frozen=True, kw_only=True):
    """An operator's request to invite people. Either `until_millis` or `offer_seconds` is set."""

    waitlist_id: str
    by: str
    count: int
    entries: tuple[str, ...] = ()
    filter: Mapping[str, str] = {}
    until_millis: int | None = None
    offer_seconds: int | None = None
    message: Mapping[Language, OwnText] = {}
    idempotency_key: str = ""

    @property
    def body(self) -> str:
        """A digest of the operator's request. A repeated request has the same digest."""
        asked = to_builtins(replace(self, by="", idempotency_key=""))
        return _digest(json.dumps(asked, sort_keys=True))


class Counted(Struct, frozen=True):
    """An invitation, and how many people it has reached."""

    invitation: Invitation
    funnel: Funnel


class Invitations(Struct, frozen=True):
    """Makes the offers of invitations, and counts their outcomes."""

    # The maximum time that a maintenance run spends on invitations that requests have left
    # unfinished.
    MAINTENANCE_MILLIS: ClassVar[int] = 20_000

    records: InvitationRecords
    invitees: Invitees
    admissions: Admissions
    entries: EntryRecords
    recovering_queue: RecoveringQueue
    waitlist_cache: WaitlistCache
    now_millis: NowMillis

    def invite(self, command: InviteCommand) -> Counted:
        """Store an invitation and make its first offers. A repeated request changes nothing."""
        began_millis = self.now_millis()
        key = _digest(f"{command.by}\0{command.idempotency_key or secrets.token_hex(16)}")
        invitation = self.records.find_by_key(command.waitlist_id, key, command.body)
        is_new = invitation is None
        if invitation is None:
            invitation = self.records.create(self._begun(command), key, command.body)
        try:
            invitation = self.run(
                invitation,
                lambda: self.now_millis() - began_millis >= REQUEST_MILLIS,
                is_resumed=not is_new,
            )
        except WaitlistError as error:
            # The invitation is already stored, so maintenance makes the remaining offers later.
            logger.warning("an invitation was interrupted: %s", error.code)
        return self._counted(invitation)

    def find(self, waitlist_id: str, invitation_id: str) -> Counted:
        """Return an invitation. Raise InvitationNotFound if it does not exist."""
        self.waitlist_cache.find(waitlist_id)
        invitation = self.records.find(waitlist_id, invitation_id)
        if invitation is None:
            raise InvitationNotFound
        return self._counted(invitation)

    def page(
        self, waitlist_id: str, before: str | None, limit: int
    ) -> tuple[list[Counted], str | None]:
        """Return a page of invitations, newest first, and the cursor for the next page."""
        self.waitlist_cache.find(waitlist_id)
        found, cursor = self.records.page(waitlist_id, before, limit)
        return [self._counted(invitation) for invitation in found], cursor

    def _counted(self, invitation: Invitation) -> Counted:
        """Return the invitation as callers see it. No offer lasts longer than admissions do."""
        funnel = self.invitees.count(invitation.waitlist_id, invitation.invitation_id)
        over_millis = until_millis_of(self.waitlist_cache.find(invitation.waitlist_id).settings)
        until_millis = min(invitation.until_millis, over_millis or invitation.until_millis)
        return Counted(replace(invitation, until_millis=until_millis), funnel)

    def _begun(self, command: InviteCommand) -> Invitation:
        """Return a new invitation. Raise an error if the waitlist cannot invite anybody now."""
        now_millis = self.now_millis()
        settings = self.waitlist_cache.look_up(command.waitlist_id).settings
        _check_open(settings, now_millis)
        if command.message and not (settings.messages and "offered" in settings.messages.kinds):
            raise InvalidFields(FieldError("body.message", NO_OFFER_MESSAGE))
        drawn: c.DrawStampResult = self.recovering_queue.write(
            c.DrawStamp(waitlist_id=command.waitlist_id)
        )
        return Invitation(
            waitlist_id=command.waitlist_id,
            invitation_id=new_invitation_id(now_millis),
            created_millis=now_millis,
            by=command.by,
            until_millis=_until_millis(command, now_millis),
            count=command.count,
            stamp=drawn.stamp,
            filter=command.filter,
            entries=command.entries,
            message=command.message,
        )

    def run(
        self, invitation: Invitation, is_time_up: IsTimeUp, *, is_resumed: bool = True
    ) -> Invitation:
        """Make an invitation's offers until all of them have been made or the time is up.

        `is_resumed` is true if an earlier run may have made offers that it did not record.
        """
        while invitation.running:
            after = self._invite_page(invitation, is_resumed=is_resumed)
            if after is None:
                # A different run has already stored this page of offers and continues with the next
                # page, so stop here.
                return self.records.find(*invitation.ids) or invitation
            # The first page of a resumed run may only repeat offers that an earlier run has already
            # made. Make at least one more page of offers, even if the time is up.
            is_last, is_resumed = is_time_up() and not is_resumed, False
            invitation = after
            if is_last:
                break
        return invitation

    def _invite_page(self, invitation: Invitation, *, is_resumed: bool) -> Invitation | None:
        """Make one page of up to 100 offers, and return the updated invitation.

        Return None if a different run has already stored this page.
        """
        taken = invitation.taken
        if is_resumed:
            taken = max(taken, self.invitees.count(*invitation.ids).invited)
        wanted = min(MAX_ADMIT, invitation.count - taken)
        if wanted <= 0 or self.now_millis() >= invitation.until_millis:
            return self.records.note_page(invitation, taken, None, is_done=True)
        candidates, next_rank = self._candidates(invitation)
        if not (candidates or is_resumed):
            return self.records.note_page(invitation, taken, next_rank, is_done=next_rank is None)
        request = c.Admit(
            waitlist_id=invitation.waitlist_id,
            count=wanted,
            invitees=tuple(candidates),
            invitation=invitation.invitation_id,
            offer_until_millis=invitation.until_millis,
            **once_fields(invitation.by, f"{invitation.invitation_id} {invitation.page}", []),
        )
        try:
            # If an earlier run has made this page's offers, Redis returns the same offers again.
            # These offers may not be recorded yet, so send the request even if no candidates are
            # left.
            admitted: c.AdmitResult = self.recovering_queue.read(request)
        except AdmissionOver:
            return self.records.note_page(invitation, taken, None, is_done=True)
        self.admissions.record(invitation.waitlist_id, admitted, invitation.by)
        is_repeat, is_last = admitted.outcome == "repeat", next_rank is None
        if is_resumed or is_repeat:
            # An earlier run may already have made offers for this page, and to other people than
            # those that were read now. Begin the next page at the same rank, so that nobody is left
            # out.
            next_rank, is_last = invitation.after_rank, bool(invitation.entries)
        taken = (invitation.taken if is_repeat else taken) + admitted.taken
        is_done = is_last or taken >= invitation.count or not (admitted.is_more or is_repeat)
        return self.records.note_page(invitation, taken, next_rank, is_done=is_done)

    def _candidates(self, invitation: Invitation) -> tuple[list[c.Invitee], int | None]:
        """Return the candidates for this page of offers, and the rank after which the next page
        begins.

        The rank is None if there is no next page.
        """
        waitlist_id, next_rank = invitation.waitlist_id, None
        tickets: dict[str, int | None]
        if invitation.entries:
            tickets = dict.fromkeys(invitation.entries)
        else:
            page: c.ListWaitingResult = self.recovering_queue.read(
                c.ListWaiting(
                    waitlist_id=waitlist_id,
                    ready=True,
                    after=invitation.after_rank,
                    limit=MAX_ADMIT,
                )
            )
            tickets = {entry.entry_id: entry.ticket for entry in page.entries}
            next_rank = page.next_rank
        records = self.entries.get_many(waitlist_id, list(tickets))
        found = [
            c.Invitee(entry_id, ticket)
            for entry_id, seen in tickets.items()
            if (record := records.get(entry_id)) is not None
            and (ticket := record.ticket if seen is None else seen) is not None
            and _may_be_invited(invitation, record, ticket)
        ]
        known = self.invitees.known(waitlist_id, invitation.invitation_id, found)
        return [invitee for invitee in found if invitee not in known], next_rank


def _may_be_invited(invitation: Invitation, record: EntryRecord, ticket: int) -> bool:
    if record.intent.erase or ticket >= invitation.stamp:
        return False
    return all(
        value in _values(record.attributes.get(name)) for name, value in invitation.filter.items()
    )


def _values(value: str | list[str] | None) -> Sequence[str]:
    if value is None:
        return ()
    return [value] if isinstance(value, str) else value


def _check_open(settings: WaitlistSettings, now_millis: int) -> None:
    """Raise an error if the waitlist is not making offers at the moment."""
    if settings.paused:
        raise WaitlistPaused
    if is_over(settings, now_millis):
        raise AdmissionOver


def _until_millis(command: InviteCommand, now_millis: int) -> int:
    """Return the time when the offers end. Raise InvalidFields if the time is not allowed."""
    if command.offer_seconds is not None:
        return now_millis + command.offer_seconds * 1000
    until_millis = command.until_millis or 0
    if not MIN_OFFER_SECONDS * 1000 <= until_millis - now_millis <= MAX_OFFER_SECONDS * 1000:
        message = "must be at least 10 seconds and at most 14 days from now"
        raise InvalidFields(FieldError("body.until", message))
    return until_millis


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
