"""Decide whether a customer may get another message with a link."""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.records.entry import PRESENT, EntryRecord, HistoryEvent
from waitlist_api.records.intents import VERIFICATION_ASKED
from waitlist_api.records.ledger import Commit

LINK_ASKED = "link_asked"
MINUTE_MILLIS, DAY_MILLIS = 60_000, 86_400_000


class Signup(Struct, frozen=True, kw_only=True):
    """The data of a signup.

    `address` names the field in `profile` that contains the customer's address, such as `email`.
    """

    address: str
    profile: dict[str, Any]
    attributes: dict[str, Any]
    language: str


def ask_for_link(
    record: EntryRecord, stamp: int, now_millis: int, signup: Signup | None = None
) -> Commit | None:
    """Return the change that sends the customer a message with a link.

    Return None if no message may be sent now.
    """
    is_unverified = record.verification.until_millis is not None
    is_replaced = is_unverified and signup is not None
    is_on_list = record.status in PRESENT
    is_due = is_on_list and now_millis >= _due_millis(record)
    if not is_due and not (is_replaced and (is_on_list or record.status == "joining")):
        return None
    after = replace(record, changes=replace(record.changes, edited_stamp=stamp))
    if signup is not None and is_unverified:
        after = _with_data(after, signup, now_millis)
    if not is_due:
        return Commit(after=after)
    name = VERIFICATION_ASKED if is_unverified else LINK_ASKED
    event = HistoryEvent(stamp=stamp, event=name, by="customer")
    verification = replace(
        record.verification,
        link_asks=record.verification.link_asks + 1,
        link_asked_millis=now_millis,
    )
    return Commit(after=replace(after, verification=verification), events=(event,))


def pause_millis(number: int) -> int:
    """Return the delay before the next message of the same kind.

    The delay starts at one minute and doubles with each message, up to one day.
    """
    return min(MINUTE_MILLIS << min(number, 20), DAY_MILLIS)


def _with_data(record: EntryRecord, signup: Signup, now_millis: int) -> EntryRecord:
    """Return the record with its data replaced by the data of a newer signup."""
    has_same_address = record.profile.get(signup.address) == signup.profile.get(signup.address)
    return replace(
        record,
        profile=signup.profile,
        attributes=signup.attributes,
        updated_millis=now_millis,
        contact=replace(
            record.contact,
            language=signup.language,
            # If the address has changed, the old address's bounces say nothing about the new one,
            # so the customer counts as reachable.
            unreachable=record.contact.unreachable and has_same_address,
        ),
    )


def _due_millis(record: EntryRecord) -> int:
    """Return the earliest time at which the customer may request the next link."""
    last = record.verification.link_asked_millis or record.joined.millis
    return last + pause_millis(record.verification.link_asks)
