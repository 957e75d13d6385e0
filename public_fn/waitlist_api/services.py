"""Create the services and connect them to each other."""

import time
from collections.abc import Callable
from functools import cache
from typing import Any, Self, TypeVar

from msgspec.structs import fields

from waitlist_api.clock import NowMillis, now_millis
from waitlist_api.config import Config
from waitlist_api.observability.metrics import MetricsCollector, Timed
from waitlist_api.queue.client import QueueClient
from waitlist_api.records.table import Table
from waitlist_api.settings.stack import Stack
from waitlist_shared.correlation import Correlation

Pause = Callable[[float], None]
Service = TypeVar("Service")


class Services:
    """Creates each service when it is first used.

    A field whose type is another service is filled with that service.
    """

    def __init__(self, given: dict[Any, Any]) -> None:
        self._made = {**given, Services: self}

    @classmethod
    def on(
        cls,
        config: Config,
        dynamodb: Any,
        lambda_: Any,
        now_millis: NowMillis = now_millis,
        pause: Pause = time.sleep,
        *,
        correlation: Correlation | None = None,
        metrics: MetricsCollector | None = None,
    ) -> Self:
        """Connect the services to AWS."""
        metrics = metrics or MetricsCollector()
        queue = QueueClient(
            Timed(lambda_, metrics, "queue_ms"),
            config.private_function_name,
            config.maintenance_function_name,
            correlation or Correlation(),
            config.messages_function_name,
        )
        given: dict[Any, Any] = {
            NowMillis: now_millis,
            Pause: pause,
            Stack: Stack(
                has_accounts=bool(config.jwt_issuer),
                channels=frozenset(config.message_channels),
                checks_bots=bool(config.bot_check),
            ),
            MetricsCollector: metrics,
            Table: Table(Timed(dynamodb, metrics, "record_ms"), config.table_name, pause),
            QueueClient: queue,
        }
        return cls(given)

    def replaced(self, given: dict[Any, Any]) -> "Services":
        """Return a copy of the services in which each given object replaces the object of its type.

        The copy shares all other objects with the original.
        """
        return Services({**self._made, **given})

    def get(self, kind: type[Service]) -> Service:
        """Return the service of the given type, creating it if it does not exist yet."""
        service: Service = self._make(kind)
        return service

    def _make(self, kind: Any) -> Any:
        made = self._made
        if kind not in made:
            needed = [item for item in _fields(kind) if item.type in made or item.required]
            made[kind] = kind(**{item.name: self._make(item.type) for item in needed})
        return made[kind]


# Cache the fields of each type. Reading the fields of a type is slow, and tests create services
# often.
_fields = cache(fields)
