"""The private Lambda function, through which the service's other functions use Redis."""

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
    """Answer a request from another function of the service."""
    return service().handle(event)


@cache
def service() -> RequestLog:
    """Create the service when the first message arrives, and reuse it for all later messages."""
    # Do not create the service when this module is imported. With SnapStart, Lambda imports the
    # module once and later starts copies of the process, possibly on other machines, where a Redis
    # connection opened during the import may no longer work.
    random.seed()  # all copies of a snapshot would otherwise choose the same pauses
    return compose(Config.from_env(os.environ))


def compose(config: Config) -> RequestLog:
    """Create the service with its connection to Redis and its request log."""
    logging.getLogger("waitlist_queue").setLevel(config.log_level)
    CORRELATION.mark_log_records()
    credentials_of(config)  # imports botocore now, before any call has a deadline
    store = store_of(config)
    telemetry = Telemetry(
        "private",
        namespace=config.metrics_namespace,
        log_level=config.log_level,
        # The log lines contain no trace id, because adding it would make writing a line 50% slower.
        environ={},
    )
    return RequestLog(QueueService(store), telemetry, CORRELATION, store)


def store_of(config: Config) -> RedisStore:
    """Return the store that runs scripts on Redis."""
    if config.redis_has_run_ids:
        return RedisStore(lambda: connect(config), server_run_id=lambda: OWN_RUN_ID)
    return RedisStore(lambda: connect(config))
