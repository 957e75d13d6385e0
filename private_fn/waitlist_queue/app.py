"""The private function: wires the service to Redis and answers invocations."""

import logging
import os
import random
from functools import cache
from typing import Any

from waitlist_queue.config import Config
from waitlist_queue.connections import OWN_RUN_ID, connect, credentials_of
from waitlist_queue.request_log import RequestLog
from waitlist_queue.service import QueueService
from waitlist_queue.store import RedisStore
from waitlist_shared.correlation import Correlation
from waitlist_shared.telemetry import Telemetry

CORRELATION = Correlation()


def lambda_handler(event: object, _context: object) -> dict[str, Any]:
    """Answer one message of the private contract."""
    return service().handle(event)


@cache
def service() -> RequestLog:
    """Compose the service once per process, at its first message, from the environment.

    Not at import, which may have been long ago and on another machine (SnapStart).
    """
    random.seed()  # otherwise all copies of a snapshot would pause for the same times
    return compose(Config.from_env(os.environ))


def compose(config: Config) -> RequestLog:
    """Wire the service to Redis, and to the log."""
    logging.getLogger("waitlist_queue").setLevel(config.log_level)
    CORRELATION.mark_log_records()
    credentials_of(config)  # imports botocore before a call's deadline runs
    store = store_of(config)
    telemetry = Telemetry(
        "private",
        namespace=config.metrics_namespace,
        log_level=config.log_level,
        # No trace id in its lines: reading it would cost half as much as the line.
        environ={},
    )
    return RequestLog(QueueService(store), telemetry, CORRELATION, store)


def store_of(config: Config) -> RedisStore:
    """Return the scripts' way to Redis."""
    if config.redis_has_run_ids:
        return RedisStore(lambda: connect(config), server_run_id=lambda: OWN_RUN_ID)
    return RedisStore(lambda: connect(config))
