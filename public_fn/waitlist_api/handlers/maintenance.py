"""The maintenance function, which runs every minute for all waitlists, and on demand for a
single waitlist.
"""

import os
from functools import cache
from typing import Any, Protocol

from msgspec.structs import replace

from waitlist_api.aws.clients import dynamodb_client, patient_lambda_client
from waitlist_api.config import Config
from waitlist_api.maintenance.run_log import RunLog
from waitlist_api.maintenance.runner import MaintenanceRunner
from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.observability.setup import set_up_telemetry
from waitlist_api.services import Services
from waitlist_shared.correlation import Correlation

CORRELATION = Correlation()
METRICS = MetricsCollector()


class Context(Protocol):
    """The part of a Lambda context that this module uses."""

    invoked_function_arn: str
    aws_request_id: str

    def get_remaining_time_in_millis(self) -> int:
        """Return the milliseconds that are left before Lambda's timeout."""


def lambda_handler(event: dict[str, Any], context: Context) -> None:
    """Maintain the waitlist in the event, or all waitlists if the event contains none."""
    run_log().run(event, context.aws_request_id, lambda: _run(event, context))


def _run(event: dict[str, Any], context: Context) -> None:
    left_millis = context.get_remaining_time_in_millis
    waitlist_id = event.get("waitlist_id")
    if waitlist_id:
        runner(context.invoked_function_arn).run_one(str(waitlist_id), left_millis)
    else:
        runner(context.invoked_function_arn).run_all(left_millis)


@cache
def runner(function_arn: str) -> MaintenanceRunner:
    """Create the maintenance runner from the environment variables, once per process."""
    config = replace(Config.from_env(os.environ), maintenance_function_name=function_arn)
    services = Services.on(
        config,
        dynamodb_client(),
        patient_lambda_client(),
        correlation=CORRELATION,
        metrics=METRICS,
    )
    return services.get(MaintenanceRunner)


@cache
def run_log() -> RunLog:
    """Create the run log from the environment variables, once per process."""
    telemetry = set_up_telemetry("maintenance", os.environ, CORRELATION)
    return RunLog(telemetry, CORRELATION, METRICS)
