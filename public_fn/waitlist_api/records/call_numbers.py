"""Assigns call numbers, such as A042, to entries.

The numbers come from a counter in DynamoDB, so data loss in Redis does not affect them
(docs/decisions/0091).
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import count
from zoneinfo import ZoneInfo

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.records.conflicts import MAX_CONFLICT_RETRIES
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.facets import Numbering
from waitlist_api.records.samples import call_numbers_key
from waitlist_api.records.table import ConditionFailed, Table
from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_shared.errors import Throttled


def numbering_of(settings: WaitlistSettings) -> Numbering | None:
    """Return the call-number settings that apply to an entry that joins now, or None if the entry
    gets no call number.
    """
    rules = settings.call_numbers
    if rules is None:
        return None
    is_daily = rules.restart == "daily"
    return Numbering(prefix=rules.prefix, is_daily=is_daily, timezone=settings.timezone)


class CallNumbers(Struct, frozen=True):
    """Assigns call numbers to entries.

    A number that was assigned but not recorded is never assigned again.
    """

    table: Table
    now_millis: NowMillis

    def draw(self, record: EntryRecord) -> str:
        """Return a joining entry's call number. If it has none yet, assign a new one.

        Return an empty string if the waitlist does not number this entry.
        """
        (number,) = self.draw_all([record])
        return number

    def draw_all(self, records: Sequence[EntryRecord]) -> list[str]:
        """Return these joining entries' call numbers, in the order of the entries.

        All of the entries must be on the same waitlist.
        """
        numberings = [
            None if record.joined.call_number else record.intent.numbering for record in records
        ]
        new = [numbering for numbering in numberings if numbering is not None]
        following = count(self._advance(records[0].waitlist_id, new[0], len(new)) if new else 0)
        return [
            f"{numbering.prefix}{next(following):03d}" if numbering else record.joined.call_number
            for record, numbering in zip(records, numberings, strict=True)
        ]

    def _advance(self, waitlist_id: str, numbering: Numbering, by: int) -> int:
        """Advance the counter of call numbers, and return the first of the new numbers."""
        values = {"today": _day(self.now_millis(), numbering.timezone), "by": by, "zero": 0}
        more = "#last = if_not_exists(#last, :zero) + :by"
        # The stored day never moves back to an earlier date, even if an operator changes the time
        # zone, so no number is assigned twice on the same day.
        steps = (
            (
                f"SET #day = if_not_exists(#day, :today), {more}",
                "attribute_not_exists(#pk) OR #day >= :today",
            ),
            (
                f"SET #day = :today, {'#last = :by' if numbering.is_daily else more}",
                "#day < :today",
            ),
        )
        for turn in range(2 * MAX_CONFLICT_RETRIES):
            update, condition = steps[turn % len(steps)]
            try:
                item = self.table.update(call_numbers_key(waitlist_id), update, condition, values)
            except ConditionFailed:
                continue
            return int(item["last"]) - by + 1
        raise Throttled


def _day(millis: int, timezone: str) -> str:
    """Return the calendar date of a time in this time zone, in ISO 8601."""
    return datetime.fromtimestamp(millis / 1000, ZoneInfo(timezone)).date().isoformat()
