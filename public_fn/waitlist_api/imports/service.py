"""Import: many people at once, each at the place of the time at which they joined elsewhere.

All intents are written first, each with its place: whoever takes them to their ends, in whatever
order, makes the same line (docs/decisions/0027-imports.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from waitlist_api.clock import NowMillis
from waitlist_api.errors import FieldError, InvalidFields
from waitlist_api.imports.place import Placement
from waitlist_api.imports.rows import ImportedRow, ImportRow, WhenEnded
from waitlist_api.imports.write_intents import IntentWriter
from waitlist_api.records.segments import Segments
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_shared.errors import WaitlistError
from waitlist_shared.ranks import EPOCH

TOO_EARLY = FieldError("body.joined_at", "tickets begin with 2020-01-01T00:00:00Z: not before that")
TOO_LATE = FieldError("body.joined_at", "this is in the future: leave it out to stand at the end")


@dataclass(frozen=True, slots=True)
class Imports:
    """Imports; each step may be repeated, by anyone."""

    waitlist_cache: WaitlistCache
    intent_writer: IntentWriter
    placement: Placement
    now_millis: NowMillis

    def put_in_line(
        self, waitlist_id: str, rows: Sequence[ImportRow], by: str, when_ended: WhenEnded = "skip"
    ) -> list[ImportedRow]:
        """Put people in line, open or not; return what became of each, in their order."""
        waitlist = self.waitlist_cache.look_up(waitlist_id)
        all_of_them = [
            ImportedRow(waitlist_id=waitlist_id, row=row, when_ended=when_ended) for row in rows
        ]
        people: dict[str, ImportedRow] = {}
        for one in all_of_them:
            self._check(one, waitlist.segments)
            if one.outcome is None:
                people.setdefault(one.entry_id, one)
        self.intent_writer.begin(waitlist, list(people.values()), by)
        self.placement.finish(waitlist_id, [one for one in people.values() if one.is_joining])
        for one in all_of_them:
            if one.outcome is None:
                _like(one, people[one.entry_id])
        return all_of_them

    def _check(self, one: ImportedRow, segments: Segments) -> None:
        try:
            segments.check(one.row.attributes)
            joined_at = one.row.joined_at
            if joined_at is not None and joined_at < EPOCH:
                raise InvalidFields(TOO_EARLY)
            if joined_at is not None and joined_at > _moment(self.now_millis()):
                raise InvalidFields(TOO_LATE)
        except WaitlistError as refusal:
            one.refuse(refusal)


def _like(one: ImportedRow, same: ImportedRow) -> None:
    """Say of somebody who is named again what became of the first row."""
    one.outcome = "already" if same.outcome == "joined" else same.outcome
    one.refusal, one.ticket = same.refusal, same.ticket


def _moment(millis: int) -> datetime:
    return datetime.fromtimestamp(millis / 1000, UTC)
