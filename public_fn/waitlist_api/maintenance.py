"""The maintenance function: each minute for every list, and at once for one that needs it."""

import os
from dataclasses import replace
from functools import cache
from typing import Any, Protocol

from aws_lambda_powertools import Logger

from waitlist_api.aws import dynamodb_client, patient_lambda_client
from waitlist_api.caretaking import Caretaker
from waitlist_api.config import Config
from waitlist_api.services import Services


class Context(Protocol):
    """What is used of Lambda's context."""

    invoked_function_arn: str

    def get_remaining_time_in_millis(self) -> int:
        """Return the time until Lambda ends the run."""


def lambda_handler(event: dict[str, Any], context: Context) -> None:
    """Look after `waitlist_id` if the event names one, after everything otherwise."""
    left_millis = context.get_remaining_time_in_millis
    waitlist_id = event.get("waitlist_id")
    if waitlist_id:
        caretaker(context.invoked_function_arn).look_after(str(waitlist_id), left_millis)
    else:
        caretaker(context.invoked_function_arn).look_after_all(left_millis)


@cache
def caretaker(function_arn: str) -> Caretaker:
    """Compose the caretaker once per process, from the environment.

    A rebuild that stops for lack of time asks for another run of this very function, by the name
    it was called by: that of the alias, which is all that its role may call.
    """
    config = replace(Config.from_env(os.environ), maintenance_function_name=function_arn)
    Logger(level=config.log_level)
    return Services.on(config, dynamodb_client(), patient_lambda_client()).caretaker
