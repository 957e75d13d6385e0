"""The response of the health check."""

from typing import Literal

from pydantic import BaseModel


class HealthAnswer(BaseModel):
    status: Literal["ok", "degraded"]
    queue: Literal["ok", "unavailable"]
    record: Literal["ok", "unavailable"]
