"""What to do when Redis does not know a waitlist's order."""

from contextlib import suppress
from typing import Any

from waitlist_api.clock import NowMillis
from waitlist_api.errors import WaitlistNotFound
from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.queue.client import QueueClient
from waitlist_api.queue.messages import init_of
from waitlist_api.records.places import Places
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistRecords
from waitlist_shared import contracts as c
from waitlist_shared.errors import Cold, Rebuilding
from waitlist_shared.ids import new_epoch
from waitlist_shared.ranks import ticket_of_millis


class RecoveringQueue:
    """Sends requests; a waitlist whose order is lost is opened for its rebuild."""

    def __init__(
        self,
        queue: QueueClient,
        waitlists: WaitlistRecords,
        places: Places,
        now_millis: NowMillis,
        metrics: MetricsCollector,
    ) -> None:
        self._queue = queue
        self._waitlists = waitlists
        self._places = places
        self._now_millis = now_millis
        self._metrics = metrics

    def write(self, request: c.OnWaitlist) -> Any:
        """Send a signup or a leave: both can be taken while the order is rebuilt."""
        try:
            return self._queue.send(request)
        except Cold:
            self.start_rebuild(request.waitlist_id)
            return self._queue.send(request)

    def read(self, request: c.OnWaitlist) -> Any:
        """Send what needs the whole order; raise Rebuilding while there is none."""
        try:
            return self._queue.send(request)
        except Cold as error:
            self.start_rebuild(request.waitlist_id)
            raise Rebuilding from error

    def start_rebuild(self, waitlist_id: str) -> c.InitResult:
        """Make a cold waitlist known to Redis, and have its order rebuilt."""
        self._metrics.add("cold_guards")
        opened = self.initialise(waitlist_id)
        self._queue.start_maintenance(waitlist_id)
        return opened

    def initialise(self, waitlist_id: str) -> c.InitResult:
        """Make a waitlist known to Redis, which may know it; its order is left to the caller."""
        record = self._waitlists.get(waitlist_id)
        if record is None or record.deleting:
            raise WaitlistNotFound
        opened: c.InitResult = self._queue.send(self._open(record))
        return opened

    def push_settings(self, record: WaitlistRecord) -> None:
        """Give Redis a waitlist's new settings."""
        opened: c.InitResult = self._queue.send(self._open(record))
        if opened.outcome == "created":
            self._queue.start_maintenance(record.waitlist_id)

    def resend_settings(self, record: WaitlistRecord) -> None:
        """Tell Redis settings that it may have missed; a cold one learns them when it is opened."""
        with suppress(Cold):
            self._queue.send(init_of(record, "configure", new_epoch()))

    def initialise_empty(self, record: WaitlistRecord) -> None:
        """Make a new waitlist known: nobody can be in line yet, so its order is complete."""
        self._queue.send(init_of(record, "create", new_epoch()))

    def _open(self, record: WaitlistRecord) -> c.Init:
        # New tickets must sort behind every acknowledged one, also where Redis' clock went back.
        # This clock says nothing of order: it only tells that one has gone back, and how far.
        floor = max(
            record.checkpoint.stamp,
            self._places.newest_stamp(record.waitlist_id),
            ticket_of_millis(self._now_millis()),
        )
        return init_of(record, "open", new_epoch(), floor)
