"""Write the events that ask for a message with a link, and limit how often they are written."""

from contextlib import suppress
from typing import Any

from msgspec import Struct

from waitlist_api.records.entries import STATUSES
from waitlist_api.records.entry import EntryRecord, HistoryEvent, json_text, record_key
from waitlist_api.records.intents import VERIFICATION_ASKED
from waitlist_api.records.ledger import entry_changed
from waitlist_api.records.table import ConditionFailed, Item, Table

ON_LIST = "#status IN (:waiting, :offered, :parked)"
# The event must have a later stamp than every edit in the record. If the condition fails, another
# request was faster, and the caller draws a later stamp.
IS_LATER = "(attribute_not_exists(#edited_stamp) OR #edited_stamp < :edited_stamp)"
LINK_ASKED = "link_asked"
MINUTE_MILLIS, DAY_MILLIS = 60_000, 86_400_000
UNVERIFIED = "attribute_exists(#verify_until_millis)"


class Signup(Struct, frozen=True, kw_only=True):
    """The data of a signup.

    `address` is the name of the profile field that contains the customer's address.
    """

    address: str
    profile: dict[str, Any]
    attributes: dict[str, Any]
    language: str


class Asks(Struct, frozen=True):
    """Writes events that ask to send the customer another link to their place."""

    table: Table

    def record(
        self, record: EntryRecord, stamp: int, now_millis: int, signup: Signup | None = None
    ) -> None:
        """Write the event that asks for a link.

        `stamp` must come from Redis and be later than every stamp in the record. Raise EntryChanged
        if the stay has ended, if the last link was asked for too recently, or if the record has a
        later event.

        If the address is not verified, the data of a newer `signup` replace the recorded data, even
        if it is too early for another link.

        Every call tries exactly one transaction, even if it is certain to fail. Otherwise the
        response time would reveal something about the entry.
        """
        is_unverified = record.verify_until_millis is not None
        if signup is None or not is_unverified:
            self._ask(record, stamp, now_millis)
        elif record.status != "joining" and now_millis >= _due_millis(record):
            self._ask(record, stamp, now_millis, signup)
        else:
            self._replace(record, stamp, now_millis, signup)

    def _ask(
        self, record: EntryRecord, stamp: int, now_millis: int, signup: Signup | None = None
    ) -> None:
        is_unverified = record.verify_until_millis is not None
        name = VERIFICATION_ASKED if is_unverified else LINK_ASKED
        event = HistoryEvent(stamp=stamp, event=name, by="customer")
        values = STATUSES | {
            "join_id": record.join_id,
            "asks": record.link_asks,
            "next": record.link_asks + 1,
            "now": now_millis,
            "due": _due_millis(record),
            "edited_stamp": stamp,
        }
        known = "#link_asks = :asks" if record.link_asks else "attribute_not_exists(#link_asks)"
        condition = f"{ON_LIST} AND {IS_LATER} AND #join_id = :join_id AND {known} AND :now >= :due"
        update = "SET #link_asks = :next, #link_asked_millis = :now, #edited_stamp = :edited_stamp"
        if signup is not None:
            condition += f" AND {UNVERIFIED}"
            also, more = _data(record, signup)
            update, values = update + also, values | more
        with entry_changed():
            self.table.transact(
                [
                    self.table.update_write(record_key(*record.key), update, condition, values),
                    self.table.put_write(event.to_item(*record.key)),
                ]
            )

    def _replace(self, record: EntryRecord, stamp: int, now_millis: int, signup: Signup) -> None:
        """Replace the recorded data without asking for a link.

        The earlier signup may not be finished yet, so the status may also be `joining`.
        """
        also, values = _data(record, signup)
        condition = f"({ON_LIST} OR #status = :joining) AND {IS_LATER} AND #join_id = :join_id"
        condition += f" AND {UNVERIFIED}"
        values |= STATUSES | {
            "join_id": record.join_id,
            "now": now_millis,
            "edited_stamp": stamp,
        }
        update = f"SET #edited_stamp = :edited_stamp{also}"
        with entry_changed():
            self.table.transact(
                [self.table.update_write(record_key(*record.key), update, condition, values)]
            )

    def forget_deadline(self, key: tuple[str, str], stamp: int) -> None:
        """Remove the event of an unverified signup from the index, if the event still exists."""
        event = HistoryEvent.key(*key, stamp, VERIFICATION_ASKED)
        with suppress(ConditionFailed):
            self.table.update(event, "REMOVE #place, #place_rank", "attribute_exists(#pk)", {})


def pause_millis(number: int) -> int:
    """Return the pause before a repeat.

    The pause is a minute for the number 0, doubles with each number, and is at most a day.
    """
    return min(MINUTE_MILLIS << min(number, 20), DAY_MILLIS)


def _data(record: EntryRecord, signup: Signup) -> tuple[str, Item]:
    """Return the assignments that replace a record's data, and their values.

    Redis still has the segments of the old attributes. That does no harm, because the entry is not
    verified and nobody can claim it. The verification sends the segments of the recorded attributes
    to Redis.
    """
    also = ", #profile = :profile, #attributes = :attributes, #language = :language"
    also += ", #updated_millis = :now"
    if record.profile.get(signup.address) != signup.profile.get(signup.address):
        # The new spelling of the address may accept messages.
        also += " REMOVE #unreachable"
    return also, {
        "profile": json_text(signup.profile),
        "attributes": json_text(signup.attributes),
        "language": signup.language,
    }


def _due_millis(record: EntryRecord) -> int:
    """Return the earliest time at which the customer may ask for the next link."""
    last = record.link_asked_millis or record.created_millis
    return last + pause_millis(record.link_asks)
