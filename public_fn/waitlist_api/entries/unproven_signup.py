"""Sign guests up on waitlists that verify addresses.

The response does not reveal whether an address is already on the waitlist.
"""

from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.clock import NowMillis
from waitlist_api.entries.guest_data import profile_to_store
from waitlist_api.entries.join import Joins
from waitlist_api.entries.signup import RefusedEntry, Signups
from waitlist_api.entries.signup_step import SignupCommand, find_refusal
from waitlist_api.errors import (
    AlreadyAdmitted,
    AlreadyLeft,
    AlreadyOnList,
    Banned,
    OpensLater,
    TooManyChanges,
)
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.asks import LINK_ASKED, MINUTE_MILLIS, Signup, ask_for_link
from waitlist_api.records.conflicts import MAX_CONFLICT_RETRIES
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import EntryRecord, HistoryEvent, stand_in_record
from waitlist_api.records.ledger import Commit, EntryChanged, Ledger
from waitlist_api.records.line import public_line
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_api.settings.messages import language_of
from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_shared import contracts as c
from waitlist_shared.errors import Rebuilding, WaitlistClosed, WaitlistFull


class UnprovenSignups(Struct, frozen=True):
    """Signs up guests whose address is not verified yet (decision 62).

    The response time must not reveal whether an address is on the waitlist, so the service makes
    the same calls for known and unknown addresses.
    """

    waitlist_cache: WaitlistCache
    entries: EntryRecords
    signups: Signups
    joins: Joins
    ledger: Ledger
    recovering_queue: RecoveringQueue
    now_millis: NowMillis

    def sign_up(self, command: SignupCommand, verify_minutes: int) -> None:
        """Add an entry with an unverified address.

        If the address already belongs to an entry, request a message to that entry's customer
        instead.
        """
        until = self.now_millis() + verify_minutes * MINUTE_MILLIS
        # Do not use the request's idempotency key. If it was used before, the error about the
        # repeated key would reveal that the address has an entry.
        unproven = replace(command, idempotency_key="", verify_until_millis=until)
        known = self._known(unproven)
        if known is None:
            return
        waitlist, is_current, stamp = self._check_room(unproven, known)
        if not is_current:
            # An operator has changed the settings since they were cached, so sign up again with the
            # current ones. Skip the bot check, because the guest's token has already been used.
            known = self._known(replace(unproven, bot_proof=None))
        if known is not None:
            # The guest may have filled in an outdated form. If the current settings do not accept
            # the form's data, send the message without recording the data.
            is_taken = is_current or find_refusal(waitlist, unproven) is None
            signup = _signup_of(unproven, waitlist.settings) if is_taken else None
            self._ask(known, stamp, signup)

    def _known(self, command: SignupCommand) -> EntryRecord | None:
        """If the address already has an entry, return its record.

        Otherwise add a new entry, and return None.
        """
        outcome = self.signups.attempt(command)
        match outcome:
            case RefusedEntry(
                record,
                AlreadyOnList() | AlreadyAdmitted() | AlreadyLeft() | Banned() | TooManyChanges(),
            ):
                return record
            case RefusedEntry(_, error):
                raise error
        return None

    def _check_room(
        self, command: SignupCommand, record: EntryRecord
    ) -> tuple[WaitlistRecord, bool, int]:
        """Raise an error if the waitlist accepts no new entries.

        Make the same calls to Redis as for a new entry, so that the response time reveals nothing.
        """
        waitlist_id = command.waitlist_id
        waitlist = self.waitlist_cache.find(waitlist_id)
        refusal = find_refusal(waitlist, command)
        if refusal is not None:
            raise refusal
        draw = c.DrawStamp(waitlist_id=waitlist_id, known_stamp=record.known_stamp)
        requests = [c.Stats(waitlist_id=waitlist_id), draw]
        stats, drawn = self.recovering_queue.read_all(requests)
        is_current = stats.settings_version <= waitlist.version
        if not is_current:
            waitlist = self.waitlist_cache.look_up(waitlist_id)
        line = public_line(waitlist.settings, stats)
        shut = line in ("closed", "not_open_yet")
        if waitlist.settings.capacity is not None and stats.state != "warm" and not shut:
            raise Rebuilding
        if shut or line == "full":
            self.waitlist_cache.forget(waitlist_id)
            self.joins.cancel(stand_in_record(waitlist_id, command.entry_id))
        match line:
            case "closed":
                raise WaitlistClosed
            case "not_open_yet":
                raise OpensLater(self.waitlist_cache.look_up(waitlist_id).settings.opens_at)
            case "full":
                raise WaitlistFull
        return waitlist, is_current, drawn.stamp

    def request_link(self, waitlist_id: str, entry_id: str) -> None:
        """Request a message with a link for an entry's customer.

        If the entry does not exist, make the same calls, so that the response time does not reveal
        whether it exists.
        """
        found = self.entries.resolve(waitlist_id, entry_id)
        record = found or stand_in_record(waitlist_id, entry_id)
        self._ask(record, self.recovering_queue.draw_stamp(record))

    def _ask(self, record: EntryRecord, stamp: int, signup: Signup | None = None) -> None:
        """Write the event that sends the customer a message with a link.

        If no message is due, run a transaction that takes as long but changes nothing. Otherwise,
        the response time would reveal whether a message is sent.
        """
        for _ in range(MAX_CONFLICT_RETRIES):
            now_millis = self.now_millis()
            decided = ask_for_link(record, stamp, now_millis, signup)
            if decided is None:
                self._write_in_vain(record, stamp, now_millis)
                return
            try:
                self.ledger.commit(record, decided, now_millis)
            except EntryChanged as changed:
                if changed.record is None:
                    return
                record = changed.record
                stamp = self.recovering_queue.draw_stamp(record)
            else:
                return

    def _write_in_vain(self, record: EntryRecord, stamp: int, now_millis: int) -> None:
        """Run a transaction that changes nothing, but takes as long as writing the event.

        The transaction always fails.
        """
        event = HistoryEvent(stamp=stamp, event=LINK_ASKED, by="customer")
        changes = replace(record.changes, edited_stamp=stamp)
        decided = Commit(after=replace(record, changes=changes), events=(event,))
        with suppress(EntryChanged):
            self.ledger.commit(stand_in_record(*record.key), decided, now_millis)


def _signup_of(command: SignupCommand, settings: WaitlistSettings) -> Signup:
    """Convert the signup to the form in which the record stores it."""
    return Signup(
        address=settings.identity.field if settings.identity else "",
        profile=profile_to_store(settings, command.profile),
        attributes=command.attributes,
        language=language_of(command.languages) if settings.messages else "",
    )
