"""The rows of an import, and their outcomes."""

import hashlib
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from waitlist_api.errors import FieldError, InvalidFields
from waitlist_api.records.entry import ENDED, PRESENT, EntryRecord
from waitlist_shared.errors import WaitlistError
from waitlist_shared.ids import entry_id_of
from waitlist_shared.ranks import EPOCH, priority_of, ticket_at, ticket_part_of, time_of

Outcome = Literal["joined", "already", "ended", "banned", "refused"]
# What an import does with customers who have left or were admitted.
WhenEnded = Literal["skip", "rejoin"]
# What an import does if a guest has already put the customer on the waitlist.
WhenOnList = Literal["keep", "replace"]
RowWarning = Literal["signed_up_by_guest", "another_address"]
# The state of a row before the import.
#
# `new` means that the customer can be added. `joining` means that an earlier import was interrupted
# while it was adding the customer. `under_way` means that a different request is adding or removing
# the customer.
State = Literal["new", "joining", "under_way", "present", "ended", "banned"]
# The smallest ticket is 1, because 0 means that there is no ticket.
FIRST_TICKET = 1
TOO_EARLY = FieldError("body.joined_at", "must not be before 2020-01-01T00:00:00Z")
TOO_LATE = FieldError(
    "body.joined_at", "must not be in the future. Leave it out to place the customer last"
)
NOT_YET = "must not be in the future"
# Accept ranks that are slightly in the future, because the clock of the other waitlist's Redis
# server may be ahead.
SKEW = timedelta(minutes=10)


class ImportRow(Struct, frozen=True, kw_only=True):
    """One customer to import.

    `joined_at` is when the customer joined an earlier system. `rank` is the customer's rank in
    another waitlist.
    """

    customer_id: str
    profile: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    priority: int = 0
    joined_at: datetime | None = None
    rank: int | None = None
    idempotency_key: str = ""
    # A function that computes the customer id from the address in the profile. None if the caller
    # sent the customer id.
    identify: Callable[[dict[str, Any]], str] | None = None
    # False if an operator holds the entry back.
    ready: bool = True
    # The reason why the customer is held back or banned.
    reason: str = ""
    rest_until: datetime | None = None
    # False if the customer must still verify the address. This matters only on waitlists that
    # verify addresses.
    verified: bool = True
    confirmed_at: datetime | None = None
    messages: str = ""
    unreachable: bool = False
    language: str = ""
    # True if the customer should receive the `joined` message, which customers who sign up
    # themselves usually receive.
    tell: bool = False
    # True if the customer should be banned, in which case they are not added and cannot sign up
    # later.
    banned: bool = False
    # True if the caller sent a customer id that differs from the one computed from the address in
    # the profile.
    is_beside_address: bool = False

    def check(self, now: datetime) -> None:
        """Raise InvalidFields if a time or the rank in the row is not plausible."""
        if self.joined_at is not None and self.joined_at < EPOCH:
            raise InvalidFields(TOO_EARLY)
        if self.joined_at is not None and self.joined_at > now:
            raise InvalidFields(TOO_LATE)
        if self.confirmed_at is not None and self.confirmed_at > now:
            raise InvalidFields(FieldError("body.confirmed_at", NOT_YET))
        if self.rank is None:
            return
        if (priority := priority_of(self.rank)) != self.priority:
            message = f"belongs to priority {priority}. Send this priority, or leave out the rank"
            raise InvalidFields(FieldError("body.rank", message))
        if time_of(ticket_part_of(self.rank)) > now + SKEW:
            raise InvalidFields(FieldError("body.rank", NOT_YET))


class ImportedRow(Struct, kw_only=True, dict=True):  # cached properties need a dict
    """One row of an import, with its outcome and the stored record of its customer."""

    waitlist_id: str
    row: ImportRow
    when_ended: WhenEnded = "skip"
    when_on_list: WhenOnList = "keep"
    record: EntryRecord | None = None
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
        """A digest of the row's idempotency key.

        The imported entry's record stores this digest, so that a repeated import recognises the
        entry.
        """
        if not self.row.idempotency_key:
            return ""
        text = f"import\0{self.entry_id}\0{self.row.idempotency_key}"
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def has_joined(self) -> bool:
        """Whether this import, or an earlier import with the same key, has added the entry."""
        recorded = "" if self.record is None else self.record.joined.key
        return self.is_new or (recorded != "" and recorded == self.signup_key)

    @property
    def is_joining(self) -> bool:
        """Whether an import is adding this entry, or was interrupted while adding it."""
        record = self.record
        if record is None or record.status != "joining":
            return False
        return record.intent.ticket is not None

    @property
    def names_former_address(self) -> bool:
        """Whether the row contains an address that the customer has since replaced."""
        record, identify = self.record, self.row.identify
        if identify is None or record is None or not record.move.moved_to:
            return False
        try:
            return identify(self.row.profile) != identify(record.profile)
        except InvalidFields:
            # The recorded profile contains no valid address, because an operator has replaced the
            # profile.
            return True

    @property
    def is_replacing(self) -> bool:
        """Whether the import replaces an entry that a guest created by signing up."""
        record = self.record
        if record is None or record.status not in PRESENT or self.names_former_address:
            return False
        return record.joined.by_guest and self.when_on_list == "replace"

    @property
    def recorded_ticket(self) -> int | None:
        return None if self.record is None else self.record.ticket

    @property
    def known_stamp(self) -> int:
        """The newest logical timestamp in the entry's record, or 0 if there is no record."""
        return 0 if self.record is None else self.record.known_stamp

    @property
    def joined_ticket(self) -> int | None:
        """The smallest ticket that a signup at `joined_at` could have received, or None if
        `joined_at` is not set.

        Entries with the same priority are served in the order of their tickets.
        """
        joined_at = self.row.joined_at
        return None if joined_at is None else max(FIRST_TICKET, ticket_at(joined_at))

    def state(self, now_millis: int) -> State:
        """Return the imported row's state, according to its entry's record."""
        record = self.record
        if record is None or self.is_replacing:
            return "new"
        if self.is_joining:
            return "joining"
        if record.status in PRESENT:
            return "present"
        if record.status not in ENDED:
            return "under_way"
        if record.ban.stamp:
            return "banned"
        # Anyone can sign up as a guest with a customer's id and then leave. The customer may never
        # have left, so add the customer if `when_on_list` is `replace`. This also lets a retry add
        # the customer if an earlier import was interrupted just after it had removed the guest's
        # entry.
        is_guests = record.joined.by_guest and record.status == "left"
        may_rejoin = self.when_ended == "rejoin" or (is_guests and self.when_on_list == "replace")
        return "new" if may_rejoin or record.joins_as_new(now_millis) else "ended"

    def replace_record(self, record: EntryRecord | None) -> None:
        """Replace this row's record.

        Discard the row's outcome, which was based on the old record.
        """
        self.record, self.outcome, self.refusal = record, None, None
        self.ticket, self.warning = None, None

    def follow(self, record: EntryRecord) -> None:
        """Import the row into the existing entry `record`.

        The customer of that entry has changed their address to the one in the row.
        """
        self.row = replace(self.row, customer_id=record.customer_id)
        # The cached entry id and signup key were computed from the old customer id, so clear the
        # cache.
        self.__dict__.clear()

    def keep(self, outcome: Outcome) -> None:
        """Set the outcome of an imported row whose entry is not changed."""
        self.outcome = outcome
        if self.record is not None and self.record.joined.by_guest:
            self.warning = "signed_up_by_guest"
        elif outcome != "ended" and not self.names_former_address:
            # If `ticket` is set, the response contains the customer's entry token. Do not set it
            # for a row with the customer's former address, because that address may now belong to a
            # different person.
            self.ticket = self.recorded_ticket

    def repeat(self, same: "ImportedRow") -> None:
        """Copy the outcome from another row for the same entry."""
        self.record, self.refusal, self.warning = same.record, same.refusal, same.warning
        self.outcome = "already" if same.outcome == "joined" else same.outcome
        self.ticket = None if self.names_former_address else same.ticket

    def refuse(self, refusal: WaitlistError) -> None:
        self.outcome, self.refusal = "refused", refusal
