"""The maintenance function: each minute for every list, and at once for one that needs it."""

import gc
import os
from dataclasses import replace
from functools import cache
from typing import Any, Protocol

from waitlist_api.aws.clients import dynamodb_client, patient_lambda_client
from waitlist_api.config import Config
from waitlist_api.maintenance.run_log import RunLog
from waitlist_api.maintenance.runner import MaintenanceRunner
from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.observability.setup import telemetry_of
from waitlist_api.services import Services
from waitlist_shared.correlation import Correlation

CORRELATION = Correlation()
METRICS = MetricsCollector()


class Context(Protocol):
    """What is used of Lambda's context."""

    invoked_function_arn: str
    aws_request_id: str

    def get_remaining_time_in_millis(self) -> int:
        """Return the time until Lambda ends the run."""


def lambda_handler(event: dict[str, Any], context: Context) -> None:
    """Look after `waitlist_id` if the event names one, after everything otherwise."""
    lines().told(event, context.aws_request_id, lambda: _run(event, context))


def _run(event: dict[str, Any], context: Context) -> None:
    left_millis = context.get_remaining_time_in_millis
    waitlist_id = event.get("waitlist_id")
    if waitlist_id:
        runner(context.invoked_function_arn).run_one(str(waitlist_id), left_millis)
    else:
        runner(context.invoked_function_arn).run_all(left_millis)


@cache
def runner(function_arn: str) -> MaintenanceRunner:
    """Compose the runner once per process, from the environment.

    A rebuild that stops for lack of time asks for another run of this very function, by the name
    it was called by: that of the alias, which is all that its role may call.
    """
    config = replace(Config.from_env(os.environ), maintenance_function_name=function_arn)
    services = Services.on(
        config,
        dynamodb_client(),
        patient_lambda_client(),
        correlation=CORRELATION,
        metrics=METRICS,
    )
    # What there is by now stays: the collector need not look through it with everything new.
    gc.freeze()
    return services.maintenance


@cache
def lines() -> RunLog:
    """Compose what tells of runs once per process, from the environment."""
    telemetry = telemetry_of("maintenance", os.environ, CORRELATION)
    return RunLog(telemetry, CORRELATION, METRICS)
