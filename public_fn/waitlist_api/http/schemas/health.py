"""The response of the health check."""

from typing import Literal

from waitlist_api.http.schemas.common import Model


class HealthAnswer(Model):
    status: Literal["ok", "degraded"]
    queue: Literal["ok", "unavailable"]
    record: Literal["ok", "unavailable"]
