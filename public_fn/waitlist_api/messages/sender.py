"""Sends the message that an event asks for: once, and only if it is true at that moment."""

from collections.abc import Callable, Mapping
from typing import Literal, Protocol

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.entries.addresses import addresses_for_messages
from waitlist_api.messages.compose import Channel, Letterhead, Message, compose
from waitlist_api.messages.kinds import BY_EVENT, BY_NAME, Happening, Kind
from waitlist_api.messages.limits import Limits, NotSent
from waitlist_api.records.deliveries import Deliveries, Delivery, Reason
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import PRESENT, EntryRecord
from waitlist_api.records.notices import NoticeRecords
from waitlist_api.records.recipients import Recipients
from waitlist_api.records.waitlists import WaitlistRecords, WaitlistSettings, offer_hours_of
from waitlist_api.settings.hours import within
from waitlist_api.settings.identity import IdentityField, IdentityRules
from waitlist_api.settings.messages import MessageRules
from waitlist_api.settings.sms import takes_sms
from waitlist_shared.errors import WaitlistError
from waitlist_shared.ranks import millis_of

Outcome = Literal["sent", "repeated", "not_chosen", "later"] | Reason
# Why a message waits although nothing is wrong: for the policy's hours, for another process that
# sends it, and for a batch that has time for it.
CLOSED_HOURS, BUSY, POSTPONED = "closed_hours", "busy", "postponed"
CHANNELS: dict[IdentityField, Channel] = {"email": "mail", "phone": "sms"}


class TryAgain(Exception):
    """The message was not sent, and may be later. `reason` is a word, without any address.

    With `is_throttled` the others of this channel would be refused too. It is of no use to try it
    before `pause_seconds`, or at any time without it.
    """

    def __init__(
        self, reason: str, *, is_throttled: bool = False, pause_seconds: int | None = None
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_throttled = is_throttled
        self.pause_seconds = pause_seconds


class Refused(Exception):
    """The address takes no messages."""


class Sends(Protocol):
    """What brings a message to its address."""

    def send(self, message: Message, ids: Delivery | None) -> None:
        """Send a message; an example has no ids. Raises TryAgain or Refused."""


class Sender(Struct, frozen=True):
    """Sends messages by the channels that there are."""

    entries: EntryRecords
    waitlists: WaitlistRecords
    deliveries: Deliveries
    recipients: Recipients
    notices: NoticeRecords
    limits: Limits
    channels: Mapping[Channel, Sends]
    head: Letterhead
    now_millis: NowMillis

    def handle(self, happening: Happening) -> Outcome:
        """Send the message of an event, or return why there is none. Raises TryAgain."""
        kind = BY_EVENT.get(happening.event)
        waitlist = self.waitlists.get(happening.waitlist_id)
        if kind is None or waitlist is None or waitlist.deleting:
            return "over"
        rules = self.rules_of(waitlist.settings)
        if rules is None or not {kind.name, kind.also_by} & set(rules.kinds):
            return "not_chosen"
        began_millis = self.now_millis()
        record = self.entries.get(happening.waitlist_id, happening.entry_id)
        if record is None or record.erase or happening.stamp < (record.ticket or 0):
            return "over"
        if kind.comes_later(record, happening):
            return "later"
        delivery = _delivery(kind, record, happening)
        is_over = kind.of_setting != "" and getattr(waitlist.settings, kind.of_setting) is None
        if is_over or not kind.is_true(record, happening, self.now_millis()):
            self._take_back(record, delivery)
            return self._drop(delivery, "over")
        if not kind.is_asked and record.messages:
            return self._drop(delivery, "turned_off")
        if not kind.is_asked and record.unreachable:
            return self._drop(delivery, "unreachable")
        identity = waitlist.settings.identity
        to = self._address_of(kind, record, identity)
        if to is None:
            return self._drop(delivery, "no_address")
        channel, address = to
        if channel == "sms" and not takes_sms(address, rules, identity):
            return self._drop(delivery, "number_not_allowed")
        if kind.in_hours:
            self._check_hours(record, waitlist.settings, happening)
        # A code by the time of the event could be too old already.
        message = compose(kind, record, waitlist.settings, rules, to, self.head, began_millis)
        return self._send_once(
            delivery,
            message,
            began_millis,
            lambda: self.limits.take(kind, record, happening, message, rules, self.now_millis()),
        )

    def _take_back(self, record: EntryRecord, delivery: Delivery) -> None:
        """Let a person who is not told by this message that the turn is near be told another time.

        The record says that they were told; a claimer may have taken the entry before that.
        """
        is_noted = record.is_told_near and record.near_stamp == delivery.stamp
        if delivery.kind != "near" or not is_noted or record.status not in PRESENT:
            return
        if self.deliveries.is_sent(delivery, self.now_millis()):
            return
        if not self.notices.take_back(record):
            raise TryAgain("changed")

    def bounce(self, delivery: Delivery) -> None:
        """Note that a sent message came back; its address takes no others in this stay."""
        self._mark_unreachable(delivery, self.deliveries.sent_millis(delivery))
        self.deliveries.bounce(delivery)

    def _is_edited_since(self, delivery: Delivery, millis: int) -> bool:
        record = self.entries.get(delivery.waitlist_id, delivery.entry_id)
        return record is not None and millis_of(record.edited_stamp) > millis

    def _mark_unreachable(self, delivery: Delivery, sent_millis: int | None) -> None:
        """Note that the address of a message takes none, unless the stay has another by now.

        After any edit it may; the next message finds out.
        """
        # A new address says nothing of the one that the stay has.
        if BY_NAME[delivery.kind].link == "move":
            return
        if sent_millis is None or not self._is_edited_since(delivery, sent_millis):
            self.recipients.mark_unreachable(*delivery.stay)

    def rules_of(self, settings: WaitlistSettings) -> MessageRules | None:
        """Return by which rules a list sends; None if it sends nothing."""
        return settings.messages

    def _check_hours(
        self, record: EntryRecord, settings: WaitlistSettings, happening: Happening
    ) -> None:
        """Raise TryAgain outside the policy's hours, unless the offer ends before the next ones."""
        now_millis = self.now_millis()
        opens_millis = within(offer_hours_of(settings), now_millis)
        ends_before = (record.claimed_until_millis or opens_millis) < opens_millis
        # An operator who offers at another time has decided so.
        if opens_millis == now_millis or ends_before or happening.by == "operator":
            return
        raise TryAgain(CLOSED_HOURS, pause_seconds=(opens_millis - now_millis) // 1000 + 1)

    def _drop(self, delivery: Delivery, reason: Reason) -> Outcome:
        self.deliveries.drop(delivery, reason, self.now_millis())
        return reason

    def _address_of(
        self, kind: Kind, record: EntryRecord, rules: IdentityRules | None
    ) -> tuple[Channel, str] | None:
        """Return the address by which the list knows the person, or the first that it can reach.

        For a move it is the new one.
        """
        profile = record.profile
        if kind.link == "move" and rules is not None:
            profile = {rules.field: record.moving_address}
        found = addresses_for_messages(profile, rules)
        return next(((CHANNELS[field], to) for field, to in found if self._has(field)), None)

    def _has(self, field: IdentityField) -> bool:
        return CHANNELS[field] in self.channels

    def _send_once(
        self,
        delivery: Delivery,
        message: Message,
        began_millis: int,
        take: Callable[[], Callable[[], None]],
    ) -> Outcome:
        """Send a message, unless it was sent before or a limit does not let it be sent.

        `began_millis` is a time before the record was read, and counts as that of the send. So an
        edit that the message does not know of has a later stamp. `take` counts the message, and
        returns what takes it back.
        """
        match self.deliveries.begin(delivery, began_millis):
            case "done":
                return "repeated"
            case "busy":
                raise TryAgain(BUSY)
        try:
            give_back = take()
        except NotSent as limit:
            if limit.pause_seconds is None:
                self.deliveries.note_limit(delivery, message.channel, limit.reason, began_millis)
                return limit.reason
            self.deliveries.give_up(delivery, began_millis)
            raise TryAgain(limit.reason, pause_seconds=limit.pause_seconds) from None
        except WaitlistError:
            self.deliveries.give_up(delivery, began_millis)
            raise
        outcome: Outcome = "sent"
        reason = ""
        try:
            self.channels[message.channel].send(message, delivery)
        except Refused:
            self._mark_unreachable(delivery, began_millis)
            outcome = reason = "refused"
            give_back()
        except TryAgain:
            self.deliveries.give_up(delivery, began_millis)
            give_back()
            raise
        self.deliveries.finish(delivery, message.channel, began_millis, reason)
        return outcome


def _delivery(kind: Kind, record: EntryRecord, happening: Happening) -> Delivery:
    ticket = record.ticket or 0
    return Delivery(
        waitlist_id=record.waitlist_id,
        entry_id=record.entry_id,
        ticket=ticket,
        stamp=ticket if kind.once_a_stay else happening.stamp,
        kind=kind.name,
    )
