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
        """A dead letter is an event that could not be delivered to the webhook for a day. This
        operation sends all dead letters since a given time again. The events of each entry arrive
        in order. If the response has `more`, repeat the request to send the remaining events.
        """
        found = self.replays.replay(body.since)
        return ReplayAnswer(replayed=found.count, more=found.more)
