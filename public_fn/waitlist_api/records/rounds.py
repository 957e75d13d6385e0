"""The note of maintenance about its round over all waitlists: one item of the table."""

from collections.abc import Mapping
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import asdict, replace

from waitlist_api.records.table import ConditionFailed, Table

KEY = {"pk": "MAINTENANCE", "sk": "ROUND"}


class Round(Struct, frozen=True, kw_only=True):
    """How far the rounds have come.

    Every change with a stamp up to `seen` is compared with Redis, and those up to `seen_before` by
    the round before, too. The last whole round began at `seen_millis`.

    A round that goes on in the next run began at `began_millis`, is done up to the waitlist
    `after`, and will have seen the changes up to `until`; 0 if a waitlist could not be compared.
    `number` counts the writes of this note.
    """

    number: int = 0
    seen: int = 0
    seen_before: int = 0
    seen_millis: int = 0
    after: str = ""
    began_millis: int = 0
    until: int = 0

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        return cls(**{name: item[name] for name in cls.__struct_fields__ if name in item})

    def begun(self, now_millis: int, until: int) -> "Round":
        """Return the round of a run that begins now, or the one that it goes on with."""
        if self.after:
            return self
        return replace(self, began_millis=now_millis, until=until)

    def done_up_to(self, waitlist_id: str, *, is_whole: bool) -> "Round":
        """Return the round after a waitlist; unless `is_whole` some were not compared."""
        return replace(self, after=waitlist_id, until=self.until if is_whole else 0)

    def ended(self) -> "Round":
        """Return the note after the last waitlist."""
        if self.until <= self.seen:
            return replace(self, after="")
        return replace(
            self,
            after="",
            seen=self.until,
            seen_before=self.seen,
            seen_millis=self.began_millis,
        )


class Rounds(Struct, frozen=True):
    """Reads and writes the note."""

    table: Table

    def read(self) -> Round:
        """Return the note; one without anything before the first round."""
        return Round.from_item(self.table.get(KEY) or {})

    def write(self, note: Round) -> Round:
        """Store the note and return it as stored; as given if another run has written one since.

        What that run has noted is true too, so this run's work is at most done again.
        """
        written = replace(note, number=note.number + 1)
        try:
            self.table.put(
                {**KEY, **asdict(written)},
                "attribute_not_exists(#pk) OR #number = :number",
                {"number": note.number},
            )
        except ConditionFailed:
            return note
        return written
