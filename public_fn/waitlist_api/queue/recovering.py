"""Send requests to Redis, and start a rebuild if Redis has lost a waitlist."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.errors import WaitlistNotFound
from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.queue.client import QueueClient, raise_first, send_batch
from waitlist_api.queue.messages import init_of
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.places import Places
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistRecords
from waitlist_shared import contracts as c
from waitlist_shared.errors import Cold, Rebuilding
from waitlist_shared.ids import new_epoch
from waitlist_shared.ranks import ticket_of_millis


class RecoveringQueue(Struct, frozen=True):
    """Sends requests to Redis, and starts a rebuild if Redis has lost the waitlist."""

    queue: QueueClient
    waitlists: WaitlistRecords
    places: Places
    now_millis: NowMillis
    metrics: MetricsCollector

    def write(self, request: c.OnWaitlist) -> Any:
        """Send a request that Redis also accepts during a rebuild, such as a signup or a request
        to leave.
        """
        try:
            return self.queue.send(request)
        except Cold:
            self.start_rebuild(request.waitlist_id)
            return self.queue.send(request)

    def read(self, request: c.OnWaitlist) -> Any:
        """Send a request that needs the complete queue.

        Raise Rebuilding if the queue is being rebuilt.
        """
        try:
            return self.queue.send(request)
        except Cold as error:
            self.start_rebuild(request.waitlist_id)
            raise Rebuilding from error

    def read_all(self, requests: Sequence[c.OnWaitlist]) -> list[Any]:
        """Send several requests about one waitlist in one invocation.

        Raise Rebuilding if Redis has lost the waitlist.
        """
        answers = send_batch(self.queue, requests)
        if any(isinstance(answer, Cold) for answer in answers):
            self.start_rebuild(requests[0].waitlist_id)
            raise Rebuilding
        raise_first(answers)
        return answers

    def draw_stamp(self, record: EntryRecord) -> int:
        """Return a new logical timestamp for an event that is recorded without a change in Redis.

        Redis allocates this timestamp, as it does for its own changes, so that no two events have
        the same timestamp.
        """
        request = c.DrawStamp(waitlist_id=record.waitlist_id, known_stamp=record.known_stamp)
        drawn: c.DrawStampResult = self.write(request)
        return drawn.stamp

    def start_rebuild(self, waitlist_id: str) -> c.InitResult:
        """Initialise a lost waitlist in Redis, and start maintenance to restore its entries."""
        self.metrics.add("cold_guards")
        opened = self.initialise(waitlist_id)
        self.queue.start_maintenance(waitlist_id)
        return opened

    def initialise(self, waitlist_id: str) -> c.InitResult:
        """Initialise a waitlist that Redis does not have.

        The caller must start a rebuild afterwards.
        """
        record = self.waitlists.get(waitlist_id)
        if record is None or record.deleting:
            raise WaitlistNotFound
        opened: c.InitResult = self.queue.send(self._open(record))
        return opened

    def push_settings(self, record: WaitlistRecord) -> None:
        """Send a waitlist's new settings to Redis.

        If Redis has lost the waitlist, start maintenance to restore it.
        """
        opened: c.InitResult = self.queue.send(self._open(record))
        if opened.outcome == "created":
            self.queue.start_maintenance(record.waitlist_id)

    def resend_settings(self, record: WaitlistRecord) -> None:
        """Send the current settings to Redis, because Redis may not have received them."""
        with suppress(Cold):
            self.queue.send(init_of(record, "configure", new_epoch()))

    def initialise_empty(self, record: WaitlistRecord) -> None:
        """Initialise a new waitlist in Redis. The queue is empty, so no rebuild is needed."""
        self.queue.send(init_of(record, "create", new_epoch()))

    def _open(self, record: WaitlistRecord) -> c.Init:
        # Redis' clock may have been set back since the last ticket was allocated, but new tickets
        # must be greater than all earlier ones.
        floor = max(
            record.checkpoint.stamp,
            self.places.newest_stamp(record.waitlist_id),
            ticket_of_millis(self.now_millis()),
        )
        return init_of(record, "open", new_epoch(), floor)
