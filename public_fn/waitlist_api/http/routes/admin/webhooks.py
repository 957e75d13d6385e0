"""Operator route that sends the webhook's dead letters again."""

from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.http.schemas.webhooks import ReplayAnswer, ReplayBody
from waitlist_api.webhooks.replay import Replays


def admin_webhook_routes(replays: Replays) -> APIGatewayHttpRouter:
    router = APIGatewayHttpRouter()

    @router.post("/v1/admin/webhook/replay", operation_id="replayWebhook")
    def replay(body: ReplayBody) -> ReplayAnswer:
        found = replays.replay(body.since)
        return ReplayAnswer(replayed=found.count, more=found.more)

    return router
