"""Operator route that sends the webhook's dead letters again."""

from msgspec import Struct

from waitlist_api.http.operation import Answer, operator
from waitlist_api.http.request import Request
from waitlist_api.http.schemas.webhooks import ReplayAnswer, ReplayBody
from waitlist_api.webhooks.replay import Replays


class Routes(Struct, frozen=True):
    replays: Replays
    request: Request

    @operator(
        "Send the webhook's dead letters again",
        Answer(200, "The number of events that are sent again"),
        problems=("no_webhook",),
    )
    def replay_webhook(self, body: ReplayBody) -> ReplayAnswer:
        """If an event cannot be delivered to the webhook for a day, it becomes a dead letter.

        This operation sends all dead letters since a given time again. The webhook gets the events
        of each entry in order. If `more` is true in the response, repeat the request to send the
        remaining events.
        """
        found = self.replays.replay(body.since)
        return ReplayAnswer(replayed=found.count, more=found.more)
