"""Admit: offer places to the first entries of the queue, as the policy or an operator says."""

from typing import Any

from msgspec import Struct, structs

from waitlist_api.claims.offers import Offer, OfferWriter, transition_of_take
from waitlist_api.claims.take import Takes, once_fields
from waitlist_api.clock import NowMillis
from waitlist_api.policies.schedule import instants_between, next_instant
from waitlist_api.records.decisions import POLICY, offer_changes
from waitlist_api.records.entry import Status
from waitlist_api.records.segments import Segment
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistRecords, schedule_of
from waitlist_shared import contracts as c

# A run that has to catch up with a schedule counts so many messages of instants; the next goes on.
CATCH_UPS = 20


class AdmitCommand(Struct, frozen=True, kw_only=True):
    """How many places an operator offers now; with a `filter` to the first entries of a segment."""

    waitlist_id: str
    count: int
    by: str
    filter: Segment | None = None
    idempotency_key: str = ""


class Run(Struct, frozen=True):
    """The entries that one run took, and whether another one would find more places due."""

    offers: list[Offer]
    is_more: bool


class Admissions(Struct, frozen=True):
    """Offers places. Redis decides how many are due and takes the entries, in one script.

    Runs at the same time never take more than is due. If a run dies before it has recorded its
    offers, maintenance records them.
    """

    takes: Takes
    offers: OfferWriter
    waitlists: WaitlistRecords
    waitlist_cache: WaitlistCache
    now_millis: NowMillis

    def run(self, waitlist_id: str) -> Run:
        """Offer the places that the policy has due, at most 100."""
        waitlist = self.waitlist_cache.find(waitlist_id)
        since = waitlist.scheduled_until
        for _ in range(CATCH_UPS):
            admitted: c.AdmitResult = self.takes.send(self._request(waitlist, since), None)
            if admitted.outcome != "behind":
                return Run(self._record(waitlist_id, admitted, POLICY), admitted.is_more)
            waitlist = self.waitlist_cache.look_up(waitlist_id)
            since = admitted.scheduled_until
        return Run([], is_more=True)

    def admit(self, command: AdmitCommand) -> Run:
        """Offer `count` places now, whatever rate and schedule say; fewer if `max_inside` does."""
        request = c.Admit(
            waitlist_id=command.waitlist_id,
            count=command.count,
            **once_fields(command.by, command.idempotency_key, [command.count, command.filter]),
        )
        admitted: c.AdmitResult = self.takes.send(request, command.filter)
        return Run(self._record(command.waitlist_id, admitted, command.by), admitted.is_more)

    def _request(self, waitlist: WaitlistRecord, since_millis: int) -> c.Admit:
        """Return the message of a run, with the instants since a time.

        The record notes them first, so that a rebuilt order never counts them again.
        """
        request = c.Admit(waitlist_id=waitlist.waitlist_id)
        schedule = schedule_of(waitlist.settings)
        if not schedule:
            return request
        instants = instants_between(schedule, since_millis, self.now_millis())
        last_millis = instants[-1].millis if instants else since_millis
        if last_millis > waitlist.scheduled_until:
            self.waitlists.note_scheduled(waitlist.waitlist_id, last_millis)
            self.waitlist_cache.forget(waitlist.waitlist_id)
        following = next_instant(schedule, last_millis)
        return structs.replace(
            request,
            settings_version=waitlist.version,
            schedule_from=since_millis,
            instants=tuple(c.DueInstant(one.millis, one.count) for one in instants),
            next_instant=following.millis if following else None,
        )

    def _record(self, waitlist_id: str, admitted: c.AdmitResult, by: str) -> list[Offer]:
        status: Status = "admitted" if admitted.is_automatic else "offered"
        now_millis = self.now_millis()

        def changes(until_millis: int) -> dict[str, Any]:
            if admitted.is_automatic:
                return {"admitted_millis": now_millis, "inside_until_millis": until_millis}
            return offer_changes(until_millis)

        transitions = [
            transition_of_take(
                waitlist_id, one, admitted.stamp, status, by, changes(one.deadline_millis)
            )
            for one in admitted.entries
        ]
        return self.offers.write_all(waitlist_id, admitted.entries, transitions)
