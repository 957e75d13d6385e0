"""The health check, which calls Redis and DynamoDB."""

from collections.abc import Callable

from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.http.schemas.health import HealthAnswer
from waitlist_api.queue.client import QueueClient
from waitlist_api.waitlists.configure import Waitlists
from waitlist_shared import contracts as c
from waitlist_shared.errors import WaitlistError


def health_routes(queue: QueueClient, waitlists: Waitlists) -> APIGatewayHttpRouter:
    router = APIGatewayHttpRouter()

    @router.get("/v1/health", operation_id="health")
    def health() -> HealthAnswer:
        queue_answers = _answers(lambda: queue.send(c.Ping()))
        record_answers = _answers(waitlists.check_record)
        return HealthAnswer(
            status="ok" if queue_answers and record_answers else "degraded",
            queue="ok" if queue_answers else "unavailable",
            record="ok" if record_answers else "unavailable",
        )

    return router


def _answers(call: Callable[[], object]) -> bool:
    try:
        call()
    except WaitlistError:
        return False
    return True
