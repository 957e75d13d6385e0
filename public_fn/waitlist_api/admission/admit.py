"""Offer slots to the first entries of the queue, for the admission policy or for an operator."""

from collections.abc import Sequence
from functools import partial

from msgspec import Struct, structs

from waitlist_api.admission.dequeue import Dequeue, once_fields
from waitlist_api.admission.offers import Offer, OfferWriter, transition_of_take
from waitlist_api.admission.take_one import NOT_TO_BE_TAKEN, TakeOne
from waitlist_api.clock import NowMillis
from waitlist_api.entries.position import EntryView, Positions
from waitlist_api.errors import EntryNotFound
from waitlist_api.queue.messages import hours_of, renew_of
from waitlist_api.queue.renewals import send_renewals
from waitlist_api.records.decisions import POLICY, with_offer
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import PRESENT, EntryRecord, Status
from waitlist_api.records.facets import End
from waitlist_api.records.segments import Segment
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistRecords
from waitlist_api.settings.schedule import instants_between, next_instant
from waitlist_api.settings.waitlist import schedule_of
from waitlist_shared import contracts as c
from waitlist_shared.errors import NotWaiting

# To catch up with a schedule, one run of the policy sends at most this many messages to Redis. If
# more are needed, the next run continues.
CATCH_UPS = 20


class AdmitCommand(Struct, frozen=True, kw_only=True):
    """An operator's request to offer `count` slots now.

    If `refill` is true, each unused slot goes to the next entry, until `count` customers have
    entered.
    """

    waitlist_id: str
    count: int
    by: str
    filter: Segment | None = None
    filters: Sequence[Segment] | None = None
    refill: bool = False
    # How long the offers last. If it is None, the admission policy decides.
    offer_seconds: int | None = None
    idempotency_key: str = ""


class AdmitOneCommand(Struct, frozen=True, kw_only=True):
    """An operator's request to offer a slot to a single entry, whatever its position."""

    waitlist_id: str
    entry_id: str
    by: str
    reason: str = ""
    offer_seconds: int | None = None
    idempotency_key: str = ""


class Run(Struct, frozen=True):
    """The offers made in one run of the admission policy."""

    offers: list[Offer]
    # True if the policy allows more offers now.
    is_more: bool


class Admissions(Struct, frozen=True):
    """Offers slots to waiting entries.

    A single Redis script takes the entries from the queue, so concurrent runs never offer the same
    slot twice.
    """

    dequeue: Dequeue
    take_one: TakeOne
    offers: OfferWriter
    waitlists: WaitlistRecords
    waitlist_cache: WaitlistCache
    entries: EntryRecords
    positions: Positions
    now_millis: NowMillis

    def hours(self, waitlist_id: str) -> tuple[c.Hours, ...]:
        """Return the hours in which the admission policy makes offers.

        The result is empty if the policy makes offers at any time.
        """
        return hours_of(self.waitlist_cache.find(waitlist_id).settings, self.now_millis())

    def run(self, waitlist_id: str) -> Run:
        """Offer the slots that the admission policy allows now, or that are left from an earlier
        `refill` request.
        """
        waitlist = self.waitlist_cache.find(waitlist_id)
        since = waitlist.scheduled_until
        for _ in range(CATCH_UPS):
            admitted: c.AdmitResult = self.dequeue.send(self._request(waitlist, since))
            if admitted.outcome != "behind":
                self._note_counted(waitlist, admitted)
                return Run(self.record(waitlist_id, admitted, POLICY), admitted.is_more)
            waitlist = self.waitlist_cache.look_up(waitlist_id)
            if admitted.settings_version < waitlist.version:
                # Redis still has the old settings, because the request that changed them was
                # interrupted, so send the new settings to Redis.
                self.dequeue.recovering_queue.resend_settings(waitlist)
            since = admitted.scheduled_until
        return Run([], is_more=True)

    def admit(self, command: AdmitCommand) -> Run:
        """Offer `count` slots now, regardless of the rate and the schedule.

        If `count` is 0, cancel the unused slots of earlier `refill` requests.
        """
        asked = [command.count, command.filter, *(["refill"] if command.refill else [])]
        asked += command.filters or ()
        asked += _asked_length(command)
        request = c.Admit(
            waitlist_id=command.waitlist_id,
            count=command.count,
            refill=command.refill,
            offer_seconds=command.offer_seconds,
            **once_fields(command.by, command.idempotency_key, asked),
        )
        admitted: c.AdmitResult = self.dequeue.send(request, command.filter, command.filters)
        return Run(self.record(command.waitlist_id, admitted, command.by), admitted.is_more)

    def admit_one(self, command: AdmitOneCommand) -> tuple[EntryView, EntryRecord]:
        """Offer a slot to a single waiting entry, and return the entry."""
        key = (command.waitlist_id, command.entry_id)
        request = c.Admit(
            waitlist_id=command.waitlist_id,
            entry_id=command.entry_id,
            ticket=self.take_one.find_ticket(*key),
            offer_seconds=command.offer_seconds,
            **once_fields(
                command.by,
                command.idempotency_key,
                [command.entry_id, *_asked_length(command)],
            ),
        )
        admitted: c.AdmitResult = self.take_one.send(request)
        offers = self.record(command.waitlist_id, admitted, command.by, command.reason)
        record = offers[0].record if offers else self.entries.find(*key)
        if record.intent.erase:
            raise EntryNotFound
        if offers:
            return offers[0].view, record
        if admitted.outcome != "repeat" and record.status not in PRESENT:
            raise NotWaiting(NOT_TO_BE_TAKEN)
        # The offer has already ended, or a different request has changed the entry, so return the
        # entry's current state.
        return self.positions.read(*key, to_operator=True), record

    def _request(self, waitlist: WaitlistRecord, since_millis: int) -> c.Admit:
        """Build the request for a run of the admission policy, including the scheduled times since
        `since_millis`.
        """
        request = c.Admit(waitlist_id=waitlist.waitlist_id)
        schedule = schedule_of(waitlist.settings)
        hours = hours_of(waitlist.settings, self.now_millis())
        if not (schedule or hours):
            return request
        request = structs.replace(request, settings_version=waitlist.version, hours=hours)
        if not schedule:
            # The admission policy has no schedule, so the request contains no scheduled times.
            return request
        instants = instants_between(schedule, since_millis, self.now_millis())
        last_millis = instants[-1].millis if instants else since_millis
        if last_millis > waitlist.scheduled_until:
            is_first = self.waitlists.note_scheduled(waitlist, last_millis)
            self.waitlist_cache.forget(waitlist.waitlist_id)
            if not is_first:
                # Another run of the policy has updated the record in the meantime. Rebuild the
                # request from the current record.
                return self._request(
                    self.waitlist_cache.look_up(waitlist.waitlist_id), since_millis
                )
        following = next_instant(schedule, last_millis)
        return structs.replace(
            request,
            schedule_version=waitlist.schedule_version,
            counted_until=waitlist.counted_until,
            counted_slots=waitlist.counted_slots,
            schedule_from=since_millis,
            instants=tuple(c.DueInstant(instant.millis, instant.count) for instant in instants),
            next_instant=following.millis if following else None,
        )

    def _note_counted(self, waitlist: WaitlistRecord, admitted: c.AdmitResult) -> None:
        """Save how many slots of the schedule are unused, and the time up to which Redis has added
        slots.

        If Redis loses these values in a failover, they are restored from the record.
        """
        if not waitlist.schedule_version:
            return
        known = (waitlist.counted_until, -waitlist.counted_slots)
        if (admitted.scheduled_until, -admitted.scheduled) > known:
            self.waitlists.note_counted(waitlist, admitted.scheduled_until, admitted.scheduled)
            self.waitlist_cache.forget(waitlist.waitlist_id)

    def record(
        self,
        waitlist_id: str,
        admitted: c.AdmitResult | c.WithdrawResult,
        by: str,
        reason: str = "",
    ) -> list[Offer]:
        """Update the entries' records with the offers or admissions that Redis has made.

        Return only the entries whose record could be updated.
        """
        taken: Sequence[c.Claimed] = admitted.entries
        if admitted.is_automatic and admitted.outcome == "repeat":
            taken = self._begin_time_inside(waitlist_id, taken)
        status: Status = "admitted" if admitted.is_automatic else "offered"
        now_millis = self.now_millis()

        def alter(until_millis: int, record: EntryRecord) -> EntryRecord:
            if not admitted.is_automatic:
                return with_offer(record, until_millis)
            end = End(admitted_millis=now_millis, inside_until_millis=until_millis)
            return structs.replace(record, end=end)

        transitions = [
            transition_of_take(
                waitlist_id,
                entry,
                admitted.stamp,
                status,
                by,
                partial(alter, entry.deadline_millis),
                reason,
            )
            for entry in taken
        ]
        state: c.PlaceState = "done" if admitted.is_automatic else "offered"
        return self.offers.write_all(waitlist_id, taken, transitions, state)

    def _begin_time_inside(self, waitlist_id: str, taken: Sequence[c.Claimed]) -> list[c.Claimed]:
        """Begin the passes of customers whom an earlier attempt admitted in Redis without recording
        the admissions.

        Return the entries with the times when their passes end. An entry is left out if there is no
        free place inside for the customer.
        """
        records = self.entries.get_many(waitlist_id, [entry.entry_id for entry in taken])
        late = {
            entry.entry_id: renew_of(record, entry.ticket)
            for entry in taken
            if (record := records.get(entry.entry_id)) is not None
            and record.status in ("joining", *PRESENT)
            and record.ticket in (None, entry.ticket)
        }
        ends = send_renewals(self.offers.queue, list(late.values()))
        return [
            structs.replace(entry, deadline_millis=ends.get(entry.entry_id, entry.deadline_millis))
            for entry in taken
            if entry.entry_id in ends or entry.entry_id not in late
        ]


def _asked_length(command: AdmitCommand | AdmitOneCommand) -> list[str]:
    """Return the requested duration of the offers as a list that becomes part of the request's
    digest. The list is empty if the operator requested no duration.

    The digest identifies a repeated request.
    """
    return [] if command.offer_seconds is None else [f"{command.offer_seconds} seconds"]
