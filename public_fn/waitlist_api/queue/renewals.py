"""Lets the time inside of admissions begin when they are recorded late."""

from collections.abc import Sequence

from waitlist_api.queue.client import QueueClient, send_batch
from waitlist_shared import contracts as c


def send_renewals(queue: QueueClient, renewals: Sequence[c.Renew]) -> dict[str, int]:
    """Send the messages; return by entry when the passes end.

    Without those for which there is no room, and those that Redis does not have any more.
    """
    if not renewals:
        return {}
    return {
        renewal.entry_id: answer.inside_until_millis
        for renewal, answer in zip(renewals, send_batch(queue, renewals), strict=True)
        if isinstance(answer, c.RenewResult) and answer.outcome == "renewed"
    }
