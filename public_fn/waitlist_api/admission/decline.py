"""Decline an offer.

The next entry gets the slot. The customer keeps their place in the queue, goes to the back of the
queue or leaves.
"""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.admission.holds import DECLINE, HoldCommand, Holds
from waitlist_api.clock import NowMillis
from waitlist_api.entries.leave import Leaves
from waitlist_api.entries.once import once_key_of
from waitlist_api.entries.own_changes import count_change
from waitlist_api.entries.position import EntryView
from waitlist_api.records.decisions import CUSTOMER
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import DECLINED, EntryRecord
from waitlist_api.records.leaves import Leave, LeftOffer
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.settings.waitlist import decline_rules_of
from waitlist_shared import contracts as c
from waitlist_shared.errors import IdempotencyKeyReused

Choice = Literal["back", "leave"]
# The length of an idempotency key's digest, in characters.
KEY_DIGITS = 16


class DeclineCommand(Struct, frozen=True, kw_only=True):
    """A customer's request to decline an offer.

    The request names the offer by its deadline `offered_until_millis`.
    """

    waitlist_id: str
    entry_id: str
    stay: int | None
    # The customer chooses whether to move to the end of the queue (`back`) or to leave. If `to` is
    # None, the `decline` setting decides.
    to: Choice | None
    offered_until_millis: int | None
    idempotency_key: str | None

    @property
    def once_key(self) -> str | None:
        """A digest of the idempotency key, followed by a digest of the whole request. It is None if
        the client sent no key.
        """
        if not self.idempotency_key:
            return None
        of_key = once_key_of(CUSTOMER, self.idempotency_key)[:KEY_DIGITS]
        request = f"{CUSTOMER} {self.to} {self.offered_until_millis}"
        return of_key + once_key_of(request, self.idempotency_key)[KEY_DIGITS:]

    def is_repeat_of(self, record: EntryRecord) -> bool:
        """Return whether this request repeats the customer's latest decline.

        Raise IdempotencyKeyReused if the latest decline had the same key but was a different
        request.
        """
        if self.once_key is None or record.hold.once_key[:KEY_DIGITS] != self.once_key[:KEY_DIGITS]:
            return False
        if record.hold.once_key != self.once_key:
            raise IdempotencyKeyReused
        return True


class Declined(Struct, frozen=True):
    """An entry whose customer has declined an offer.

    `left` is how many more offers the customer can decline and still keep their place in the queue.
    It is None if customers do not keep their place when they decline.
    """

    view: EntryView
    left: int | None


class Declines(Struct, frozen=True):
    """Declines offers on behalf of customers."""

    holds: Holds
    leaves: Leaves
    entries: EntryRecords
    waitlist_cache: WaitlistCache
    now_millis: NowMillis

    def decline(self, command: DeclineCommand) -> Declined:
        """Decline the offer. If the request is a repeat, nothing changes.

        Raise IdempotencyKeyReused if the customer's latest decline had the same key but a different
        `to` or `offered_until`.
        """
        waitlist_id, entry_id, stay = command.waitlist_id, command.entry_id, command.stay
        rules = decline_rules_of(self.waitlist_cache.find(waitlist_id).settings)
        to = command.to or rules.to
        record = self.entries.find(waitlist_id, entry_id, stay)
        is_repeat = command.is_repeat_of(record)
        has_left = record.status in ("leaving", "left")
        if is_repeat and has_left:
            # The first attempt ended the signup, even if the `decline` setting has changed since.
            to = "leave"
        if to != "leave":
            changes_until_millis = 0
            if record.status == "offered" and not is_repeat:
                # Limit how many times a customer can decline. If nobody else is waiting, the
                # customer receives the next offer at once, and could otherwise go on declining
                # forever.
                changes_until_millis = count_change(record, self.now_millis())
            hold = HoldCommand(
                waitlist_id=waitlist_id,
                entry_id=entry_id,
                by=CUSTOMER,
                ticket=stay,
                token=_token_of_offer(record, command.offered_until_millis),
                offered_until_millis=command.offered_until_millis,
                once_key=command.once_key,
                to=to,
                pause_seconds=rules.pause_seconds,
                at_most=rules.at_most,
                declines=record.hold.declines,
                changes_until_millis=changes_until_millis,
            )
            answer = self.holds.act(DECLINE, hold)
            decided = answer.result.declines if isinstance(answer.result, c.DeclineResult) else 0
            declines = max(record.hold.declines, decided)
            left = max(0, rules.at_most - declines) if rules.to == "place" else None
            view = answer.view.with_call_number(record)
            if view.not_ready is None:
                # After a decline, the reply from Redis does not contain the reasons why the entry
                # is not ready, so take the reasons from the record. The answer has no record if the
                # stored record already contained a later change than this decline.
                after = answer.record or self.entries.find(waitlist_id, entry_id, stay)
                view = replace(view, not_ready=after.not_ready_at(self.now_millis()))
            return Declined(view, left)
        if is_repeat and not has_left:
            # Either the customer kept a place, because the `decline` setting was different at the
            # first attempt, or the customer is back on the waitlist.
            view = self.holds.positions.read(waitlist_id, entry_id)
            return Declined(view.with_call_number(record), None)
        if not is_repeat or record.status == "leaving":
            offer = LeftOffer(until_millis=command.offered_until_millis, once_key=command.once_key)
            leave = Leave(by=CUSTOMER, reason=DECLINED, stay=stay, offer=offer)
            self.leaves.leave(waitlist_id, entry_id, leave)
        return Declined(replace(EntryView.recorded(record), status="left"), None)


def _token_of_offer(record: EntryRecord, until_millis: int | None) -> str:
    """Return the token of the offer with this deadline, or "" if the entry's record contains no
    such offer.
    """
    is_same = record.status == "offered" and record.hold.until_millis == until_millis
    return record.hold.token if is_same else ""
