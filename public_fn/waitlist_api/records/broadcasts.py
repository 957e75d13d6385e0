"""Read and write broadcasts, which are messages that operators send to several people."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from waitlist_api.records.deliveries import KEPT_SECONDS
from waitlist_api.records.entry import EntryRecord, HistoryEvent
from waitlist_api.records.ledger import Commit
from waitlist_api.records.work import Work, WorkRecords
from waitlist_api.settings.messages import OwnText
from waitlist_api.settings.texts import Language

# The event that a broadcast adds to each recipient's history.
MESSAGED = "messaged"

BroadcastStatus = Literal["waiting", "offered", "parked", "inside"]


class Broadcast(Work, frozen=True, kw_only=True):
    """A message that an operator sends to several people, and the progress of sending it.

    The stamp identifies the broadcast within the waitlist. Each recipient's history contains a
    `messaged` event with the same stamp.
    """

    PARTITION: ClassVar[str] = "BROADCASTS"
    RUNNING: ClassVar[str] = "MESSAGING#"

    stamp: int
    text: Mapping[Language, OwnText]
    # The recipients are either the entries with these ids, or everybody with one of these statuses.
    # The broadcast goes through the statuses in this order.
    entries: tuple[str, ...] = ()
    statuses: tuple[BroadcastStatus, ...] = ()
    filter: Mapping[str, str] = {}
    # Where the next page begins: the index of a status in `statuses`, and the page's cursor among
    # the people with this status.
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
        # A broadcast contains the texts of its messages, so it must be kept until the last retry of
        # a message.
        return self.created_millis // 1000 + KEPT_SECONDS


def messaged(record: EntryRecord, broadcast: Broadcast) -> Commit:
    """Return the change that sends a broadcast to a person.

    The change adds an event with the broadcast's stamp to the history. If the change is repeated,
    the history already contains the event, so no second message is sent.
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
