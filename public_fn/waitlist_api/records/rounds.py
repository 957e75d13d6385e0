"""Store which waitlists maintenance has visited in the current round."""

from collections.abc import Mapping
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import asdict, replace

from waitlist_api.records.table import ConditionFailed, Item, Table

KEY = {"pk": "MAINTENANCE", "sk": "ROUND"}


class Round(Struct, frozen=True, kw_only=True):
    """A round of maintenance, which visits every waitlist once. A round may take several runs."""

    # How many times this item has been written.
    number: int = 0
    # The timestamp up to which the last complete round compared changes with Redis.
    seen: int = 0
    # The value of `seen` before the last complete round.
    seen_before: int = 0
    # When the last complete round began, in milliseconds since 1970.
    seen_millis: int = 0
    # The id of the last waitlist that the current round has visited, or an empty string if it has
    # visited none.
    after: str = ""
    began_millis: int = 0
    # The timestamp up to which the current round compares changes with Redis. It becomes 0 if the
    # changes to at least one waitlist could not be compared.
    until: int = 0

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        return cls(**{name: item[name] for name in cls.__struct_fields__ if name in item})

    def begun(self, now_millis: int, until: int) -> "Round":
        """Return this round if it is unfinished. Otherwise, return a new round through all
        waitlists.
        """
        if self.after:
            return self
        return replace(self, began_millis=now_millis, until=until)

    def done_up_to(self, waitlist_id: str, *, is_whole: bool) -> "Round":
        """Return the round's progress after maintenance has visited a waitlist.

        `is_whole` is false if some changes to this waitlist could not be compared with Redis.
        """
        return replace(self, after=waitlist_id, until=self.until if is_whole else 0)

    def ended(self) -> "Round":
        """Return the round's progress after maintenance has visited the last waitlist."""
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
    table: Table

    def read(self) -> tuple[Round, list[str]]:
        """Return the stored progress of maintenance, and the sort keys of the running invitations
        and broadcasts.

        If no progress is stored, return an empty `Round`.
        """
        round_item: Item = {}
        running: list[str] = []
        after: Item | None = {}
        while after is not None:
            items, after = self.table.query("#pk = :pk", {"pk": KEY["pk"]}, after or None)
            for item in items:
                if item["sk"] == KEY["sk"]:
                    round_item = item
                else:
                    running.append(item["sk"])
        return Round.from_item(round_item), running

    def write(self, note: Round) -> Round:
        """Store the progress of maintenance, and return it.

        If another run has stored its progress in the meantime, change nothing.
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
