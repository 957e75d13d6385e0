"""Read and write broadcasts, which are messages that operators send to several people."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from waitlist_api.records.deliveries import KEPT_SECONDS
from waitlist_api.records.entry import EntryRecord, HistoryEvent
from waitlist_api.records.ledger import Commit
from waitlist_api.records.work import Work, WorkRecords
from waitlist_api.settings.messages import OwnText
from waitlist_api.settings.texts import Language

# The event in the history of a person to whom a broadcast is sent.
MESSAGED = "messaged"

BroadcastStatus = Literal["waiting", "offered", "parked", "inside"]


class Broadcast(Work, frozen=True, kw_only=True):
    """A message that an operator sends to several people, and the progress of sending it.

    The stamp identifies the broadcast within the waitlist. The event `messaged` of each recipient
    has the same stamp.
    """

    PARTITION: ClassVar[str] = "BROADCASTS"
    RUNNING: ClassVar[str] = "MESSAGING#"

    stamp: int
    text: Mapping[Language, OwnText]
    # The recipients of the broadcast. They are either the entries with these ids, or everybody with
    # one of these statuses. The people with the first status are read first, and then the people
    # with the next status.
    entries: tuple[str, ...] = ()
    statuses: tuple[BroadcastStatus, ...] = ()
    filter: Mapping[str, str] = {}
    # The index of the status whose people are being read, and the cursor of the next page.
    step: int = 0
    cursor: str | None = None
    # `reached` counts the recipients by channel. `skipped` counts the people who get no message, by
    # reason.
    reached: Mapping[str, int] = {}
    skipped: Mapping[str, int] = {}

    @property
    def work_id(self) -> str:
        return _id(self.stamp)

    @property
    def expires_at(self) -> int:
        # Keep the broadcast as long as the delivery records of its messages. A message can be
        # retried as long as its delivery record exists.
        return self.created_millis // 1000 + KEPT_SECONDS


def messaged(record: EntryRecord, broadcast: Broadcast) -> Commit:
    """Return the change that sends a broadcast to a person.

    The key of the event consists of the broadcast's stamp and the event's name. If the event is
    written a second time, it replaces the first one, and no second message is sent.
    """
    event = HistoryEvent(stamp=broadcast.stamp, event=MESSAGED, by=broadcast.by)
    return Commit(after=record, events=(event,))


class BroadcastRecords(WorkRecords[Broadcast], frozen=True):
    """Reads and writes the items of broadcasts."""

    @property
    def kind(self) -> type[Broadcast]:
        return Broadcast

    def of_stamp(self, waitlist_id: str, stamp: int) -> Broadcast | None:
        """Return the broadcast with this stamp, or None if it does not exist or has expired."""
        return self.find(waitlist_id, _id(stamp))


def _id(stamp: int) -> str:
    return f"{stamp:016d}"
