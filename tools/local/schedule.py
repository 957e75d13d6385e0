"""Runs the maintenance function every minute, as EventBridge does in a deployed stack."""

import json
import logging
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from tools.local.aws import ACCOUNT_ID, REGION
from tools.local.background import Background
from tools.local.function import Invocable, ThrottledError

INTERVAL_SECONDS = 60

logger = logging.getLogger(__name__)


def scheduled_event(now: datetime) -> dict[str, Any]:
    """Return the event that an EventBridge schedule sends. `now` is in UTC."""
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": ACCOUNT_ID,
        "time": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "region": REGION,
        "resources": [f"arn:aws:events:{REGION}:{ACCOUNT_ID}:rule/waitlist-local-every-minute"],
        "detail": {},
    }


class MinuteSchedule(Background):
    """A thread that calls `function` every minute.

    If a run is slow, the next one starts later. `wait(seconds)` returns True when the thread has to
    stop.
    """

    def __init__(
        self,
        function: Invocable,
        utc_now: Callable[[], datetime] = lambda: datetime.now(UTC),
        wait: Callable[[float], bool] | None = None,
    ) -> None:
        super().__init__("minute-schedule")
        self._function = function
        self._utc_now = utc_now
        self._wait = wait or self._stopping.wait

    def _run(self) -> None:
        while not self._wait(INTERVAL_SECONDS):
            self._call()

    def _call(self) -> None:
        try:
            invocation = self._function.invoke(
                json.dumps(scheduled_event(self._utc_now())).encode()
            )
        except ThrottledError:
            logger.warning("the scheduled maintenance was throttled")
            return
        if invocation.failed:
            logger.error("the scheduled maintenance failed: %s", invocation.error_text())
