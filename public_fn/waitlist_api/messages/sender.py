"""Sends the message that an event triggers, if its content is still correct.

A message is sent only once, unless the function stops before it has stored that the message was
sent, or the response from AWS is lost. In these two cases, the message can be sent a second time.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Literal, Protocol

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.entries.destination import Destination, Unreached, find_destination
from waitlist_api.messages.compose import Letterhead, Message, compose
from waitlist_api.messages.kinds import BY_EVENT, BY_NAME, EntryEvent, Kind, is_told
from waitlist_api.messages.limits import LimitReached, Limits
from waitlist_api.records.broadcasts import BroadcastRecords
from waitlist_api.records.deliveries import Deliveries, Delivery, Reason
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import PRESENT, EntryRecord, no_longer_near
from waitlist_api.records.invitations import InvitationRecords
from waitlist_api.records.ledger import EntryChanged, Ledger
from waitlist_api.records.recipients import Recipients
from waitlist_api.records.waitlists import WaitlistRecords
from waitlist_api.settings.hours import next_time_within
from waitlist_api.settings.messages import Channel, MessageRules, OwnText
from waitlist_api.settings.texts import Language
from waitlist_api.settings.waitlist import WaitlistSettings, offer_hours_of
from waitlist_shared.errors import WaitlistError
from waitlist_shared.ids import invitation_of
from waitlist_shared.ranks import millis_of

Outcome = Literal["sent", "repeated", "not_chosen", "silent"] | Reason
# Expected reasons to retry a message later, for example that another process is sending it.
CLOSED_HOURS, BUSY, POSTPONED = "closed_hours", "busy", "postponed"


class TryAgain(Exception):
    """Raised when a message must be retried later, after a pause of at least `pause_seconds`.

    If `is_throttled` is true, other messages would fail for the same reason.
    """

    def __init__(
        self, reason: str, *, is_throttled: bool = False, pause_seconds: int | None = None
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_throttled = is_throttled
        self.pause_seconds = pause_seconds


class Refused(Exception):
    """Raised when the email or SMS service rejects the address."""


class Transport(Protocol):
    """A service that delivers messages, such as SES."""

    def send(self, message: Message, ids: Delivery | None) -> None:
        """Send a message. Raise TryAgain or Refused on failure.

        `ids` identifies the message if it bounces later. An example message has no `ids`.
        """


class Sender(Struct, frozen=True):
    """Sends messages by email and SMS, depending on what the stack supports."""

    entries: EntryRecords
    waitlists: WaitlistRecords
    deliveries: Deliveries
    recipients: Recipients
    ledger: Ledger
    limits: Limits
    invitations: InvitationRecords
    broadcasts: BroadcastRecords
    channels: Mapping[Channel, Transport]
    head: Letterhead
    now_millis: NowMillis

    def handle(self, event: EntryEvent) -> Outcome:
        """Send the message that an event triggers.

        Return the outcome. If no message was sent, the outcome says why. Raise TryAgain if the
        message must be retried.
        """
        kind = BY_EVENT.get(event.event)
        waitlist = self.waitlists.get(event.waitlist_id)
        if kind is None or waitlist is None or waitlist.deleting:
            return "over"
        rules = self.find_rules(waitlist.settings)
        is_chosen = rules is not None and {kind.name, kind.also_chosen_by} & set(rules.kinds)
        if rules is None or not (is_chosen or kind.is_written):
            return "not_chosen"
        began_millis = self.now_millis()
        record = self.entries.get(event.waitlist_id, event.entry_id)
        if record is None or record.intent.erase:
            return "over"
        # An entry's ticket contains the time of its signup, so an event that is older than the
        # ticket belongs to an earlier signup. The only exception is an imported entry's `joined`
        # event, which can be slightly older than the ticket.
        if event.stamp < (record.ticket or 0) and not is_told(record, event):
            return "over"
        if kind.is_silent(record, event):
            return "silent"
        delivery = _delivery(kind, record, event)
        is_over = (
            kind.needs_setting != "" and getattr(waitlist.settings, kind.needs_setting) is None
        )
        if is_over or not kind.is_current(record, event, self.now_millis()):
            self._withdraw_near_notice(record, delivery)
            return self._drop(delivery, "over")
        if not kind.is_requested and record.contact.messages:
            return self._drop(delivery, "turned_off")
        if not kind.is_requested and record.contact.unreachable:
            return self._drop(delivery, "unreachable")
        to = self._choose_destination(kind, record, waitlist.settings, rules)
        if not isinstance(to, Destination):
            return self._drop(delivery, to)
        if kind.only_in_offer_hours:
            self._check_hours(record, waitlist.settings, event)
        # Issue the code in the link at the current time. A code issued at the time of the event
        # could have expired.
        texts = self._find_own_texts(kind, record, event)
        if kind.is_written and not texts:
            return self._drop(delivery, "over")
        message = compose(
            kind,
            record,
            waitlist.settings,
            rules,
            (to.channel, to.address),
            self.head,
            began_millis,
            texts,
        )
        return self._send_once(
            delivery,
            message,
            began_millis,
            lambda: self.limits.take(kind, record, event, message, rules, self.now_millis()),
            lambda: self._note_delivered(kind, record),
        )

    def _find_own_texts(
        self, kind: Kind, record: EntryRecord, event: EntryEvent
    ) -> Mapping[Language, OwnText]:
        """Return the texts that an operator has written for this message, which replace the
        waitlist's texts.
        """
        if kind.is_written:
            broadcast = self.broadcasts.of_stamp(record.waitlist_id, event.stamp)
            return broadcast.text if broadcast is not None else {}
        invitation_id = invitation_of(record.hold.token)
        if kind.name != "offered" or not invitation_id:
            return {}
        invitation = self.invitations.find(record.waitlist_id, invitation_id)
        return invitation.message if invitation is not None else {}

    def _note_delivered(self, kind: Kind, record: EntryRecord) -> None:
        """If the message belongs to an invitation, count it as delivered.

        If counting fails, raise no exception, because a retry would send the message a second time.
        """
        if kind.name == "offered":
            with suppress(WaitlistError):
                self.invitations.invitees.note_delivered(record)

    def _withdraw_near_notice(self, record: EntryRecord, delivery: Delivery) -> None:
        """If a `near` notice was written but its message was never sent, remove the notice from
        the record, so that the customer can get a new one later.
        """
        is_noted = record.is_told_near and record.contact.near_stamp == delivery.stamp
        if delivery.kind != "near" or not is_noted or record.status not in PRESENT:
            return
        if self.deliveries.is_sent(delivery, self.now_millis()):
            return
        try:
            self.ledger.save(record, no_longer_near(record))
        except EntryChanged as changed:
            raise TryAgain("changed") from changed

    def bounce(self, delivery: Delivery) -> None:
        """Record that a message bounced.

        The customer gets no more messages until they sign up again.
        """
        self._mark_unreachable(delivery, self.deliveries.sent_millis(delivery))
        self.deliveries.bounce(delivery)
        if delivery.kind == "offered":
            self.invitations.invitees.note_bounced(*delivery.stay, delivery.stamp)

    def _is_edited_since(self, delivery: Delivery, millis: int) -> bool:
        record = self.entries.get(delivery.waitlist_id, delivery.entry_id)
        return record is not None and millis_of(record.changes.edited_stamp) > millis

    def _mark_unreachable(self, delivery: Delivery, sent_millis: int | None) -> None:
        """Mark a customer as unreachable after a message to their address has bounced.

        If the entry was edited after the message was sent, the customer is not marked, because the
        entry may have a new address.
        """
        # A message with a `move` link goes to a new address before the entry uses it, so its bounce
        # says nothing about the entry's own address.
        if BY_NAME[delivery.kind].link == "move":
            return
        if sent_millis is None or not self._is_edited_since(delivery, sent_millis):
            self.recipients.mark_unreachable(*delivery.stay)

    def find_rules(self, settings: WaitlistSettings) -> MessageRules | None:
        """Return the waitlist's message settings, or None if the waitlist sends no messages."""
        return settings.messages

    def _check_hours(
        self, record: EntryRecord, settings: WaitlistSettings, event: EntryEvent
    ) -> None:
        """Raise TryAgain if the message must wait until the next offer hours.

        If the offer ends before the next offer hours begin, the message does not wait.
        """
        now_millis = self.now_millis()
        opens_millis = next_time_within(offer_hours_of(settings), now_millis)
        ends_before = (record.hold.until_millis or opens_millis) < opens_millis
        # Operators may make offers outside the offer hours. The messages about these offers do not
        # wait.
        if opens_millis == now_millis or ends_before or event.by == "operator":
            return
        raise TryAgain(CLOSED_HOURS, pause_seconds=(opens_millis - now_millis) // 1000 + 1)

    def _drop(self, delivery: Delivery, reason: Reason) -> Outcome:
        self.deliveries.drop(delivery, reason, self.now_millis())
        return reason

    def _choose_destination(
        self, kind: Kind, record: EntryRecord, settings: WaitlistSettings, rules: MessageRules
    ) -> Destination | Unreached:
        """Return where the message goes, or the reason why it is not sent."""
        profile = record.profile
        if kind.link == "move" and settings.identity is not None:
            profile = {settings.identity.field: record.move.new_address}
        return find_destination(profile, settings, rules, self.channels)

    def _send_once(
        self,
        delivery: Delivery,
        message: Message,
        began_millis: int,
        take: Callable[[], Callable[[], None]],
        note_sent: Callable[[], None],
    ) -> Outcome:
        """Send a message, unless it was already sent or a limit is reached.

        `take` counts the message towards its limits, and returns a function that undoes the count.
        `note_sent` is called once the message has been sent.
        """
        # The entry was read after `began_millis`, so the message reflects all edits made before
        # that time.
        match self.deliveries.begin(delivery, began_millis):
            case "done":
                return "repeated"
            case "busy":
                raise TryAgain(BUSY)
        try:
            give_back = take()
        except LimitReached as limit:
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
            note_sent()
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


def _delivery(kind: Kind, record: EntryRecord, event: EntryEvent) -> Delivery:
    ticket = record.ticket or 0
    return Delivery(
        waitlist_id=record.waitlist_id,
        entry_id=record.entry_id,
        ticket=ticket,
        stamp=ticket if kind.once_a_stay else event.stamp,
        kind=kind.name,
    )
