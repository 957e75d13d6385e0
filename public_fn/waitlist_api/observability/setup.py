"""Configures logging from environment variables."""

import logging
from collections.abc import Mapping

from waitlist_api.config import Config
from waitlist_shared.correlation import Correlation
from waitlist_shared.telemetry import Telemetry


def set_up_telemetry(
    service: str, environ: Mapping[str, str], correlation: Correlation
) -> Telemetry:
    """Set the log level, and add the correlation id to all log records.

    Return the writer for structured log lines.
    """
    config = Config.from_env(environ)
    logging.getLogger("waitlist_api").setLevel(config.log_level)
    correlation.mark_log_records()
    return Telemetry(
        service,
        namespace=config.metrics_namespace,
        log_level=config.log_level,
        environ=environ,
    )
