"""Estimate the waits under an admission policy before it is saved."""

from itertools import islice, takewhile

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.estimates.pace import Wait, wait_at
from waitlist_api.estimates.policy import policy_of
from waitlist_api.estimates.recent import Recent, sample_of
from waitlist_api.records.samples import SampleRecords
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.settings.admission import AdmissionPolicy
from waitlist_api.settings.schedule import Instant, instants_after
from waitlist_api.waitlists.configure import Waitlists

POSITIONS = (1, 10, 100, 1_000, 10_000, 100_000)
MOST_INSTANTS = 5


class Preview(Struct, frozen=True, kw_only=True):
    """The estimated waits under an admission policy, and the next times in its schedule."""

    waiting: int
    waits: dict[int, Wait]
    instants: list[Instant]


class Previews(Struct, frozen=True):
    """Computes previews of admission policies without writing anything."""

    waitlists: Waitlists
    waitlist_cache: WaitlistCache
    samples: SampleRecords
    now_millis: NowMillis

    def preview(
        self, waitlist_id: str, admission: AdmissionPolicy | None, people: int | None
    ) -> Preview:
        """Return the waits that customers would have under a policy.

        If `people` is given, return only the wait of the customer at this position.
        """
        waitlist = self.waitlist_cache.look_up(waitlist_id)
        stats = self.waitlists.stats(waitlist_id)
        now_millis = self.now_millis()
        local = admission and admission.in_zone(waitlist.settings.timezone)
        if admission == waitlist.settings.admission:
            recent = Recent.read(self.samples, waitlist, now_millis)
        else:
            # The stored samples show how long customers waited under the saved policy, so they
            # cannot be used to estimate the waits under a different policy.
            recent = Recent(waitlist.created_millis, [], [], now_millis)
        newest = sample_of(waitlist, stats, now_millis)
        until_millis = admission.until_millis if admission else None
        pace = recent.pace(newest, policy_of(local, now_millis), until_millis)
        turns = {people: people} if people else {at: at for at in POSITIONS}
        if people is None:
            # A new customer is placed behind all waiting entries. Entries that are not ready get no
            # offers, so only ready entries are counted to estimate the wait.
            turns[stats.waiting + 1] = stats.waiting - stats.not_ready + 1
        instants = instants_after(local.schedule if local else (), now_millis)
        if until_millis is not None:
            instants = takewhile(lambda instant: instant.millis < until_millis, instants)
        return Preview(
            waiting=stats.waiting,
            waits={at: wait_at(turns[at], pace, now_millis) for at in sorted(turns)},
            instants=list(islice(instants, MOST_INSTANTS)),
        )
