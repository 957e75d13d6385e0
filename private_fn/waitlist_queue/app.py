"""The private function: wires the service to Redis and answers invocations."""

import gc
import logging
import os
import random
from functools import cache
from typing import Any

from waitlist_queue.config import Config
from waitlist_queue.connections import HERE, connect, credentials_of
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
    random.seed()  # or all copies of a snapshot would pause for the same times
    composed = compose(Config.from_env(os.environ))
    # What there is by now stays: the collector need not look through it with everything new.
    gc.freeze()
    return composed


def compose(config: Config) -> RequestLog:
    """Wire the service to Redis, and to the log."""
    logging.getLogger("waitlist_queue").setLevel(config.log_level)
    CORRELATION.mark_log_records()
    credentials_of(config)  # loads what takes long to load, before a call's time runs
    store = store_of(config)
    telemetry = Telemetry(
        "private",
        namespace=config.metrics_namespace,
        log_level=config.log_level,
        # No trace in its lines: reading it for each would cost as much as half the line.
        environ={},
    )
    return RequestLog(QueueService(store), telemetry, CORRELATION, store)


def store_of(config: Config) -> RedisStore:
    """Return the scripts' way to Redis."""
    if config.redis_has_run_ids:
        return RedisStore(lambda: connect(config), server_run_id=lambda: HERE)
    return RedisStore(lambda: connect(config))
