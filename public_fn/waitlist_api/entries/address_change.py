"""Change of address: a customer names a new one, which is verified before the entry answers to it.

The answer says nothing of the new address, because its key is read only when its owner opens the
link (docs/decisions/0071).
"""

from typing import Any

from msgspec import Struct

from waitlist_api.clock import NowMillis, iso
from waitlist_api.entries.addresses import address_of
from waitlist_api.entries.edit_steps import EditSteps
from waitlist_api.entries.leave import Leaves
from waitlist_api.errors import AlreadyOnList, CodeRefused, TooManyChanges
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.alias import Alias
from waitlist_api.records.conflicts import retry_on_conflict
from waitlist_api.records.entries import EntryChanged, EntryRecords
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.moves import Moves
from waitlist_api.records.waitlist_cache import WaitlistCache

MINUTE_MILLIS, DAY_MILLIS = 60_000, 86_400_000
# So many new addresses of a stay are taken at once: people mistype.
FREE_ASKS = 3
TOO_OFTEN = "You have given too many new addresses; the next one may be given from {} on"
TAKEN = (
    "This address has an entry of its own on this waitlist, so nothing was changed: the entry that "
    "was to move keeps its address."
)


class AddressChanges(Struct, frozen=True):
    """Moves entries to other addresses."""

    waitlist_cache: WaitlistCache
    entries: EntryRecords
    recovering_queue: RecoveringQueue
    steps: EditSteps
    moves: Moves
    leaves: Leaves
    now_millis: NowMillis

    def ask(self, record: EntryRecord, to: str, address: str) -> EntryRecord:
        """Note the new address, and ask for a message to it; return the record as it is then.

        No change if the same was asked for a moment ago. Raises TooManyChanges if too many were,
        and EntryChanged.
        """
        now_millis = self.now_millis()
        is_repeat = record.moving_to == to
        due_millis = _due_millis(record, is_repeat=is_repeat)
        if now_millis >= due_millis:
            stamp = self.recovering_queue.draw_stamp(record)
            return self.moves.ask(record, to, address, stamp, now_millis)
        if not is_repeat:
            raise TooManyChanges(due_millis - now_millis, TOO_OFTEN.format(iso(due_millis)))
        return record

    def withdraw(self, record: EntryRecord) -> EntryRecord:
        """Forget the new address, because the customer has given the present one."""
        if not record.moving_to:
            return record
        return self.moves.withdraw(
            record, self.recovering_queue.draw_stamp(record), self.now_millis()
        )

    def confirm(self, key: tuple[str, str], stay: int, to: str) -> None:
        """Let the entry answer to the address with the id `to`, which its owner has verified.

        No change if it does. Raises CodeRefused if the customer has given another address since,
        and AlreadyOnList if the address has an entry of its own.
        """
        retry_on_conflict(lambda: self._moved(key, stay, to))

    def _moved(self, key: tuple[str, str], stay: int, to: str) -> EntryRecord | None:
        """Return the record; None if another request changed it, or the address' key, first."""
        record = self.steps.present(key, stay)
        if record is None:
            return None
        if record.moving_to != to:
            if record.has_moved and record.address_id == to:
                return record
            raise CodeRefused
        over = None
        if to != record.entry_id:
            over = self.entries.kept(key[0], to)
            if isinstance(over, EntryRecord) and over.status == "leaving":
                self.leaves.finish(over)
                return None
            self._check_free(record, over)
        profile = self._profile(record)
        self.steps.readdress(record, profile)
        try:
            stamp = self.recovering_queue.draw_stamp(record)
            self.moves.move(record, profile, over, stamp, self.now_millis())
        except EntryChanged:
            return None
        return record

    def _check_free(self, record: EntryRecord, over: EntryRecord | Alias | None) -> None:
        """Raise AlreadyOnList if another entry has, or answers to, the id of the address."""
        if isinstance(over, Alias):
            target = self.entries.target_of(over)
            is_free = target is None or target.entry_id == record.entry_id
        elif over is None or over.is_expired(self.now_millis()):
            is_free = True
        else:
            is_free = over.status == "left" and not over.ban_stamp
        if not is_free:
            raise AlreadyOnList(TAKEN)

    def _profile(self, record: EntryRecord) -> dict[str, Any]:
        """Return the profile with the new address; CodeRefused if the list takes others by now."""
        rules = self.waitlist_cache.find(record.waitlist_id).settings.identity
        if rules is None:
            raise CodeRefused
        try:
            domain = address_of(rules, record.moving_address).domain
        except ValueError:
            raise CodeRefused from None
        if rules.blocks(domain):
            raise CodeRefused
        return {**record.profile, rules.field: record.moving_address}


def _due_millis(record: EntryRecord, *, is_repeat: bool) -> int:
    """Return when an address may be given: once more after a minute, and in time ever more rarely.

    Nobody fills other people's mailboxes.
    """
    later = record.moving_asks - FREE_ASKS
    if record.moving_asked_millis is None or (later < 0 and not is_repeat):
        return 0
    pause = min(MINUTE_MILLIS << min(max(0, later), 20), DAY_MILLIS)
    return record.moving_asked_millis + pause
