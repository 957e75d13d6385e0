"""The kinds of messages, the events that trigger them, and the conditions for sending them."""

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from waitlist_api.records.asks import LINK_ASKED
from waitlist_api.records.broadcasts import MESSAGED
from waitlist_api.records.call import CALLED, current_call
from waitlist_api.records.entry import PRESENT, EntryRecord
from waitlist_api.records.intents import VERIFICATION_ASKED
from waitlist_api.records.moves import ASKED as ADDRESS_CHANGE_ASKED
from waitlist_api.settings.messages import KindName
from waitlist_shared.ranks import millis_of

# Redis' clock and a Lambda function's clock are assumed to differ by at most this much.
SKEW_MILLIS = 600_000


class EntryEvent(Struct, frozen=True, kw_only=True):
    """An event from the event bus (docs/app/events.md). `stamp` is its logical timestamp."""

    waitlist_id: str
    entry_id: str
    event: str
    stamp: int
    by: str


class Kind(Struct, frozen=True, kw_only=True):
    """A kind of message, and the conditions for sending it."""

    name: KindName
    events: tuple[str, ...]
    # A function that returns whether the content of the message is still true. It is called just
    # before the message is sent.
    is_current: Callable[[EntryRecord, EntryEvent, int], bool]
    # Where the message's link leads: to the customer's entry (`place`), to the page that verifies
    # the current address (`verify`) or the new one (`move`), or to the waitlist's page (`list`).
    link: Literal["place", "verify", "move", "list"] = "place"
    placeholders: tuple[str, ...] = ("name",)
    once_a_stay: bool = False
    only_in_offer_hours: bool = False
    # True if the customer has just asked for the message. The message is then sent even if the
    # customer has turned off messages.
    is_requested: bool = False
    # True if an operator writes the text of the message. The message is then sent even if the
    # waitlist's settings do not include this kind of message.
    is_written: bool = False
    # The name of another kind of message. If the waitlist's settings include that kind, messages of
    # this kind are sent too.
    also_chosen_by: str = ""
    # The message is sent only if this waitlist setting is not null.
    needs_setting: Literal["", "confirm"] = ""
    # A function that returns whether to ignore the event, for example because a later event will
    # trigger the same message. For an ignored event, no message is sent or counted.
    is_silent: Callable[[EntryRecord, EntryEvent], bool] = lambda _record, _event: False

    def until_millis(self, record: EntryRecord) -> int:
        """Return the deadline in the message's text, or 0 if the text contains no deadline."""
        if "until" not in self.placeholders:
            return 0
        until = (
            record.hold.until_millis
            if self.name in ("offered", "ending")
            else record.question.confirm_by_millis
        )
        return until or 0


def is_told(record: EntryRecord, event: EntryEvent) -> bool:
    """Return whether an import caused this event and asked for the `joined` message to be sent."""
    return event.event == "joined" and event.stamp == record.joined.tell_stamp


def _joined(record: EntryRecord, _event: EntryEvent, _: int) -> bool:
    return record.status == "waiting"


def _joined_later(record: EntryRecord, event: EntryEvent) -> bool:
    # Imported customers usually do not expect a message, so they get the `joined` message only if
    # their row in the import asked for it.
    is_silent = event.event == "joined" and event.by != "customer" and not is_told(record, event)
    return is_silent or record.verification.until_millis is not None


def _verify(record: EntryRecord, _: EntryEvent, now_millis: int) -> bool:
    return record.status in PRESENT and (record.verification.until_millis or 0) > now_millis


def _link(record: EntryRecord, _event: EntryEvent, _: int) -> bool:
    return record.status in PRESENT and record.verification.until_millis is None


def _address(record: EntryRecord, event: EntryEvent, _: int) -> bool:
    is_open = record.move.to != "" and record.move.stamp == event.stamp
    return record.status in PRESENT and is_open


def _offered(record: EntryRecord, event: EntryEvent, now_millis: int) -> bool:
    is_open = record.status == "offered" and record.hold.is_offer and record.stamp == event.stamp
    return is_open and (record.hold.until_millis or 0) > now_millis


def _claimed(record: EntryRecord, _: EntryEvent) -> bool:
    # A claim also writes an `offered` event, but needs no message, because an operator who claims a
    # person usually talks to them.
    is_claim = record.status in ("offered", "admitted") and not record.hold.is_offer
    return is_claim or record.hold.end in ("released", "parked")


def _called(record: EntryRecord, event: EntryEvent, now_millis: int) -> bool:
    # The customer may have been called again by the time the event arrives. If so, send no message
    # for the old call.
    call = current_call(record, now_millis)
    return call is not None and call.stamp == event.stamp


def _near(record: EntryRecord, event: EntryEvent, _: int) -> bool:
    # A newer notice may have been written by the time the event arrives. If so, send no message for
    # the old notice.
    is_told = record.is_told_near and record.contact.near_stamp == event.stamp
    return record.status == "waiting" and is_told


def _ending(record: EntryRecord, event: EntryEvent, now_millis: int) -> bool:
    is_told = record.status == "offered" and record.contact.ending_offer == record.hold.token
    # A newer offer may have been made by the time the event arrives. If so, send no message for the
    # old offer.
    is_open = is_told and event.stamp > record.stamp
    return is_open and (record.hold.until_millis or 0) > now_millis


def _confirm(record: EntryRecord, event: EntryEvent, now_millis: int) -> bool:
    is_open = record.status == "waiting" and not record.question.unanswered
    if not is_open or (record.question.confirm_by_millis or 0) <= now_millis:
        return False
    return millis_of(event.stamp) + SKEW_MILLIS >= (record.question.asked_millis or 0)


def _reminded(record: EntryRecord, event: EntryEvent) -> bool:
    # The customer was asked whether they are still waiting, and has since been reminded. The
    # `reminded` event sends the same text, so the older `asked` event sends no message.
    return event.event == "asked" and record.question.reminded_days is not None


def _admitted(record: EntryRecord, _: EntryEvent, now_millis: int) -> bool:
    if record.status != "admitted" or record.went_out_millis is not None:
        return False
    return record.end.inside_until_millis is None or record.end.inside_until_millis > now_millis


def _left(record: EntryRecord, _event: EntryEvent, _: int) -> bool:
    # Send no message to an address that was never verified, because it may belong to a stranger.
    return record.status == "left" and record.verification.until_millis is None


def _messaged(record: EntryRecord, _event: EntryEvent, now_millis: int) -> bool:
    # Send no message to an address that was never verified, because it may belong to a stranger.
    is_there = record.status in PRESENT or record.inside_until(now_millis) > 0
    return is_there and record.verification.until_millis is None


KINDS: tuple[Kind, ...] = (
    Kind(
        name="joined",
        events=("joined", "verified", "reinstated"),
        is_current=_joined,
        placeholders=("name", "number"),
        once_a_stay=True,
        is_silent=_joined_later,
    ),
    Kind(
        name="verify",
        events=(VERIFICATION_ASKED,),
        is_current=_verify,
        link="verify",
        is_requested=True,
    ),
    Kind(
        name="link",
        events=(LINK_ASKED,),
        is_current=_link,
        is_requested=True,
        also_chosen_by="verify",
    ),
    Kind(
        name="address",
        events=(ADDRESS_CHANGE_ASKED,),
        is_current=_address,
        link="move",
        is_requested=True,
        also_chosen_by="verify",
    ),
    Kind(name="near", events=("near",), is_current=_near, only_in_offer_hours=True),
    Kind(
        name="offered",
        events=("offered",),
        is_current=_offered,
        placeholders=("name", "until"),
        only_in_offer_hours=True,
        is_silent=_claimed,
    ),
    Kind(
        name="called",
        events=(CALLED,),
        is_current=_called,
        placeholders=("name", "to", "number"),
    ),
    Kind(
        name="ending",
        events=("ending",),
        is_current=_ending,
        placeholders=("name", "until"),
        only_in_offer_hours=True,
    ),
    Kind(
        name="confirm",
        events=("asked", "reminded"),
        is_current=_confirm,
        placeholders=("name", "until"),
        needs_setting="confirm",
        is_silent=_reminded,
    ),
    Kind(name="admitted", events=("admitted",), is_current=_admitted, once_a_stay=True),
    Kind(name="left", events=("left",), is_current=_left, link="list", once_a_stay=True),
    Kind(name="message", events=(MESSAGED,), is_current=_messaged, is_written=True),
)
KIND_NAMES = tuple(kind.name for kind in KINDS)
BY_NAME: dict[str, Kind] = {kind.name: kind for kind in KINDS}
BY_EVENT = {event: kind for kind in KINDS for event in kind.events}
