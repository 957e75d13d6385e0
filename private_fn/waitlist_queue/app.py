"""The private function: wires the service to Redis and answers invocations."""

import logging
import os
import random
from functools import cache
from typing import Any

from waitlist_queue.config import Config
from waitlist_queue.connections import connector
from waitlist_queue.service import QueueService
from waitlist_queue.store import RedisStore


def lambda_handler(event: object, _context: object) -> dict[str, Any]:
    """Answer one message of the private contract."""
    return service().handle(event)


@cache
def service() -> QueueService:
    """Compose the service once per process, at its first message, from the environment.

    Not at import, which may have been long ago and on another machine (SnapStart).
    """
    random.seed()  # or all copies of a snapshot would pause for the same times
    config = Config.from_env(os.environ)
    logging.getLogger("waitlist_queue").setLevel(config.log_level)
    return QueueService(RedisStore(connector(config)))
