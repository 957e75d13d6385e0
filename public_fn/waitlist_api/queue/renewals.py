"""If a customer's admission was recorded late, restart their pass."""

from collections.abc import Sequence

from waitlist_api.queue.client import QueueClient, send_batch
from waitlist_shared import contracts as c


def send_renewals(queue: QueueClient, renewals: Sequence[c.Renew]) -> dict[str, int]:
    """Restart passes, and return when each of them now ends, by entry id.

    Passes that could not be restarted are left out.
    """
    if not renewals:
        return {}
    return {
        renewal.entry_id: answer.inside_until_millis
        for renewal, answer in zip(renewals, send_batch(queue, renewals), strict=True)
        if isinstance(answer, c.RenewResult) and answer.outcome == "renewed"
    }
