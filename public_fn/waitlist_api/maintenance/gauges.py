"""Measure a maintenance run's gauges.

Each gauge is a sum or a maximum across all waitlists.
"""

from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_shared import contracts as c
from waitlist_shared.errors import WaitlistError
from waitlist_shared.ranks import EPOCH_MILLIS, TICKETS_PER_MILLISECOND


def measure_state(
    metrics: MetricsCollector,
    waitlist: WaitlistRecord,
    answer: c.Result | WaitlistError,
    now_millis: int,
) -> None:
    """Add the waitlist to the gauges that count waitlists.

    The `waitlists_cold` gauge counts the waitlists whose queue was missing or incomplete in Redis
    when the maintenance run began.
    """
    metrics.add("waitlists")
    if not isinstance(answer, c.StatsResult) or answer.state != "warm":
        metrics.add("waitlists_cold")
        if waitlist.rebuild is not None:
            metrics.at_least(
                "rebuild_running_seconds", _seconds(now_millis, waitlist.rebuild.began_millis)
            )


def measure_depth(
    metrics: MetricsCollector, stats: c.Result | WaitlistError | None, now_millis: int
) -> None:
    """Add a waitlist's waiting, offered, inside and parked entries to the gauges, as counted at
    the end of the maintenance run.
    """
    if not isinstance(stats, c.StatsResult):
        return
    metrics.add("waiting", stats.waiting)
    metrics.add("offered", stats.offered)
    metrics.add("inside", stats.inside)
    metrics.add("parked", stats.parked)
    if stats.head_ticket is not None:
        joined_millis = EPOCH_MILLIS + stats.head_ticket // TICKETS_PER_MILLISECOND
        metrics.at_least("oldest_waiting_seconds", _seconds(now_millis, joined_millis))
    if stats.oldest_parked_millis is not None:
        metrics.at_least("oldest_parked_seconds", _seconds(now_millis, stats.oldest_parked_millis))


def _seconds(now_millis: int, then_millis: int) -> int:
    return max(0, now_millis - then_millis) // 1000
