"""The rows of an import and their outcomes."""

from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Literal

from waitlist_api.records.entry import EntryRecord
from waitlist_shared.errors import WaitlistError
from waitlist_shared.ids import entry_id_of

Outcome = Literal["joined", "already", "ended", "refused"]
# What an import does with a customer whose last stay has ended.
WhenEnded = Literal["skip", "rejoin"]


@dataclass(frozen=True, kw_only=True)
class ImportRow:
    """One customer to import. Without `joined_at` the place is at the end of the queue."""

    customer_id: str
    profile: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    priority: int = 0
    joined_at: datetime | None = None


@dataclass(kw_only=True)
class ImportedRow:
    """One row with the record of its entry and the outcome.

    `is_new` is true if this call wrote the intent. `ticket` numbers the stay on the list.
    """

    waitlist_id: str
    row: ImportRow
    when_ended: WhenEnded = "skip"
    record: EntryRecord | None = None
    is_new: bool = False
    ticket: int | None = None
    outcome: Outcome | None = None
    refusal: WaitlistError | None = None

    @cached_property
    def entry_id(self) -> str:
        return entry_id_of(self.waitlist_id, self.row.customer_id)

    @property
    def is_joining(self) -> bool:
        """Whether the record is an import's intent to join that is not finished."""
        record = self.record
        return record is not None and record.status == "joining" and record.wanted is not None

    def replace_record(self, record: EntryRecord | None) -> None:
        """Replace the record and discard the outcome that was derived from the old one."""
        self.record, self.outcome, self.refusal = record, None, None

    def refuse(self, refusal: WaitlistError) -> None:
        self.outcome, self.refusal = "refused", refusal
