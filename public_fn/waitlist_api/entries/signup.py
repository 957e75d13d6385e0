"""Signup: record the intent, take the place, record the place."""

import hashlib
import hmac
import json
from dataclasses import dataclass, field, replace
from typing import Any

from waitlist_api.clock import NowMillis
from waitlist_api.entries.leave import Leaves
from waitlist_api.entries.position import EntryView, Positions
from waitlist_api.errors import (
    AlreadyAdmitted,
    AlreadyLeft,
    AlreadyOnList,
    EntryNotFound,
    InvalidFields,
    Throttled,
    WaitlistNotFound,
)
from waitlist_api.queue.messages import drop_of, drop_of_former, place_of
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.entries import EntryChanged, EntryRecords
from waitlist_api.records.entry import ENDED, PRESENT, EntryRecord
from waitlist_api.records.segments import Segments
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_api.segments.index import SegmentIndex
from waitlist_shared import contracts as c
from waitlist_shared.errors import (
    Gone,
    IdempotencyKeyReused,
    NotWaiting,
    WaitlistClosed,
    WaitlistError,
    WaitlistFull,
)
from waitlist_shared.ids import entry_id_of, new_join_id

# Each turn meets another request for the same customer that was faster: two are rare.
TURNS = 4


@dataclass(frozen=True, kw_only=True)
class SignupCommand:
    """Who signs up.

    `proven` says that the caller is the customer, `stay_shown` which stay's token the caller sent.
    """

    waitlist_id: str
    customer_id: str
    profile: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    idempotency_key: str = ""
    proven: bool = False
    stay_shown: int | None = None

    @property
    def entry_id(self) -> str:
        return entry_id_of(self.waitlist_id, self.customer_id)

    def with_stay_shown(self, stay: int | None) -> "SignupCommand":
        """Return the command of a caller who has sent the entry token of a stay, or none."""
        return replace(self, stay_shown=stay)

    def is_proven_of(self, record: EntryRecord) -> bool:
        """Return whether the caller has shown to be the customer whose stay is recorded."""
        is_of_stay = self.stay_shown is not None and self.stay_shown == record.ticket
        return self.proven or is_of_stay

    @property
    def signup_key(self) -> str:
        """A digest: the key itself is a secret of the client's."""
        if not self.idempotency_key:
            return ""
        return hashlib.sha256(f"{self.entry_id}\0{self.idempotency_key}".encode()).hexdigest()

    @property
    def signup_body(self) -> str:
        """A digest of the body under the key: without the key it says nothing of the body."""
        if not self.idempotency_key:
            return ""
        content = json.dumps([self.profile, self.attributes], sort_keys=True)
        return hmac.digest(self.idempotency_key.encode(), content.encode(), "sha256").hex()


@dataclass(frozen=True)
class SignedUp:
    """`is_new` tells the request that made the place from one that repeats it."""

    view: EntryView
    is_new: bool


@dataclass(frozen=True, slots=True)
class Signups:
    """Gives customers their places; any step may be repeated, by anyone."""

    waitlist_cache: WaitlistCache
    entries: EntryRecords
    recovering_queue: RecoveringQueue
    segment_index: SegmentIndex
    positions: Positions
    leaves: Leaves
    now_millis: NowMillis

    def sign_up(self, command: SignupCommand) -> SignedUp:
        """Put a customer in line, or return the place of whom the caller has shown to be."""
        waitlist = self.waitlist_cache.find(command.waitlist_id)
        if _refusal(waitlist, command.attributes) is not None:
            waitlist = self.waitlist_cache.look_up(command.waitlist_id)
        for _ in range(TURNS):
            view = self._turn(waitlist, command)
            if view is not None:
                return view
        raise Throttled

    def finish(self, record: EntryRecord) -> SignedUp:
        """Take an intent to its end: the place, or the refusal and no trace of the intent."""
        placed = self._take_place(record)
        is_new = self.record(record, placed)
        view = EntryView.waiting(
            record.entry_id, placed.rank, placed.ticket, placed.position, placed.total
        )
        return SignedUp(view, is_new)

    def record(self, record: EntryRecord, placed: c.SignupResult) -> bool:
        """Record a place that was given; return whether this did, and no other copy of it."""
        try:
            self.entries.finish_join(record, placed, self.now_millis())
        except EntryChanged as changed:
            self._settle(record, placed, changed.record)
            return False
        return True

    def cancel(self, record: EntryRecord) -> None:
        """Take back an intent that was refused its place."""
        try:
            self.entries.cancel_join(record)
        except EntryChanged:
            # Another request has taken this intent further: it stands by what that one did.
            return

    def _turn(self, waitlist: WaitlistRecord, command: SignupCommand) -> SignedUp | None:
        """Try once; None means that the entry has changed meanwhile and is worth another try."""
        record = self._intent(command)
        try:
            record = self._begin(waitlist, record)
        except EntryChanged as changed:
            if changed.record is None:
                return None
            if changed.record.join_id != record.join_id:
                return self._meet(waitlist, command, changed.record)
        return self._finish_new(waitlist, record)

    def _begin(self, waitlist: WaitlistRecord, record: EntryRecord) -> EntryRecord:
        refusal = _refusal(waitlist, record.attributes)
        if refusal is None:
            self.entries.begin_join(record)
            return record
        existing = self.entries.get(record.waitlist_id, record.entry_id)
        if existing is None:
            raise refusal
        raise EntryChanged(existing)

    def _meet(
        self, waitlist: WaitlistRecord, command: SignupCommand, existing: EntryRecord
    ) -> SignedUp | None:
        """Answer a signup of a customer whom the record knows already."""
        is_same_key = existing.signup_key != "" and existing.signup_key == command.signup_key
        is_same_request = is_same_key and not existing.is_expired(self.now_millis())
        # Records of an earlier version have no digest of the body.
        if is_same_request and existing.signup_body not in ("", command.signup_body):
            raise IdempotencyKeyReused
        if existing.status == "leaving":
            self.leaves.finish(existing)
            return None
        if existing.status in ENDED:
            if is_same_request:
                # A late copy of a signup that was taken back since must not join anew.
                return SignedUp(EntryView.recorded(existing), is_new=False)
            return self._rejoin(waitlist, command, existing)
        if not (is_same_request or command.is_proven_of(existing)):
            raise AlreadyOnList
        if existing.status == "joining":
            return self._finish_new(waitlist, existing)
        try:
            view = self.positions.of(command.waitlist_id, command.entry_id)
        except EntryNotFound:
            # Erased meanwhile: whoever signs up is a new person.
            return None
        return SignedUp(view, is_new=False)

    def _rejoin(
        self, waitlist: WaitlistRecord, command: SignupCommand, former: EntryRecord
    ) -> SignedUp | None:
        # A record past its retention counts as deleted.
        is_forgotten = former.is_expired(self.now_millis())
        if not (_may_rejoin(waitlist, former) or is_forgotten):
            waitlist = self.waitlist_cache.look_up(command.waitlist_id)
        if not (_may_rejoin(waitlist, former) or is_forgotten):
            raise AlreadyAdmitted if former.status == "admitted" else AlreadyLeft
        refusal = _refusal(waitlist, command.attributes)
        if refusal is not None:
            raise refusal
        if former.status == "admitted":
            # Redis may still hold what is left of that stay, and would take this one for it.
            self.recovering_queue.write(drop_of(former, counts=True))
        record = self._intent(command)
        try:
            record = self.entries.begin_rejoin(record, former)
        except EntryChanged as changed:
            if changed.record is None or changed.record.join_id != record.join_id:
                return None
            # Our own, sent twice.
            record = changed.record
        return self._finish_new(waitlist, record)

    def _finish_new(self, waitlist: WaitlistRecord, record: EntryRecord) -> SignedUp | None:
        try:
            signed_up = self.finish(record)
        except Gone:
            # Only a refused intent's late copy or a leave can have buried it: look again.
            return None
        return replace(signed_up, view=_without_total(signed_up.view, waitlist))

    def _intent(self, command: SignupCommand) -> EntryRecord:
        now_millis = self.now_millis()
        return EntryRecord(
            waitlist_id=command.waitlist_id,
            entry_id=command.entry_id,
            customer_id=command.customer_id,
            status="joining",
            join_id=new_join_id(),
            created_millis=now_millis,
            updated_millis=now_millis,
            profile=command.profile,
            attributes=command.attributes,
            signup_key=command.signup_key,
            signup_body=command.signup_body,
        )

    def _take_place(self, record: EntryRecord) -> c.SignupResult:
        try:
            placed = self._send(record)
            if self._gave_up_former(record, placed.ticket):
                placed = self._send(record)
        except (WaitlistClosed, WaitlistFull, WaitlistNotFound, InvalidFields, Gone):
            self.waitlist_cache.forget(record.waitlist_id)
            self.cancel(record)
            raise
        return placed

    def _send(self, record: EntryRecord) -> c.SignupResult:
        def sign_up(segments: Segments) -> c.SignupResult:
            placed: c.SignupResult = self.recovering_queue.write(place_of(record, segments))
            return placed

        def check(segments: Segments) -> None:
            segments.check(record.attributes)

        return self.segment_index.send(record.waitlist_id, sign_up, check)

    def _gave_up_former(self, record: EntryRecord, ticket: int) -> bool:
        """Give up the place of the stay before, which a rebuild may have found in a late index."""
        former = drop_of_former(record)
        if former is None or former.ticket != ticket:
            return False
        self.recovering_queue.write(former)
        return True

    def _settle(
        self, record: EntryRecord, placed: c.SignupResult, existing: EntryRecord | None
    ) -> None:
        """Stand by what another request has made of this stay meanwhile."""
        same_stay = existing is not None and existing.join_id == record.join_id
        if existing is not None and same_stay and existing.status in (*PRESENT, "admitted"):
            return
        if not same_stay:
            # Nobody will ever leave for this stay: its place must not stay behind.
            self.recovering_queue.write(drop_of(replace(record, ticket=placed.ticket)))
        raise NotWaiting("This signup was taken back while it was under way; sign up again.")


def _refusal(waitlist: WaitlistRecord, attributes: dict[str, Any]) -> WaitlistError | None:
    """Return why a waitlist takes nobody new with these attributes, if it does not."""
    if not waitlist.settings.open:
        return WaitlistClosed()
    try:
        waitlist.segments.check(attributes)
    except InvalidFields as refusal:
        return refusal
    return None


def _may_rejoin(waitlist: WaitlistRecord, former: EntryRecord) -> bool:
    """Return whether a waitlist gives a customer a new place after a stay that has ended."""
    match waitlist.settings.rejoin:
        case "always":
            return True
        case "after_leaving":
            return former.status == "left"
        case "never":
            return False


def _without_total(view: EntryView, waitlist: WaitlistRecord) -> EntryView:
    # For a private function of the version before, which returned the total all the same.
    return replace(view, total=None) if waitlist.settings.hide_counts else view
