"""The maintenance function: each minute for every list, and at once for one that needs it."""

import os
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger

from waitlist_api.aws import dynamodb_client, patient_lambda_client
from waitlist_api.caretaking import Caretaker
from waitlist_api.config import Config
from waitlist_api.services import Services


def lambda_handler(event: dict[str, Any], _context: object) -> None:
    """Look after `waitlist_id` if the event names one, after everything otherwise."""
    waitlist_id = event.get("waitlist_id")
    if waitlist_id:
        caretaker().look_after(str(waitlist_id))
    else:
        caretaker().look_after_all()


@cache
def caretaker() -> Caretaker:
    """Compose the caretaker once per process, from the environment."""
    config = Config.from_env(os.environ)
    Logger(level=config.log_level)
    return Services.on(config, dynamodb_client(), patient_lambda_client()).caretaker
