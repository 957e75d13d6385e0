"""Start the time inside again for customers whose admission is recorded late."""

from collections.abc import Sequence

from waitlist_api.queue.client import QueueClient, send_batch
from waitlist_shared import contracts as c


def send_renewals(queue: QueueClient, renewals: Sequence[c.Renew]) -> dict[str, int]:
    """Send the renewals. Return the end of each customer's time inside, keyed by entry id.

    The result leaves out customers for whom there is no room, and admissions that Redis no longer
    has.
    """
    if not renewals:
        return {}
    return {
        renewal.entry_id: answer.inside_until_millis
        for renewal, answer in zip(renewals, send_batch(queue, renewals), strict=True)
        if isinstance(answer, c.RenewResult) and answer.outcome == "renewed"
    }
