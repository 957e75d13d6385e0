"""What to do when Redis does not know a waitlist's order."""

from contextlib import suppress
from typing import Any

from msgspec import structs

from waitlist_api.clock import NowMillis
from waitlist_api.errors import WaitlistNotFound
from waitlist_api.queue_client import QueueClient
from waitlist_api.records.places import Places
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistRecords
from waitlist_api.records.watch import Watch
from waitlist_api.telling.tally import Tally
from waitlist_shared import contracts as c
from waitlist_shared.errors import Cold, Rebuilding
from waitlist_shared.ids import new_epoch
from waitlist_shared.ranks import ticket_of_millis


class ColdGuard:
    """Sends requests; a waitlist whose order is lost is opened for its rebuild."""

    def __init__(
        self,
        queue: QueueClient,
        waitlists: WaitlistRecords,
        places: Places,
        now_millis: NowMillis,
        tally: Tally,
    ) -> None:
        self._queue = queue
        self._waitlists = waitlists
        self._places = places
        self._now_millis = now_millis
        self._tally = tally

    def write(self, request: c.OnWaitlist) -> Any:
        """Send a signup or a leave: both can be taken while the order is rebuilt."""
        try:
            return self._queue.send(request)
        except Cold:
            self.open(request.waitlist_id)
            return self._queue.send(request)

    def read(self, request: c.OnWaitlist) -> Any:
        """Send what needs the whole order; raise Rebuilding while there is none."""
        try:
            return self._queue.send(request)
        except Cold as error:
            self.open(request.waitlist_id)
            raise Rebuilding from error

    def open(self, waitlist_id: str) -> c.InitResult:
        """Make a cold waitlist known to Redis, and have its order rebuilt."""
        self._tally.add("cold_guards")
        opened = self.make_known(waitlist_id)
        self._queue.start_maintenance(waitlist_id)
        return opened

    def make_known(self, waitlist_id: str) -> c.InitResult:
        """Make a waitlist known to Redis, which may know it; its order is left to the caller."""
        record = self._waitlists.get(waitlist_id)
        if record is None or record.deleting:
            raise WaitlistNotFound
        opened: c.InitResult = self._queue.send(self._init(record, "hydrating"))
        return opened

    def apply(self, record: WaitlistRecord) -> None:
        """Give Redis a waitlist's new settings."""
        opened: c.InitResult = self._queue.send(self._init(record, "hydrating"))
        if opened.outcome in ("created", "moved"):
            self._queue.start_maintenance(record.waitlist_id)

    def repeat(self, record: WaitlistRecord) -> None:
        """Tell Redis settings that it may have missed; a cold one learns them when it is opened."""
        with suppress(Cold):
            self._queue.send(init_of(record, "hydrating", new_epoch(), only_if_known=True))

    def create(self, record: WaitlistRecord) -> None:
        """Make a new waitlist known: nobody can be in line yet, so its order is complete."""
        self._queue.send(init_of(record, "warm", new_epoch()))

    def _init(self, record: WaitlistRecord, state: c.State) -> c.Init:
        # New tickets must sort behind every acknowledged one, also where Redis' clock went back.
        # This clock says nothing of order: it only tells that one has gone back, and how far.
        floor = max(
            record.watch.stamp,
            self._places.newest_stamp(record.waitlist_id),
            ticket_of_millis(self._now_millis()),
        )
        return init_of(record, state, new_epoch(), floor)


def init_of(
    record: WaitlistRecord,
    state: c.State,
    epoch: str,
    floor: int = 0,
    *,
    only_if_known: bool = False,
) -> c.Init:
    """Return the message that makes a waitlist known, or ends its rebuild."""
    settings = record.settings
    return c.Init(
        waitlist_id=record.waitlist_id,
        settings=c.Settings(
            version=record.version,
            open=settings.open,
            paused=settings.paused,
            lease_seconds=settings.lease_seconds,
            max_attempts=settings.max_attempts,
            hide_counts=settings.hide_counts,
            capacity=settings.capacity,
            segments_version=record.segments_version,
        ),
        state=state,
        epoch=epoch,
        floor_ticket=floor,
        only_if_known=only_if_known,
        **_known_of(record.watch),
    )


def _known_of(watch: Watch) -> dict[str, Any]:
    """Return what was seen of an order that another server may have taken over, or lost."""
    return {
        "counters": c.Counters(**watch.counters),
        "known_epoch": watch.epoch or None,
        "known_beat": watch.beat,
    }


def warm_of(record: WaitlistRecord, epoch: str) -> c.Init:
    """Return the message that ends a rebuild; the order counts already."""
    init = init_of(record, "warm", epoch, only_if_known=True)
    return structs.replace(init, counters=c.Counters())
