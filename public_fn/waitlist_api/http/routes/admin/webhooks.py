"""Operator route that resends the webhook's dead letters."""

from msgspec import Struct

from waitlist_api.http.operation import Answer, operator
from waitlist_api.http.request import Request
from waitlist_api.http.schemas.webhooks import ReplayAnswer, ReplayBody
from waitlist_api.webhooks.replay import Replays


class Routes(Struct, frozen=True):
    replays: Replays
    request: Request

    @operator(
        "Resend the webhook's dead letters",
        Answer(200, "The number of events that are resent"),
        problems=("no_webhook",),
    )
    def replay_webhook(self, body: ReplayBody) -> ReplayAnswer:
        """An event that cannot be delivered to the webhook for a day becomes a dead letter.

        This operation resends the dead letters whose events happened at a given time or later. The
        webhook receives each entry's events in order. If the response's `more` is true, repeat the
        request to resend the remaining events.
        """
        found = self.replays.replay(body.since)
        return ReplayAnswer(replayed=found.count, more=found.more)
