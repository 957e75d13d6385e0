"""What asks for a message to a person who is on the list: an event, at most so often."""

from contextlib import suppress

from msgspec import Struct

from waitlist_api.records.edits import ON_LIST
from waitlist_api.records.entries import STATUSES, entry_changed
from waitlist_api.records.entry import EntryRecord, HistoryEvent, record_key
from waitlist_api.records.intents import VERIFICATION_ASKED
from waitlist_api.records.table import ConditionFailed, Table
from waitlist_shared.ranks import ticket_of_millis

LINK_ASKED = "link_asked"
MINUTE_MILLIS, DAY_MILLIS = 60_000, 86_400_000


class Asks(Struct, frozen=True):
    """Writes that an entry's person wants the link to their place once more."""

    table: Table

    def record(self, record: EntryRecord, now_millis: int) -> None:
        """Write the event; raise EntryChanged if the stay has ended, or the last one is too new.

        It is tried also where that is known, because another time of the answer would tell.
        """
        # The record may lack what the function of the version before has stamped.
        stamp = max(record.stamp, record.edited_stamp, ticket_of_millis(now_millis) - 1) + 1
        unverified = record.verify_until_millis is not None
        name = VERIFICATION_ASKED if unverified else LINK_ASKED
        event = HistoryEvent(stamp=stamp, event=name, by="customer")
        values = STATUSES | {
            "join_id": record.join_id,
            "asks": record.link_asks,
            "next": record.link_asks + 1,
            "now": now_millis,
            "stamp": stamp,
        }
        known = "#link_asks = :asks" if record.link_asks else "attribute_not_exists(#link_asks)"
        condition = f"{ON_LIST} AND #join_id = :join_id AND {known} AND :now >= :due"
        values["due"] = _due_millis(record)
        update = "SET #link_asks = :next, #link_asked_millis = :now, #edited_stamp = :stamp"
        with entry_changed():
            self.table.transact(
                [
                    self.table.update_write(record_key(*record.key), update, condition, values),
                    self.table.put_write(event.to_item(*record.key)),
                ]
            )

    def forget_deadline(self, key: tuple[str, str], stamp: int) -> None:
        """Take the event of an unverified signup off the index; no change if it is deleted."""
        event = HistoryEvent.key(*key, stamp, VERIFICATION_ASKED)
        with suppress(ConditionFailed):
            self.table.update(event, "REMOVE #place, #place_rank", "attribute_exists(#pk)", {})


def pause_millis(number: int) -> int:
    """Return how long to pause before a repeat: a minute for number 0, then two, up to a day."""
    return min(MINUTE_MILLIS << min(number, 20), DAY_MILLIS)


def _due_millis(record: EntryRecord) -> int:
    """Return from when on the next link may be asked for."""
    last = record.link_asked_millis or record.created_millis
    return last + pause_millis(record.link_asks)
