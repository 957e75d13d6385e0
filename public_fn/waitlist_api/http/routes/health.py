"""The health check, which calls Redis and DynamoDB."""

from collections.abc import Callable

from msgspec import Struct

from waitlist_api.http.operation import Answer, anyone
from waitlist_api.http.schemas.health import HealthAnswer
from waitlist_api.queue.client import QueueClient
from waitlist_api.waitlists.configure import Waitlists
from waitlist_shared import contracts as c
from waitlist_shared.errors import WaitlistError


class Routes(Struct, frozen=True):
    queue: QueueClient
    waitlists: Waitlists

    @anyone(
        "Check whether Redis and DynamoDB are available",
        Answer(200, "The state of both stores"),
    )
    def health(self) -> HealthAnswer:
        queue_answers = _answers(lambda: self.queue.send(c.Ping()))
        record_answers = _answers(self.waitlists.check_record)
        return HealthAnswer(
            status="ok" if queue_answers and record_answers else "degraded",
            queue="ok" if queue_answers else "unavailable",
            record="ok" if record_answers else "unavailable",
        )


def _answers(call: Callable[[], object]) -> bool:
    try:
        call()
    except WaitlistError:
        return False
    return True
