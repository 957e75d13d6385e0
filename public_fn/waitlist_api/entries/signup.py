"""Sign customers up. A signup writes the record first, and then adds the entry to the queue."""

from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.bots.check import BotCheck
from waitlist_api.clock import NowMillis
from waitlist_api.entries.guest_data import profile_to_store
from waitlist_api.entries.join import Joins, SignedUp
from waitlist_api.entries.leave import Leaves
from waitlist_api.entries.own_changes import count_join
from waitlist_api.entries.position import EntryView, Positions
from waitlist_api.entries.signup_step import (
    Create,
    FinishLeave,
    Refuse,
    Replay,
    Resume,
    SignupCommand,
    Step,
    Terms,
    find_refusal,
    next_step,
)
from waitlist_api.errors import AlreadyAdmitted, AlreadyLeft, EntryNotFound
from waitlist_api.queue.messages import drop_of
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.call_numbers import numbering_of
from waitlist_api.records.conflicts import MAX_CONFLICT_RETRIES
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import ENDED, READINESS_CHANGE, EntryRecord
from waitlist_api.records.facets import Contact, Intent, Joined, Verification
from waitlist_api.records.ledger import EntryChanged
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_api.settings.messages import language_of
from waitlist_shared.errors import Gone, Throttled, WaitlistError
from waitlist_shared.ids import new_join_id


class RefusedEntry(Struct, frozen=True):
    """The result of a refused signup: the customer's existing entry, and the error for the
    caller.
    """

    record: EntryRecord
    error: WaitlistError


class Signups(Struct, frozen=True):
    """Signs customers up. Each step is idempotent, so any request can repeat it."""

    waitlist_cache: WaitlistCache
    entries: EntryRecords
    recovering_queue: RecoveringQueue
    positions: Positions
    leaves: Leaves
    joins: Joins
    bot_check: BotCheck | None
    now_millis: NowMillis

    def sign_up(self, command: SignupCommand) -> SignedUp:
        """Add the customer to the queue.

        If the customer is already waiting, return their position.
        """
        outcome = self.attempt(command)
        if isinstance(outcome, RefusedEntry):
            raise outcome.error
        return outcome

    def attempt(self, command: SignupCommand) -> SignedUp | RefusedEntry:
        """Sign the customer up.

        If the customer already has an entry and the signup is refused, return the entry and the
        error instead of raising it.
        """
        waitlist = self.waitlist_cache.find(command.waitlist_id)
        terms = Terms(waitlist, find_refusal(waitlist, command))
        if terms.refusal is not None:
            terms = self._current_terms(command)
        # Most customers are new, so do not read the record first. If the customer already has a
        # record, the write fails and returns it.
        existing: EntryRecord | None = None
        if terms.refusal is not None or (command.bot_proof is not None and command.may_be_known):
            existing = self.entries.resolve(command.waitlist_id, command.entry_id)
        is_checked = False
        # A customer who joins again needs two attempts. The first finds the earlier record, and the
        # second replaces it.
        for _ in range(2 * MAX_CONFLICT_RETRIES):
            command = command.for_entry(existing)
            step = next_step(command, existing, terms, self.now_millis())
            if _depends_on_rejoin(step, command) and not terms.are_current:
                terms = self._current_terms(command)
                step = next_step(command, existing, terms, self.now_millis())
            # Run the bot check before the service responds, because the response may reveal whether
            # somebody else is on the waitlist.
            if isinstance(step, Create | Refuse) and not is_checked:
                self._check_bot(command, terms)
                is_checked = True
            match step:
                case Refuse(error):
                    if existing is not None:
                        return RefusedEntry(existing, error)
                    raise error
                case Replay(record):
                    # If the entry is erased before its position can be read, read the record again,
                    # and decide the next step anew.
                    with suppress(EntryNotFound):
                        return SignedUp(self._view_of(record), is_new=False)
                case FinishLeave(record):
                    self.leaves.finish(record)
                case Resume(record):
                    with suppress(Gone):
                        return self.joins.finish(record)
                case Create(former):
                    intent = self._intent(command, terms.waitlist)
                    existing = self._write_intent(intent, former)
                    if existing is None or existing.join_id != intent.join_id:
                        continue
                    with suppress(Gone):
                        return self.joins.finish(existing)
            existing = self.entries.resolve(command.waitlist_id, command.entry_id)
        raise Throttled

    def resolve_entry(self, command: SignupCommand) -> SignupCommand:
        """Return the command for the entry that belongs to the customer's address.

        After a change of address, the entry still has the id of its earlier address.
        """
        found = self.entries.resolve(command.waitlist_id, command.entry_id)
        return command.for_entry(found)

    def _current_terms(self, command: SignupCommand) -> Terms:
        """Read the waitlist from the table, because an operator may have changed its settings since
        the waitlist was cached.
        """
        waitlist = self.waitlist_cache.look_up(command.waitlist_id)
        return Terms(waitlist, find_refusal(waitlist, command), are_current=True)

    def _check_bot(self, command: SignupCommand, terms: Terms) -> None:
        """Run the bot check if the signup requires one.

        Raise an error if the check fails, or if the waitlist refuses new entries.
        """
        if command.bot_proof is None or self.bot_check is None:
            return
        if terms.refusal is not None:
            # If the waitlist refuses the signup, say so before the bot check. Otherwise, the
            # customer would solve a challenge for nothing.
            raise terms.refusal
        when_down = terms.waitlist.settings.bot_check_down
        self.bot_check.check(command.entry_id, command.bot_proof, when_down)

    def _view_of(self, record: EntryRecord) -> EntryView:
        if record.status in ENDED:
            return EntryView.recorded(record)
        return self.positions.read(record.waitlist_id, record.entry_id)

    def _write_intent(self, intent: EntryRecord, former: EntryRecord | None) -> EntryRecord | None:
        """Write the first record of a signup, and return it.

        If the customer's address already belongs to an entry, return the entry's record instead.
        """
        try:
            if former is None:
                return self.entries.begin_join(intent)
            if former.status == "admitted":
                # Redis may still have the entry from the earlier signup. Remove it, because Redis
                # could otherwise mistake it for the new entry.
                self.recovering_queue.write(drop_of(former, counts=True))
            until_millis = count_join(former, intent.joined.millis)
            changes = replace(intent.changes, until_millis=until_millis)
            return self.entries.begin_rejoin(replace(intent, changes=changes), former)
        except EntryChanged as changed:
            return self.entries.follow(changed.stored)

    def _intent(self, command: SignupCommand, waitlist: WaitlistRecord) -> EntryRecord:
        now_millis = self.now_millis()
        return EntryRecord(
            waitlist_id=command.waitlist_id,
            entry_id=command.entry_id,
            customer_id=command.customer_id,
            status="joining",
            join_id=new_join_id(),
            updated_millis=now_millis,
            profile=profile_to_store(waitlist.settings, command.profile),
            attributes=command.attributes,
            joined=Joined(
                millis=now_millis,
                key=command.signup_key,
                body=command.signup_body,
                by_guest=not command.proven,
            ),
            verification=Verification(until_millis=command.verify_until_millis),
            intent=Intent(numbering=numbering_of(waitlist.settings)),
            attributes_version=0 if command.verify_until_millis is None else READINESS_CHANGE,
            contact=Contact(
                language=language_of(command.languages) if waitlist.settings.messages else ""
            ),
        )


def _depends_on_rejoin(step: Step, command: SignupCommand) -> bool:
    """Return whether the signup is refused because of the `rejoin` setting.

    If so, the caller reads the current setting, because the cached one may be outdated. For an
    unverified address, return False, because `UnprovenSignups` reads the current settings itself.
    """
    is_ended = isinstance(step, Refuse) and isinstance(step.error, AlreadyAdmitted | AlreadyLeft)
    return is_ended and command.verify_until_millis is None
