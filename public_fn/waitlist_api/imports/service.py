"""Import: add many customers at once, each placed by the time at which they joined elsewhere.

All intents are written first, each with its ticket. So the order in the queue does not depend on
which request finishes an intent, or when (docs/decisions/0027-imports.md).
"""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.entries.addresses import addresses_for_messages
from waitlist_api.entries.ban import Bans
from waitlist_api.errors import Banned, EntryNotFound
from waitlist_api.imports.place import Placement
from waitlist_api.imports.rows import ImportedRow, ImportRow, WhenEnded, WhenOnList
from waitlist_api.imports.write_intents import IntentWriter
from waitlist_api.records.bans import Ban
from waitlist_api.records.segments import Segments
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistSettings
from waitlist_shared.errors import WaitlistError

WORKERS = 4


class Imports(Struct, frozen=True):
    """Imports customers. Each step may be repeated, also by another request or by maintenance."""

    waitlist_cache: WaitlistCache
    intent_writer: IntentWriter
    placement: Placement
    bans: Bans
    now_millis: NowMillis

    def put_in_line(
        self,
        waitlist_id: str,
        rows: Sequence[ImportRow],
        by: str,
        when_ended: WhenEnded = "skip",
        when_on_list: WhenOnList = "keep",
    ) -> list[ImportedRow]:
        """Add customers to the queue, also of a closed waitlist; return the rows with outcomes."""
        waitlist = self.waitlist_cache.look_up(waitlist_id)
        imported = _imported(waitlist_id, rows, when_ended, when_on_list)
        by_entry = self._first_of_each(imported, waitlist)
        self._ban([one for one in by_entry.values() if one.row.banned], by)
        joining = [one for one in by_entry.values() if not one.row.banned]
        self.intent_writer.begin(waitlist, joining, by)
        self.placement.finish([one for one in joining if one.is_joining])
        _note_addresses(joining, waitlist.settings)
        return _whole(imported, by_entry)

    def try_out(
        self,
        waitlist_id: str,
        rows: Sequence[ImportRow],
        when_ended: WhenEnded = "skip",
        when_on_list: WhenOnList = "keep",
    ) -> list[ImportedRow]:
        """Return the rows with the outcomes that they would have now; nothing is written.

        A list that would be too full for them is not looked for.
        """
        waitlist = self.waitlist_cache.look_up(waitlist_id)
        imported = _imported(waitlist_id, rows, when_ended, when_on_list)
        by_entry = self._first_of_each(imported, waitlist)
        for one in by_entry.values():
            match one.state(self.now_millis()):
                case _ if one.row.banned:
                    one.outcome = "banned"
                case "new":
                    one.outcome = "joined"
                case "ended":
                    one.keep("ended")
                case "banned":
                    one.refuse(Banned())
                case _:
                    one.keep("already")
        _note_addresses(by_entry.values(), waitlist.settings)
        return _whole(imported, by_entry)

    def _ban(self, rows: Sequence[ImportedRow], by: str) -> None:
        """Ban the customers of rows, also those who are on the list; set the outcomes."""

        def ban(one: ImportedRow) -> None:
            row = one.row
            try:
                self.bans.ban(
                    Ban(
                        waitlist_id=one.waitlist_id,
                        entry_id=one.entry_id,
                        customer_id=row.customer_id,
                        by=by,
                        reason=row.reason,
                    )
                )
            except EntryNotFound as refusal:
                # Of an id that has only an alias.
                one.refuse(refusal)
            else:
                one.outcome = "banned"

        if rows:
            with ThreadPoolExecutor(max_workers=WORKERS) as pool:
                list(pool.map(ban, rows))

    def _first_of_each(
        self, imported: Sequence[ImportedRow], waitlist: WaitlistRecord
    ) -> dict[str, ImportedRow]:
        """Refuse bad rows; return the first good row of each entry, with its record."""
        for one in imported:
            self._check(one, waitlist.segments)
        good = [one for one in imported if one.outcome is None]
        firsts = _by_entry(good)
        moved = self.intent_writer.look_up(waitlist, list(firsts.values()))
        if not moved:
            return firsts
        for one in good:
            if (record := moved.get(one.entry_id)) is not None:
                one.follow(record)
                one.replace_record(record)
        return _by_entry(good)

    def _check(self, one: ImportedRow, segments: Segments) -> None:
        try:
            segments.check(one.row.attributes)
            one.row.check(_moment(self.now_millis()))
        except WaitlistError as refusal:
            one.refuse(refusal)


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
    """Return the first row of each entry, or the first that names the person's present address."""
    by_entry: dict[str, ImportedRow] = {}
    for one in rows:
        first = by_entry.setdefault(one.entry_id, one)
        names_present = one.record is not None and not one.names_former_address
        if first.names_former_address and names_present:
            by_entry[one.entry_id] = one
    return by_entry


def _whole(imported: list[ImportedRow], by_entry: Mapping[str, ImportedRow]) -> list[ImportedRow]:
    """Return the rows, each with an outcome."""
    for one in imported:
        if one.outcome is None:
            one.repeat(by_entry[one.entry_id])
    return imported


def _note_addresses(rows: Iterable[ImportedRow], settings: WaitlistSettings) -> None:
    """Note which customers who joined cannot get the messages of the waitlist, if it sends any."""
    if settings.messages is None:
        return
    for one in rows:
        if one.outcome == "joined":
            found = addresses_for_messages(one.row.profile, settings.identity)
            one.has_no_address = next(found, None) is None


def _moment(millis: int) -> datetime:
    return datetime.fromtimestamp(millis / 1000, UTC)
