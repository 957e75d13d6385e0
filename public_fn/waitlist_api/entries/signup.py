"""Signup: decide by the record, write the intent to join, and have it finished."""

from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.bots.check import BotCheck
from waitlist_api.clock import NowMillis
from waitlist_api.entries.guest_data import kept_profile
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
    next_step,
    refusal_of,
)
from waitlist_api.errors import (
    AlreadyAdmitted,
    AlreadyLeft,
    EntryNotFound,
    Throttled,
)
from waitlist_api.queue.messages import drop_of
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.alias import Alias
from waitlist_api.records.conflicts import MAX_CONFLICT_RETRIES
from waitlist_api.records.entries import EntryChanged, EntryRecords
from waitlist_api.records.entry import ENDED, READINESS_CHANGE, EntryRecord
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_api.settings.messages import language_of
from waitlist_shared.errors import (
    Gone,
    WaitlistError,
)
from waitlist_shared.ids import new_join_id


class RefusedEntry(Struct, frozen=True):
    """A record that stands in the way of a signup, as `error` says."""

    record: EntryRecord
    error: WaitlistError


class Signups(Struct, frozen=True):
    """Signs customers up. Each step may be repeated, also by another request or by maintenance."""

    waitlist_cache: WaitlistCache
    entries: EntryRecords
    recovering_queue: RecoveringQueue
    positions: Positions
    leaves: Leaves
    joins: Joins
    bot_check: BotCheck | None
    now_millis: NowMillis

    def sign_up(self, command: SignupCommand) -> SignedUp:
        """Add the customer to the queue, or return the position of a customer who is in it.

        The position is returned only if the caller has proved to be this customer.
        """
        outcome = self.attempt(command)
        if isinstance(outcome, RefusedEntry):
            raise outcome.error
        return outcome

    def attempt(self, command: SignupCommand) -> SignedUp | RefusedEntry:
        """Do as `sign_up` does, and return the record by which it is refused, if it is by one."""
        waitlist = self.waitlist_cache.find(command.waitlist_id)
        # Most customers are new, so the entry is not read: the write of the intent would find it.
        existing: EntryRecord | Alias | None = None
        is_refused = refusal_of(waitlist, command) is not None
        if is_refused:
            # The cached configuration may be older than an operator's change.
            waitlist = self.waitlist_cache.look_up(command.waitlist_id)
        if is_refused or (command.bot_proof is not None and command.may_be_known):
            existing = self.entries.known_as(command.waitlist_id, command.entry_id)
        is_checked = False
        # One attempt finds the former stay, the next one writes over it.
        for _ in range(2 * MAX_CONFLICT_RETRIES):
            command = command.of_entry(existing)
            step = self._decide(command, existing, waitlist)
            # What the record says of other customers, a bot that is none of them does not learn.
            if isinstance(step, Create | Refuse) and not is_checked:
                self._check_bot(command, waitlist)
                is_checked = True
            match step:
                case Refuse(error):
                    if isinstance(existing, EntryRecord):
                        return RefusedEntry(existing, error)
                    raise error
                case Replay(record):
                    # EntryNotFound: the entry was erased since it was read.
                    with suppress(EntryNotFound):
                        return SignedUp(self._view_of(record), is_new=False)
                case FinishLeave(record):
                    self.leaves.finish(record)
                case Resume(record):
                    with suppress(Gone):
                        return self.joins.finish(record)
                case Create(former):
                    intent = self._intent(command, waitlist)
                    existing = self._write_intent(intent, former)
                    if isinstance(existing, Alias) or existing is None:
                        continue
                    if existing.join_id != intent.join_id:
                        continue
                    with suppress(Gone):
                        return self.joins.finish(existing)
            existing = self.entries.known_as(command.waitlist_id, command.entry_id)
        raise Throttled

    def of_entry(self, command: SignupCommand) -> SignupCommand:
        """Return a signup for the entry that answers to the customer's address."""
        found = self.entries.known_as(command.waitlist_id, command.entry_id)
        return command.of_entry(found)

    def _decide(
        self, command: SignupCommand, existing: EntryRecord | Alias | None, waitlist: WaitlistRecord
    ) -> Step:
        step = next_step(command, existing, waitlist, self.now_millis())
        # `UnprovenSignups` asks in another way whether the settings are current.
        is_secret = command.verify_until_millis is not None
        is_ended = isinstance(step, Refuse) and isinstance(
            step.error, AlreadyAdmitted | AlreadyLeft
        )
        if is_ended and not is_secret:
            # The cached setting `rejoin` may be older than an operator's change.
            waitlist = self.waitlist_cache.look_up(command.waitlist_id)
            step = next_step(command, existing, waitlist, self.now_millis())
        return step

    def _check_bot(self, command: SignupCommand, waitlist: WaitlistRecord) -> None:
        """Raise if the guest is not known to be a person, or what would refuse any new entry."""
        if command.bot_proof is None or self.bot_check is None:
            return
        refusal = refusal_of(waitlist, command)
        if refusal is not None:
            # For this alone nobody has to solve anything.
            raise refusal
        when_down = waitlist.settings.bot_check_down
        self.bot_check.check(command.entry_id, command.bot_proof, when_down)

    def _view_of(self, record: EntryRecord) -> EntryView:
        if record.status in ENDED:
            return EntryView.recorded(record)
        return self.positions.read(record.waitlist_id, record.entry_id)

    def _write_intent(
        self, intent: EntryRecord, former: EntryRecord | Alias | None
    ) -> EntryRecord | Alias | None:
        """Write the intent to join; return what stands there, which may be another's record."""
        try:
            if former is None or isinstance(former, Alias):
                return self.entries.begin_join(intent, over=former)
            if former.status == "admitted":
                # Redis may still have the former stay, and would return it for this one.
                self.recovering_queue.write(drop_of(former, counts=True))
            until_millis = count_join(former, intent.created_millis)
            counted = replace(intent, changes_until_millis=until_millis)
            return self.entries.begin_rejoin(counted, former)
        except EntryChanged as changed:
            if changed.alias is not None:
                return self.entries.target_of(changed.alias) or changed.alias
            return changed.record

    def _intent(self, command: SignupCommand, waitlist: WaitlistRecord) -> EntryRecord:
        now_millis = self.now_millis()
        return EntryRecord(
            waitlist_id=command.waitlist_id,
            entry_id=command.entry_id,
            customer_id=command.customer_id,
            status="joining",
            join_id=new_join_id(),
            created_millis=now_millis,
            updated_millis=now_millis,
            profile=kept_profile(waitlist.settings, command.profile),
            attributes=command.attributes,
            signup_key=command.signup_key,
            signup_body=command.signup_body,
            by_guest=not command.proven,
            verify_until_millis=command.verify_until_millis,
            attributes_version=0 if command.verify_until_millis is None else READINESS_CHANGE,
            language=language_of(command.languages) if waitlist.settings.messages else "",
        )
