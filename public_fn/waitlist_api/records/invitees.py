"""Store the state of each invitee, such as `open` or `declined`.

An invitee is an entry that got an offer through an invitation. The state is written in the same
transaction as the entry's record. It contains no personal data, so it is kept when the entry is
erased.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Literal

from msgspec import Struct

from waitlist_api.parallel import run_all
from waitlist_api.records.entry import SHARDS, EntryRecord, HistoryEvent, shard_of
from waitlist_api.records.table import ConditionFailed, Item, Key, Table
from waitlist_shared import contracts as c
from waitlist_shared.ids import invitation_of

# An invitee's state. It stays `open` until the offer ends or the customer starts leaving the
# waitlist. `withdrawn` means that an operator took back the offer.
State = Literal["open", "entered", "declined", "missed", "left", "withdrawn"]
# Maps each decision that ends an offer to the invitee's new state. The state is stored even if
# Redis reports the decision late.
LATE_ENDS: dict[str, State] = {
    "declined": "declined",
    "withdrawn": "withdrawn",
    "no_show": "missed",
    "no_show_parked": "missed",
    "abandoned": "missed",
}
ALWAYS = "attribute_exists(#pk) OR attribute_not_exists(#pk)"
# Keep invitees' items longer than the invitation itself, so that the counts computed from them stay
# correct until the invitation expires.
INVITATION_SECONDS = 400 * 86_400
KEPT_SECONDS = INVITATION_SECONDS + 20 * 86_400


class Funnel(Struct, frozen=True, kw_only=True):
    """How many people an invitation has reached, and how their offers have ended.

    `invited` counts everyone who got an offer. Each of these people is also counted in exactly one
    of the fields `open`, `entered`, `declined`, `missed` and `left`. `delivered` counts the people
    to whom the message was sent. `opened` counts the people who have seen their offer.
    """

    invited: int = 0
    open: int = 0
    entered: int = 0
    declined: int = 0
    missed: int = 0
    left: int = 0
    delivered: int = 0
    opened: int = 0


class InviteeChange(Struct, frozen=True, kw_only=True):
    """A change to an invitee's state."""

    key: Key
    state: State
    expires_at: int

    def to_write(self, table: Table) -> Item:
        values = {"state": self.state, "expires_at": self.expires_at}
        return table.update_write(
            self.key, "SET #state = :state, #expires_at = :expires_at", ALWAYS, values
        )


def invitee_changes(before: EntryRecord | None, after: EntryRecord) -> Iterator[InviteeChange]:
    """Yield the invitee's new state if a change to an entry's record begins or ends an invitation's
    offer.

    A single change can end one offer and begin another.
    """
    has_same_offer = before is not None and before.hold.token == after.hold.token
    if before is not None and _is_open(before) and not (has_same_offer and _is_open(after)):
        yield _change(before, _end_of(before, after), after.updated_millis)
    if invitation_of(after.hold.token) and not has_same_offer:
        state = "open" if _is_open(after) else _end_of(after, after)
        yield _change(after, state, after.updated_millis)


def _is_open(record: EntryRecord) -> bool:
    """Return whether the entry has an open offer that belongs to an invitation.

    The offer counts as ended as soon as the customer begins to leave, and its state is written at
    that moment. The state is not written a second time when the customer has left, because a
    decision by Redis may have corrected it. If the customer leaves by declining the offer, the
    offer counts as open until they have left.
    """
    hold = record.hold
    is_offered = record.status == "offered" or record.is_declining
    is_open = is_offered and hold.is_offer and not hold.end
    return bool(invitation_of(hold.token)) and is_open and not record.intent.erase


def _end_of(before: EntryRecord, after: EntryRecord) -> State:
    """Return how the offer in the record `before` has ended."""
    if before.hold.token != after.hold.token:
        # The record already contains a later claim or offer, so it no longer shows how this offer
        # ended. Assume that the customer missed it. If they declined it, `note_late` corrects the
        # state.
        return "missed"
    match after.status:
        case "admitted":
            return "entered"
        case "left" if before.is_declining:
            return "declined"
        case "left" | "leaving":
            return "left"
        case _:
            return LATE_ENDS.get(after.hold.end, "missed")


def _has_left(record: EntryRecord, ticket: int) -> bool:
    """Return whether the signup with this ticket has ended because the customer left.

    If the record has a different ticket, the customer has since signed up again.
    """
    return record.status in ("leaving", "left") or record.ticket != ticket


def _change(record: EntryRecord, state: State, now_millis: int) -> InviteeChange:
    key = invitee_key(
        record.waitlist_id, record.entry_id, invitation_of(record.hold.token), record.ticket or 0
    )
    return InviteeChange(key=key, state=state, expires_at=now_millis // 1000 + KEPT_SECONDS)


def invitee_key(waitlist_id: str, entry_id: str, invitation_id: str, ticket: int) -> Key:
    pk = _shard_pk(waitlist_id, invitation_id, shard_of(entry_id))
    return {"pk": pk, "sk": f"{ticket:016d}"}


def _shard_pk(waitlist_id: str, invitation_id: str, shard: int) -> str:
    return f"INVITEES#{waitlist_id}#{invitation_id}#{shard}"


class Invitees(Struct, frozen=True):
    """Reads and changes the items of invitees."""

    table: Table

    def known(
        self, waitlist_id: str, invitation_id: str, invitees: Sequence[c.Invitee]
    ) -> list[c.Invitee]:
        """Return which of these invitees have got an offer from the invitation."""
        if not invitees:
            return []
        keys = {
            invitee: invitee_key(waitlist_id, invitee.entry_id, invitation_id, invitee.ticket)
            for invitee in invitees
        }
        found = {(item["pk"], item["sk"]) for item in self.table.get_many(list(keys.values()))}
        return [invitee for invitee, key in keys.items() if (key["pk"], key["sk"]) in found]

    def note_delivered(self, record: EntryRecord) -> None:
        """Record that the message about the current offer was sent."""
        if invitation_id := invitation_of(record.hold.token):
            key = invitee_key(*record.key, invitation_id, record.ticket or 0)
            self._set(key, "SET #delivered = :flag", flag=True)

    def note_bounced(self, waitlist_id: str, entry_id: str, ticket: int, stamp: int) -> None:
        """Record that the message about the offer with this timestamp has bounced."""
        event = self.table.get(HistoryEvent.key(waitlist_id, entry_id, stamp, "offered")) or {}
        if invitation_id := event.get("detail", {}).get("invitation"):
            key = invitee_key(waitlist_id, entry_id, invitation_id, ticket)
            self._set(key, "SET #delivered = :flag", flag=False)

    def note_opened(self, key: Key) -> bool:
        """Record that the customer has seen the offer.

        Return False if the offer is not recorded.
        """
        return self._set(key, "SET #opened = :flag", flag=True)

    def note_late(self, record: EntryRecord, decision: c.Decision) -> None:
        """Record how an invitation's offer ended, if the entry's record already contains a later
        change.
        """
        invitation_id = invitation_of(decision.token)
        if not invitation_id:
            return
        key = invitee_key(*record.key, invitation_id, decision.ticket)
        has_left = _has_left(record, decision.ticket)
        state = LATE_ENDS.get(decision.verb)
        if decision.verb == "offered" and decision.token != record.hold.token:
            # It is not known how the offer ended, so store a guess. If Redis ended the offer, its
            # next decision about the entry corrects the guess.
            state = "left" if has_left else "missed"
            item = {**key, "state": state, "expires_at": decision.at // 1000 + KEPT_SECONDS}
            with suppress(ConditionFailed):
                self.table.put(item, "attribute_not_exists(#pk)")
        elif state and (has_left or state != "missed"):
            has_other_end = "#state IN (:open, :missed, :left)"
            states = {name: name for name in ("open", "missed", "left")}
            self._set(key, "SET #state = :state", has_other_end, state=state, **states)

    def count(self, waitlist_id: str, invitation_id: str) -> Funnel:
        """Count the invitees of an invitation."""
        counts: Counter[str] = Counter()
        count = partial(self._count, waitlist_id, invitation_id)
        for found in run_all(count, range(SHARDS), workers=SHARDS):
            counts.update(found)
        # The API has no separate count of withdrawn offers, so they are counted in `left`.
        counts["left"] += counts.pop("withdrawn", 0)
        return Funnel(**counts)

    def _count(self, waitlist_id: str, invitation_id: str, shard: int) -> Counter[str]:
        counts: Counter[str] = Counter()
        for item in self._items(_shard_pk(waitlist_id, invitation_id, shard)):
            if "state" in item:
                counts["invited"] += 1
                counts[item["state"]] += 1
                counts["delivered"] += bool(item.get("delivered"))
                counts["opened"] += bool(item.get("opened"))
        return counts

    def delete(self, waitlist_id: str, invitation_id: str) -> None:
        for shard in range(SHARDS):
            items = self._items(_shard_pk(waitlist_id, invitation_id, shard))
            self.table.delete_many([{"pk": item["pk"], "sk": item["sk"]} for item in items])

    def _items(self, pk: str) -> Iterator[Item]:
        after: Item | None = {}
        while after is not None:
            items, after = self.table.query("#pk = :pk", {"pk": pk}, after or None)
            yield from items

    def _set(self, key: Key, update: str, only_if: str = "", **values: str | bool) -> bool:
        condition = f"attribute_exists(#pk) AND {only_if}" if only_if else "attribute_exists(#pk)"
        try:
            self.table.update(key, update, condition, values)
        except ConditionFailed:
            return False
        return True
