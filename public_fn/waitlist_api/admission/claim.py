"""Claim the first entries of the queue or of a segment, and record the claim of each entry."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.admission.call import CallCommand, Calls
from waitlist_api.admission.dequeue import Dequeue, once_fields
from waitlist_api.admission.offers import Offer, OfferWriter, give_up_message, transition_of_take
from waitlist_api.admission.take_one import NOT_TO_BE_TAKEN, TakeOne
from waitlist_api.clock import NowMillis
from waitlist_api.errors import AlreadyAdmitted, EntryNotFound
from waitlist_api.parallel import run_all
from waitlist_api.queue.client import QueueClient, send_batch
from waitlist_api.records.decisions import with_offer
from waitlist_api.records.entry import EntryRecord, Status
from waitlist_api.records.facets import End
from waitlist_api.records.segments import Segment
from waitlist_api.records.transitions import Alter
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.settings.waitlist import pass_seconds_of
from waitlist_shared import contracts as c
from waitlist_shared.errors import ClaimExpired, ClaimMismatch, NotWaiting, WaitlistError

# The errors that are raised if a claim ended before its customer could be called to a place, for
# example because the customer has left.
CLAIM_ENDED = (AlreadyAdmitted, ClaimExpired, ClaimMismatch, EntryNotFound, NotWaiting)


class ClaimCommand(Struct, frozen=True, kw_only=True):
    """An operator's request to claim `count` entries from the queue, or to claim the entry
    `entry_id`.

    If `complete` is true, the customers are admitted at once. If `call_to` is not empty, it is the
    place, such as a desk, to which the customers are called.
    """

    waitlist_id: str
    by: str
    count: int = 1
    entry_id: str = ""
    reason: str = ""
    lease_seconds: int | None = None
    filter: Segment | None = None
    filters: Sequence[Segment] | None = None
    order: Literal["oldest", "newest"] = "oldest"
    complete: bool = False
    call_to: str = ""
    idempotency_key: str = ""


class Claiming(Struct, frozen=True):
    """The entries that a request has claimed.

    If a setting allowed fewer claims than requested, `limit` is the name of that setting.
    """

    offers: list[Offer]
    limit: str | None


class Claims(Struct, frozen=True):
    """Claims entries for operators. An entry is never claimed twice at the same time."""

    queue: QueueClient
    dequeue: Dequeue
    take_one: TakeOne
    offers: OfferWriter
    calls: Calls
    waitlist_cache: WaitlistCache
    now_millis: NowMillis

    def claim(self, command: ClaimCommand) -> Claiming:
        """Claim up to `count` entries, and return them in serving order."""
        held = self._hold(command)
        status: Status = "admitted" if command.complete else "offered"
        transitions = [
            transition_of_take(
                command.waitlist_id,
                entry,
                entry.stamp or held.stamp,
                status,
                command.by,
                self._alter(command, entry.deadline_millis),
                command.reason,
            )
            for entry in held.entries
        ]
        offers = self.offers.write_all(command.waitlist_id, held.entries, transitions, "held")
        if command.complete:
            self._finish(command, offers)
        elif command.call_to:
            offers = self._call(command, offers)
        return Claiming(offers, held.limit)

    def claim_one(self, command: ClaimCommand) -> Offer:
        """Claim the entry `command.entry_id`, whatever its position in the queue."""
        claiming = self.claim(command)
        if claiming.offers:
            return claiming.offers[0]
        record = self.take_one.entries.find(command.waitlist_id, command.entry_id)
        if record.status == "admitted":
            raise AlreadyAdmitted
        # The entry was not claimed, because the claim has already ended or another request has
        # recorded a later change to the entry.
        raise NotWaiting(NOT_TO_BE_TAKEN)

    def _call(self, command: ClaimCommand, offers: list[Offer]) -> list[Offer]:
        """Call the customers whose entries were claimed. If the request is a repeat, nobody is
        called a second time.
        """

        def call(offer: Offer) -> Offer:
            token = offer.claim.token
            if offer.record.call.token == token:
                return offer
            called = CallCommand(
                waitlist_id=command.waitlist_id,
                entry_id=offer.claim.entry_id,
                by=command.by,
                token=token,
                to=command.call_to,
                # A retried request must not call the customer a second time. Each claim has its own
                # token, so use the token as the idempotency key of this call.
                key=token,
            )
            try:
                return replace(offer, record=self.calls.call(called, offer.record))
            except CLAIM_ENDED:
                return offer

        return run_all(call, offers)

    def _alter(self, command: ClaimCommand, deadline_millis: int) -> Alter:
        """Return the function that changes an entry's record when the entry is claimed.

        If the claim is completed at once, the function also records the admission.
        """
        end = End()
        if command.complete:
            now_millis = self.now_millis()
            seconds = pass_seconds_of(self.waitlist_cache.find(command.waitlist_id).settings)
            until_millis = now_millis + seconds * 1000 if seconds else None
            end = End(admitted_millis=now_millis, inside_until_millis=until_millis)

        def alter(record: EntryRecord) -> EntryRecord:
            return replace(with_offer(record, deadline_millis, is_offer=False), end=end)

        return alter

    def _hold(self, command: ClaimCommand) -> c.ClaimResult:
        if command.entry_id:
            return self._hold_one(command)
        asked = [command.count, command.lease_seconds, command.filter, command.order]
        request = c.Claim(
            waitlist_id=command.waitlist_id,
            count=command.count,
            lease_seconds=command.lease_seconds,
            order=command.order,
            **once_fields(
                command.by,
                command.idempotency_key,
                [*asked, command.complete, command.call_to, *(command.filters or ())],
            ),
        )
        held: c.ClaimResult = self.dequeue.send(request, command.filter, command.filters)
        return held

    def _hold_one(self, command: ClaimCommand) -> c.ClaimResult:
        asked = [command.entry_id, command.lease_seconds, command.call_to]
        held: c.ClaimResult = self.take_one.send(
            c.Claim(
                waitlist_id=command.waitlist_id,
                entry_id=command.entry_id,
                ticket=self.take_one.find_ticket(command.waitlist_id, command.entry_id),
                lease_seconds=command.lease_seconds,
                **once_fields(command.by, command.idempotency_key, asked),
            )
        )
        return held

    def _finish(self, command: ClaimCommand, offers: list[Offer]) -> None:
        """End the claims of the admitted entries in Redis.

        If Redis has already ended a claim, for example by returning its entry to the queue, remove
        the entry from Redis.
        """
        requests: list[c.Single] = [
            c.Complete(
                waitlist_id=command.waitlist_id,
                entry_id=offer.claim.entry_id,
                token=offer.claim.token,
            )
            for offer in offers
        ]
        if not requests:
            return
        answers = send_batch(self.queue, requests)
        lost: list[c.Single] = [
            give_up_message(command.waitlist_id, offer.claim, offer.record)
            for offer, answer in zip(offers, answers, strict=True)
            if isinstance(answer, WaitlistError)
        ]
        if lost:
            send_batch(self.queue, lost)
