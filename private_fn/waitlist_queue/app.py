"""The private function: wires the service to Redis and answers invocations."""

import logging
import os
from functools import cache
from typing import Any

from waitlist_queue.config import Config
from waitlist_queue.connections import connect, credentials_of
from waitlist_queue.service import QueueService
from waitlist_queue.store import RedisStore


def lambda_handler(event: object, _context: object) -> dict[str, Any]:
    """Answer one message of the private contract."""
    return service().handle(event)


@cache
def service() -> QueueService:
    """Compose the service once per process, from the environment."""
    config = Config.from_env(os.environ)
    logging.getLogger("waitlist_queue").setLevel(config.log_level)
    credentials_of(config)  # loads what takes long to load, before a call's time runs
    return QueueService(RedisStore(lambda: connect(config)))
