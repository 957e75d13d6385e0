"""Operator routes that return a waitlist's current and past counts."""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query
from msgspec import Struct
from msgspec.structs import asdict

from waitlist_api.clock import NowMillis, iso, iso_of
from waitlist_api.entries.archive import Archive
from waitlist_api.http.operation import Answer, operator
from waitlist_api.http.request import Request
from waitlist_api.http.routes.params import WaitlistId
from waitlist_api.http.schemas.counts import (
    MessageCountAnswer,
    PointAnswer,
    SourceAnswer,
    StatsAnswer,
    StatsHistoryAnswer,
)
from waitlist_api.http.schemas.wait import estimate_fields
from waitlist_api.messages.kinds import KIND_NAMES
from waitlist_api.records.line import public_line
from waitlist_api.settings.page import OTHER, PageSettings
from waitlist_api.waitlists.configure import Waitlists
from waitlist_api.waitlists.history import SERIES, CountHistory, Period, Point
from waitlist_api.waitlists.public_state import estimate_next_wait
from waitlist_shared.ranks import time_of

ThePeriod = Annotated[
    Period,
    Query(
        description="`hour` has a point for each minute, `day` for each 10 minutes, and `week` "
        "for each hour."
    ),
]


class Routes(Struct, frozen=True):
    waitlists: Waitlists
    count_history: CountHistory
    archive: Archive
    now_millis: NowMillis
    request: Request

    def _sources_of(self, waitlist_id: str, page: PageSettings | None) -> list[SourceAnswer] | None:
        if page is None or page.source is None:
            return None
        found = self.count_history.sources(waitlist_id)
        named = dict.fromkeys([*page.counted_sources, OTHER])
        counts = [SourceAnswer(source=name, signed_up=found.get(name, 0)) for name in named]
        return sorted(counts, key=lambda count: (-count.signed_up, count.source == OTHER))

    def _messages_of(self, waitlist_id: str) -> list[MessageCountAnswer]:
        found = self.count_history.messages(waitlist_id)
        states = ("sent", "bounced", "dropped", "limited")
        return [
            MessageCountAnswer(
                kind=kind, **{state: found.get((kind, state), 0) for state in states}
            )
            for kind in KIND_NAMES
            if any((kind, state) in found for state in states)
        ]

    @operator(
        "Get a waitlist's counts",
        Answer(200, "The exact current counts"),
        problems=("rebuilding",),
    )
    def get_stats(self, waitlist_id: WaitlistId) -> StatsAnswer:
        """The estimate is for a customer who joins now, and assumes that customers are admitted as
        fast as in the last minute.
        """
        stats = self.waitlists.stats(waitlist_id)
        settings = self.waitlists.cached(waitlist_id).settings
        oldest = None if stats.head_ticket is None else iso_of(time_of(stats.head_ticket))
        unreached = self.archive.count_unreached(waitlist_id) if settings.messages else {}
        hour = self.count_history.last_hour(waitlist_id, stats.counters)
        return StatsAnswer(
            line=public_line(settings, stats),
            waiting=stats.waiting,
            signed_up=stats.counters.signed_up,
            left=stats.counters.left,
            admitted=stats.counters.admitted,
            admitted_today=self.count_history.admitted_today(waitlist_id, stats.counters.admitted),
            entered=stats.counters.entered,
            declined=stats.counters.declined,
            no_shows=stats.counters.no_shows,
            **{f"{name}_last_hour": count for name, count in asdict(hour).items()},
            offered=stats.offered,
            inside=stats.inside,
            parked=stats.parked,
            not_ready=stats.not_ready,
            unverified=stats.unverified,
            asked=stats.asked if settings.confirm else 0,
            away=stats.away,
            quota=stats.quota,
            quota_open=stats.quota_open,
            quota_entered=stats.quota_entered,
            quota_since=iso(stats.quota_since) if stats.quota_since else None,
            sources=self._sources_of(waitlist_id, settings.page),
            messages=self._messages_of(waitlist_id) if settings.messages else None,
            unreachable=unreached.get("unreachable"),
            messages_off=unreached.get("messages_off"),
            oldest_waiting_seconds=_age(self.now_millis(), _millis_of(stats.head_ticket)),
            oldest_parked_seconds=_age(self.now_millis(), stats.oldest_parked_millis),
            oldest_joined_at=oldest,
            **estimate_fields(estimate_next_wait(settings, stats, self.now_millis())),
        )

    @operator(
        "Get a waitlist's counts over the last hour, day or week",
        Answer(200, "Points at equal intervals, oldest first"),
    )
    def get_stats_history(
        self, waitlist_id: WaitlistId, period: ThePeriod = "day"
    ) -> StatsHistoryAnswer:
        """The points come from samples of the counts.

        The service keeps per-minute samples for two days, and hourly samples for four weeks. A
        point without a sample shows the counts of the point before it.
        """
        points = self.count_history.points(waitlist_id, period)
        return StatsHistoryAnswer(
            period=period,
            step_seconds=SERIES[period].step_millis // 1000,
            points=[_shown(point) for point in points],
        )


def _shown(point: Point) -> PointAnswer:
    fields = asdict(point)
    return PointAnswer(at=iso(fields.pop("millis")), **asdict(fields.pop("flows")), **fields)


def _age(now_millis: int, then_millis: int | None) -> int | None:
    """Return the number of whole seconds between the two times, or None if the earlier time is not
    known.

    The two times can come from different clocks, so a negative result counts as 0.
    """
    return None if then_millis is None else max(0, (now_millis - then_millis) // 1000)


def _millis_of(ticket: int | None) -> int | None:
    return None if ticket is None else int(time_of(ticket).timestamp() * 1000)
