"""The rows of an import and their outcomes."""

import hashlib
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from waitlist_api.errors import FieldError, InvalidFields
from waitlist_api.records.alias import Alias
from waitlist_api.records.entry import ENDED, PRESENT, EntryRecord
from waitlist_shared.errors import WaitlistError
from waitlist_shared.ids import entry_id_of
from waitlist_shared.ranks import EPOCH, priority_of, ticket_at, ticket_part_of, time_of

Outcome = Literal["joined", "already", "ended", "banned", "refused"]
# What an import does with a customer whose last stay has ended.
WhenEnded = Literal["skip", "rejoin"]
# What an import does with a stay that a guest made, on a list of guests.
WhenOnList = Literal["keep", "replace"]
RowWarning = Literal["signed_up_by_guest", "another_address"]
# `new` needs an intent, `joining` has an import's; other signups and leaves are `under_way`.
State = Literal["new", "joining", "under_way", "present", "ended", "banned"]
# 0 means no ticket.
FIRST_TICKET = 1
TOO_EARLY = FieldError("body.joined_at", "tickets begin with 2020-01-01T00:00:00Z: not before that")
TOO_LATE = FieldError("body.joined_at", "this is in the future: leave it out to stand at the end")
NOT_YET = "this is in the future: leave it out"
# Ranks are of the clock of another Redis, and those of a rush are a second ahead of it.
SKEW = timedelta(minutes=10)


class ImportRow(Struct, frozen=True, kw_only=True):
    """One customer to import. Without `joined_at` the place is at the end of the queue.

    A `rank` is one that another list has given; the place is exactly there. A customer who is not
    `ready` is held back, for a `reason`. One who is not `verified` has to prove the address, on a
    list that asks for that. A `banned` customer is not added, and refused from then on, for the
    `reason`. `identify` has made the customer id of the address in the profile; it is None if the
    caller has stated the id. `is_beside_address` says that the caller has stated another id than
    that of the address in the profile. An entry that an earlier call with the same
    `idempotency_key` has added counts as joined.
    """

    customer_id: str
    profile: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    priority: int = 0
    joined_at: datetime | None = None
    rank: int | None = None
    idempotency_key: str = ""
    identify: Callable[[dict[str, Any]], str] | None = None
    ready: bool = True
    reason: str = ""
    rest_until: datetime | None = None
    verified: bool = True
    confirmed_at: datetime | None = None
    messages: str = ""
    unreachable: bool = False
    language: str = ""
    banned: bool = False
    is_beside_address: bool = False

    def check(self, now: datetime) -> None:
        """Raise InvalidFields for a place or a time that no entry can have."""
        if self.joined_at is not None and self.joined_at < EPOCH:
            raise InvalidFields(TOO_EARLY)
        if self.joined_at is not None and self.joined_at > now:
            raise InvalidFields(TOO_LATE)
        if self.confirmed_at is not None and self.confirmed_at > now:
            raise InvalidFields(FieldError("body.confirmed_at", NOT_YET))
        if self.rank is None:
            return
        if (priority := priority_of(self.rank)) != self.priority:
            message = f"is a rank of priority {priority}: give this priority, or no rank"
            raise InvalidFields(FieldError("body.rank", message))
        if time_of(ticket_part_of(self.rank)) > now + SKEW:
            raise InvalidFields(FieldError("body.rank", NOT_YET))


class ImportedRow(Struct, kw_only=True, dict=True):  # a dict keeps cached properties
    """One row with the record of its entry and the outcome, or an alias that is stale.

    `has_no_address` is true if the customer joined and cannot get the messages of the waitlist.
    `is_new` is true if this call wrote the intent. `ticket` numbers the stay on the list, unless a
    guest made it: then another person may hold its entry token.
    """

    waitlist_id: str
    row: ImportRow
    when_ended: WhenEnded = "skip"
    when_on_list: WhenOnList = "keep"
    record: EntryRecord | None = None
    alias: Alias | None = None
    is_new: bool = False
    ticket: int | None = None
    outcome: Outcome | None = None
    warning: RowWarning | None = None
    refusal: WaitlistError | None = None
    has_no_address: bool = False

    @cached_property
    def entry_id(self) -> str:
        return entry_id_of(self.waitlist_id, self.row.customer_id)

    @cached_property
    def signup_key(self) -> str:
        """The digest by which the record identifies the row, never equal to that of a guest."""
        if not self.row.idempotency_key:
            return ""
        text = f"import\0{self.entry_id}\0{self.row.idempotency_key}"
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def has_joined(self) -> bool:
        """Whether this row added the entry: in this call, or in an earlier one with its key."""
        recorded = "" if self.record is None else self.record.signup_key
        return self.is_new or (recorded != "" and recorded == self.signup_key)

    @property
    def is_joining(self) -> bool:
        """Whether the record is an import's intent to join that is not finished."""
        record = self.record
        if record is None or record.status != "joining":
            return False
        return record.requested_ticket is not None

    @property
    def names_former_address(self) -> bool:
        """Whether the row has one of two addresses of the person, and the stay has the other."""
        record, identify = self.record, self.row.identify
        if identify is None or record is None or not record.moved_to:
            return False
        try:
            return identify(self.row.profile) != identify(record.profile)
        except InvalidFields:
            # An operator has written a profile without an address.
            return True

    @property
    def is_replacing(self) -> bool:
        """Whether the import ends the recorded stay, which has a place and is a guest's."""
        record = self.record
        if record is None or record.status not in PRESENT or self.names_former_address:
            return False
        return record.by_guest and self.when_on_list == "replace"

    @property
    def recorded_ticket(self) -> int | None:
        return None if self.record is None else self.record.ticket

    @property
    def known_stamp(self) -> int:
        """The newest stamp that is known of the entry, 0 without any."""
        if self.alias is not None:
            return self.alias.stamp
        return 0 if self.record is None else self.record.known_stamp

    @property
    def joined_ticket(self) -> int | None:
        """The first ticket of the millisecond in `joined_at`; None without it."""
        joined_at = self.row.joined_at
        return None if joined_at is None else max(FIRST_TICKET, ticket_at(joined_at))

    def state(self, now_millis: int) -> State:
        """Classify the row by its record: `new` if it may join, perhaps after a guest's stay."""
        record = self.record
        if record is None or self.is_replacing:
            return "new"
        if self.is_joining:
            return "joining"
        if record.status in PRESENT:
            return "present"
        if record.status not in ENDED:
            return "under_way"
        if record.ban_stamp:
            return "banned"
        # A guest may have left to keep the customer off the list. An import that was cut off after
        # it had ended the guest's stay goes on here.
        is_guests = record.by_guest and record.status == "left"
        may_rejoin = self.when_ended == "rejoin" or (is_guests and self.when_on_list == "replace")
        return "new" if may_rejoin or record.joins_as_new(now_millis) else "ended"

    def replace_record(self, record: EntryRecord | None) -> None:
        """Replace the record and discard the outcome that was derived from the old one."""
        self.record, self.alias, self.outcome, self.refusal = record, None, None, None
        self.ticket, self.warning = None, None

    def follow(self, record: EntryRecord) -> None:
        """Name the entry that answers to the address of the row."""
        self.row = replace(self.row, customer_id=record.customer_id)
        # Cached properties of the former name.
        self.__dict__.clear()

    def keep(self, outcome: Outcome) -> None:
        """Set the outcome of a row whose recorded stay remains."""
        self.outcome = outcome
        if self.record is not None and self.record.by_guest:
            self.warning = "signed_up_by_guest"
        elif outcome != "ended" and not self.names_former_address:
            # Another person may read the mailbox of a former address by now.
            self.ticket = self.recorded_ticket

    def repeat(self, same: "ImportedRow") -> None:
        """Take the outcome of another row that names the same entry."""
        self.record, self.refusal, self.warning = same.record, same.refusal, same.warning
        self.outcome = "already" if same.outcome == "joined" else same.outcome
        self.ticket = None if self.names_former_address else same.ticket

    def refuse(self, refusal: WaitlistError) -> None:
        self.outcome, self.refusal = "refused", refusal
