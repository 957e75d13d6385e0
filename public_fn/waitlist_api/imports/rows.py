"""People as an import names them, and what became of each."""

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
    """One to be imported; without `joined_at`, behind everybody who is there."""

    customer_id: str
    profile: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    priority: int = 0
    joined_at: datetime | None = None


@dataclass(kw_only=True)
class ImportedRow:
    """One row of an import; `record` is what is known of its entry, `outcome` what became of it.

    `is_new` says that this call has written the intent, `ticket` which stay is on the list then.
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
        """Whether an import's intent to join is written and not yet taken to its end."""
        record = self.record
        return record is not None and record.status == "joining" and record.wanted is not None

    def look_again(self, record: EntryRecord | None) -> None:
        """Take what is known now; what was said before was of another record."""
        self.record, self.outcome, self.refusal = record, None, None

    def refuse(self, refusal: WaitlistError) -> None:
        self.outcome, self.refusal = "refused", refusal
