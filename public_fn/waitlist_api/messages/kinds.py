"""The kinds of messages: by which events each is sent, and while what is true.

A kind is one row of KINDS, with its words in each language in `texts/`.
"""

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from waitlist_api.records.asks import LINK_ASKED
from waitlist_api.records.entry import PRESENT, EntryRecord
from waitlist_api.records.intents import VERIFICATION_ASKED
from waitlist_api.records.moves import ASKED as ADDRESS_CHANGE_ASKED
from waitlist_shared.ranks import millis_of

# Redis draws the stamp of a question, and a function's clock has its time.
SKEW_MILLIS = 600_000


class Happening(Struct, frozen=True, kw_only=True):
    """An event of the bus (docs/app/events.md); `stamp` is that of the history."""

    waitlist_id: str
    entry_id: str
    event: str
    stamp: int
    by: str


class Kind(Struct, frozen=True, kw_only=True):
    """One kind of message.

    `is_true` decides by the record at the time of sending, for events of its present stay. The
    message links to the person's place, to their verification, or to the list's page. One that
    links to a `move` goes to the new address. With `comes_later` a later event asks for the
    message, or none.

    `once_a_stay`: several events ask for the same message. `in_hours`: it waits for the hours in
    which the list's policy offers. `is_asked`: the person has just asked for it, so they get it
    also if they want no others. It is sent on lists that choose it by its own name, or by that of
    another kind, `also_by`. A message of the setting `of_setting` is not true while that is null.
    """

    name: str
    events: tuple[str, ...]
    is_true: Callable[[EntryRecord, Happening, int], bool]
    link: Literal["place", "verify", "move", "list"] = "place"
    fills: tuple[str, ...] = ("name",)
    once_a_stay: bool = False
    in_hours: bool = False
    is_asked: bool = False
    also_by: str = ""
    of_setting: Literal["", "confirm"] = ""
    comes_later: Callable[[EntryRecord, Happening], bool] = lambda _record, _happening: False

    def until_millis(self, record: EntryRecord) -> int:
        """Return the deadline that the words name, in milliseconds; 0 without one."""
        if "until" not in self.fills:
            return 0
        until = (
            record.claimed_until_millis
            if self.name in ("offered", "ending")
            else record.confirm_by_millis
        )
        return until or 0


def _joined(record: EntryRecord, _happening: Happening, _: int) -> bool:
    return record.status == "waiting"


def _joined_later(record: EntryRecord, happening: Happening) -> bool:
    # Imported people have not asked for anything at this moment.
    is_import = happening.event == "joined" and happening.by != "customer"
    return is_import or record.verify_until_millis is not None


def _verify(record: EntryRecord, _: Happening, now_millis: int) -> bool:
    return record.status in PRESENT and (record.verify_until_millis or 0) > now_millis


def _link(record: EntryRecord, _happening: Happening, _: int) -> bool:
    return record.status in PRESENT and record.verify_until_millis is None


def _address(record: EntryRecord, happening: Happening, _: int) -> bool:
    is_open = record.moving_to != "" and record.moving_stamp == happening.stamp
    return record.status in PRESENT and is_open


def _offered(record: EntryRecord, happening: Happening, now_millis: int) -> bool:
    is_open = record.status == "offered" and record.is_offer and record.stamp == happening.stamp
    return is_open and (record.claimed_until_millis or 0) > now_millis


def _near(record: EntryRecord, happening: Happening, _: int) -> bool:
    # The notice of an earlier approach to the head may come late.
    is_told = record.is_told_near and record.near_stamp == happening.stamp
    return record.status == "waiting" and is_told


def _ending(record: EntryRecord, happening: Happening, now_millis: int) -> bool:
    is_told = record.status == "offered" and record.ending_offer == record.claim_token
    # The notice of an earlier offer may come late.
    is_open = is_told and happening.stamp > record.stamp
    return is_open and (record.claimed_until_millis or 0) > now_millis


def _confirm(record: EntryRecord, happening: Happening, now_millis: int) -> bool:
    is_open = record.status == "waiting" and not record.unanswered
    if not is_open or (record.confirm_by_millis or 0) <= now_millis:
        return False
    return millis_of(happening.stamp) + SKEW_MILLIS >= (record.asked_millis or 0)


def _reminded(record: EntryRecord, happening: Happening) -> bool:
    # The reminder says the same.
    return happening.event == "asked" and record.reminded_days is not None


def _admitted(record: EntryRecord, _: Happening, now_millis: int) -> bool:
    if record.status != "admitted" or record.went_out_millis is not None:
        return False
    return record.inside_until_millis is None or record.inside_until_millis > now_millis


def _left(record: EntryRecord, _happening: Happening, _: int) -> bool:
    # A stay that was never verified has an address that its person has not shown to have.
    return record.status == "left" and record.verify_until_millis is None


KINDS: tuple[Kind, ...] = (
    Kind(
        name="joined",
        events=("joined", "verified", "reinstated"),
        is_true=_joined,
        once_a_stay=True,
        comes_later=_joined_later,
    ),
    Kind(
        name="verify",
        events=(VERIFICATION_ASKED,),
        is_true=_verify,
        link="verify",
        is_asked=True,
    ),
    Kind(name="link", events=(LINK_ASKED,), is_true=_link, is_asked=True, also_by="verify"),
    Kind(
        name="address",
        events=(ADDRESS_CHANGE_ASKED,),
        is_true=_address,
        link="move",
        is_asked=True,
        also_by="verify",
    ),
    Kind(name="near", events=("near",), is_true=_near, in_hours=True),
    Kind(
        name="offered",
        events=("offered",),
        is_true=_offered,
        fills=("name", "until"),
        in_hours=True,
    ),
    Kind(
        name="ending", events=("ending",), is_true=_ending, fills=("name", "until"), in_hours=True
    ),
    Kind(
        name="confirm",
        events=("asked", "reminded"),
        is_true=_confirm,
        fills=("name", "until"),
        of_setting="confirm",
        comes_later=_reminded,
    ),
    Kind(name="admitted", events=("admitted",), is_true=_admitted, once_a_stay=True),
    Kind(name="left", events=("left",), is_true=_left, link="list", once_a_stay=True),
)
KIND_NAMES = tuple(kind.name for kind in KINDS)
BY_NAME = {kind.name: kind for kind in KINDS}
BY_EVENT = {event: kind for kind in KINDS for event in kind.events}
