"""Move an entry to a new address, once that address has been verified."""

from typing import Any

from msgspec import Struct

from waitlist_api.clock import NowMillis, iso
from waitlist_api.entries.addresses import normalise_address
from waitlist_api.entries.edit_steps import EditSteps
from waitlist_api.entries.leave import Leaves
from waitlist_api.errors import AlreadyOnList, CodeRefused, TooManyChanges
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.conflicts import retry_on_conflict
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.erasures import Erasures
from waitlist_api.records.ledger import EntryChanged, Ledger
from waitlist_api.records.moves import ask_to_move, keep_address, move
from waitlist_api.records.waitlist_cache import WaitlistCache

MINUTE_MILLIS, DAY_MILLIS = 60_000, 86_400_000
# How many times a customer can ask for a new address without a delay. People often mistype their
# address.
FREE_ASKS = 3
TOO_OFTEN = "You have entered too many new addresses. You can enter another address at {}"
TAKEN = (
    "Another entry on this waitlist already uses this address. Your entry keeps its "
    "current address."
)


class AddressChanges(Struct, frozen=True):
    """Moves entries to new addresses."""

    waitlist_cache: WaitlistCache
    entries: EntryRecords
    recovering_queue: RecoveringQueue
    steps: EditSteps
    ledger: Ledger
    erasures: Erasures
    leaves: Leaves
    now_millis: NowMillis

    def ask(self, record: EntryRecord, to: str, address: str) -> EntryRecord:
        """Record the new address, request a verification message for it, and return the changed
        record.
        """
        now_millis = self.now_millis()
        is_repeat = record.move.to == to
        due_millis = _due_millis(record, is_repeat=is_repeat)
        if now_millis >= due_millis:
            stamp = self.recovering_queue.draw_stamp(record)
            decided = ask_to_move(record, to, address, stamp, now_millis)
            return self.ledger.commit(record, decided, now_millis)
        if not is_repeat:
            raise TooManyChanges(due_millis - now_millis, TOO_OFTEN.format(iso(due_millis)))
        return record

    def withdraw(self, record: EntryRecord) -> EntryRecord:
        """Cancel a pending address change, because the customer has entered the current address
        again.
        """
        if not record.move.to:
            return record
        now_millis = self.now_millis()
        stamp = self.recovering_queue.draw_stamp(record)
        return self.ledger.save(record, keep_address(record, stamp, now_millis))

    def confirm(self, key: tuple[str, str], stay: int, to: str) -> None:
        """Move the entry to the new address, which the customer has just verified.

        If the entry already uses the new address, nothing changes.
        """
        retry_on_conflict(lambda: self._move(key, stay, to))

    def _move(self, key: tuple[str, str], stay: int, to: str) -> EntryRecord | None:
        """Try once to move the entry to the new address, and return the changed record.

        Return None if another request changed one of the entries first, in which case the caller
        tries again.
        """
        record = self.steps.present(key, stay)
        if record is None:
            return None
        if record.move.to != to:
            if record.has_moved and record.address_id == to:
                return record
            raise CodeRefused
        over = None
        if to != record.entry_id:
            over = self.entries.resolve_stored(key[0], to)
            if over is not None and over.status == "leaving":
                self.leaves.finish(over)
                return None
            self._check_free(record, over)
        profile = self._profile(record)
        self.steps.readdress(record, profile)
        try:
            stamp, now_millis = self.recovering_queue.draw_stamp(record), self.now_millis()
            decided = move(record, profile, over, stamp, now_millis)
            self.ledger.commit(record, decided, now_millis)
        except EntryChanged:
            return None
        if record.move.moved_to and record.move.moved_to != to:
            # Other customers may now use the entry's previous address. If the process crashes
            # before it frees the address, maintenance does so within a day.
            self.erasures.free_address(record)
        return record

    def _check_free(self, record: EntryRecord, over: EntryRecord | None) -> None:
        """Raise AlreadyOnList if the new address belongs to another entry."""
        if over is None or over.entry_id == record.entry_id or over.is_expired(self.now_millis()):
            return
        # An address becomes free when the customer who signed up with it leaves, unless they are
        # banned. An entry that was moved to the address keeps it even after leaving, until the
        # entry is erased or its record expires.
        is_left = over.status == "left" and over.entry_id == record.move.to
        if not is_left or over.ban.stamp:
            raise AlreadyOnList(TAKEN)

    def _profile(self, record: EntryRecord) -> dict[str, Any]:
        """Return the profile with the new address.

        Raise CodeRefused if the waitlist's current settings do not allow the address.
        """
        rules = self.waitlist_cache.find(record.waitlist_id).settings.identity
        if rules is None:
            raise CodeRefused
        try:
            domain = normalise_address(rules, record.move.new_address).domain
        except ValueError:
            raise CodeRefused from None
        if rules.blocks(domain):
            raise CodeRefused
        return {**record.profile, rules.field: record.move.new_address}


def _due_millis(record: EntryRecord, *, is_repeat: bool) -> int:
    """Return when the customer may next ask for a new address.

    Each request sends a message to the new address, so a delay between requests keeps customers
    from flooding other people's mailboxes. `is_repeat` is true if the customer asks for the same
    address as last time.
    """
    later = record.move.asks - FREE_ASKS
    if record.move.asked_millis is None or (later < 0 and not is_repeat):
        return 0
    pause = min(MINUTE_MILLIS << min(max(0, later), 20), DAY_MILLIS)
    return record.move.asked_millis + pause
