"""Import many customers at once.

All tickets are allocated before the first entry is added to Redis, so retries do not change the
order of the queue.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.entries.ban import Bans
from waitlist_api.entries.destination import Destination, find_destination
from waitlist_api.entries.guest_data import check_addresses
from waitlist_api.errors import Banned, EntryNotFound
from waitlist_api.imports.place import Placement
from waitlist_api.imports.rows import ImportedRow, ImportRow, WhenEnded, WhenOnList
from waitlist_api.imports.write_intents import IntentWriter
from waitlist_api.parallel import run_all
from waitlist_api.records.bans import BanRequest
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_api.settings.messages import CHANNEL_OF
from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_shared.errors import WaitlistError


class Imports(Struct, frozen=True):
    """Imports customers.

    Every step can be repeated, so a retry or maintenance can complete an interrupted import.
    """

    waitlist_cache: WaitlistCache
    intent_writer: IntentWriter
    placement: Placement
    bans: Bans
    now_millis: NowMillis

    def import_rows(
        self,
        waitlist_id: str,
        rows: Sequence[ImportRow],
        by: str,
        when_ended: WhenEnded = "skip",
        when_on_list: WhenOnList = "keep",
    ) -> list[ImportedRow]:
        """Add customers to a waitlist, even if it is closed.

        Return the rows with their outcomes.
        """
        waitlist = self.waitlist_cache.look_up(waitlist_id)
        imported = _imported(waitlist_id, rows, when_ended, when_on_list)
        by_entry = self._choose_rows(imported, waitlist)
        self._ban([item for item in by_entry.values() if item.row.banned], by)
        joining = [item for item in by_entry.values() if not item.row.banned]
        self.intent_writer.begin(waitlist, joining, by)
        self.placement.finish([item for item in joining if item.is_joining])
        _note_addresses(joining, waitlist.settings)
        return _with_outcomes(imported, by_entry)

    def preview(
        self,
        waitlist_id: str,
        rows: Sequence[ImportRow],
        when_ended: WhenEnded = "skip",
        when_on_list: WhenOnList = "keep",
    ) -> list[ImportedRow]:
        """Return the outcomes that importing these rows would have now. Nothing is written."""
        waitlist = self.waitlist_cache.look_up(waitlist_id)
        imported = _imported(waitlist_id, rows, when_ended, when_on_list)
        by_entry = self._choose_rows(imported, waitlist)
        for item in by_entry.values():
            match item.state(self.now_millis()):
                case _ if item.row.banned:
                    item.outcome = "banned"
                case "new":
                    item.outcome = "joined"
                case "ended":
                    item.keep("ended")
                case "banned":
                    item.refuse(Banned())
                case _:
                    item.keep("already")
        _note_addresses(by_entry.values(), waitlist.settings)
        return _with_outcomes(imported, by_entry)

    def _ban(self, rows: Sequence[ImportedRow], by: str) -> None:
        """Ban the customers in these rows, even if they are on the waitlist."""

        def ban(item: ImportedRow) -> None:
            row = item.row
            try:
                self.bans.ban(
                    BanRequest(
                        waitlist_id=item.waitlist_id,
                        entry_id=item.entry_id,
                        customer_id=row.customer_id,
                        by=by,
                        reason=row.reason,
                    )
                )
            except EntryNotFound as refusal:
                # After the import had read this row's record, a customer changed their address to
                # the one in the row.
                item.refuse(refusal)
            else:
                item.outcome = "banned"

        run_all(ban, rows)

    def _choose_rows(
        self, imported: Sequence[ImportedRow], waitlist: WaitlistRecord
    ) -> dict[str, ImportedRow]:
        """Refuse the invalid rows. Return the first valid row for each entry."""
        for item in imported:
            self._check(item, waitlist)
        good = [item for item in imported if item.outcome is None]
        firsts = _by_entry(good)
        moved = self.intent_writer.look_up(waitlist, list(firsts.values()))
        if not moved:
            return firsts
        for item in good:
            if (record := moved.get(item.entry_id)) is not None:
                item.follow(record)
                item.replace_record(record)
        return _by_entry(good)

    def _check(self, item: ImportedRow, waitlist: WaitlistRecord) -> None:
        row = item.row
        try:
            waitlist.segments.check(row.attributes)
            row.check(_moment(self.now_millis()))
            # A ban needs only the customer id, so a banned customer's addresses are not checked.
            if not row.banned:
                check_addresses(waitlist.settings, row.profile, row.attributes)
        except WaitlistError as refusal:
            item.refuse(refusal)


def _imported(
    waitlist_id: str, rows: Sequence[ImportRow], when_ended: WhenEnded, when_on_list: WhenOnList
) -> list[ImportedRow]:
    return [
        ImportedRow(
            waitlist_id=waitlist_id, row=row, when_ended=when_ended, when_on_list=when_on_list
        )
        for row in rows
    ]


def _by_entry(rows: Sequence[ImportedRow]) -> dict[str, ImportedRow]:
    """Return one row for each entry.

    If several rows are for the same entry, prefer one with the entry's current address.
    """
    by_entry: dict[str, ImportedRow] = {}
    for item in rows:
        first = by_entry.setdefault(item.entry_id, item)
        names_present = item.record is not None and not item.names_former_address
        if first.names_former_address and names_present:
            by_entry[item.entry_id] = item
    return by_entry


def _with_outcomes(
    imported: list[ImportedRow], by_entry: Mapping[str, ImportedRow]
) -> list[ImportedRow]:
    """Return all rows with their outcomes. Rows for the same entry have the same outcome."""
    for item in imported:
        if item.outcome is None:
            item.repeat(by_entry[item.entry_id])
    return imported


def _note_addresses(rows: Iterable[ImportedRow], settings: WaitlistSettings) -> None:
    """Mark the customers who have joined, but whose profile contains no address that the waitlist
    may send messages to.

    Only the waitlist's settings are checked, not whether the stack can send email or SMS.
    """
    if (rules := settings.messages) is None:
        return
    for item in rows:
        if item.outcome == "joined":
            found = find_destination(item.row.profile, settings, rules, CHANNEL_OF.values())
            item.has_no_address = not isinstance(found, Destination)


def _moment(millis: int) -> datetime:
    return datetime.fromtimestamp(millis / 1000, UTC)
