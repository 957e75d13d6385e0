"""The Lambda function that publishes entry events on the event bus (docs/app/events.md)."""

import logging
import os
from functools import cache
from typing import Any

from waitlist_api.aws.clients import events_client
from waitlist_api.clock import now_millis
from waitlist_api.config import EventsConfig
from waitlist_api.events.forward import Forwarder


def lambda_handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Publish a batch of stream records. Return the first record that Lambda must redeliver."""
    refused = forwarder().forward(event["Records"])
    failures = [] if refused is None else [{"itemIdentifier": refused}]
    return {"batchItemFailures": failures}


@cache
def forwarder() -> Forwarder:
    """Create the forwarder from the environment variables when the process receives its first
    batch.
    """
    config = EventsConfig.from_env(os.environ)
    logging.getLogger("waitlist_api").setLevel(config.log_level)
    return Forwarder(events_client(), config.bus_name, config.source, now_millis)
