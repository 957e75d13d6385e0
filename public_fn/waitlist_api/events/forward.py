"""Publishes events from DynamoDB stream records on the event bus, in order. Each event is published
at least once.
"""

import json
import logging
from collections.abc import Iterator, Sequence
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from msgspec import Struct

from waitlist_api.clock import NowMillis, iso
from waitlist_api.events.changes import BusEvent, event_of

logger = logging.getLogger(__name__)
# EventBridge accepts at most ten events per call.
TOGETHER = 10

# The sequence number of a stream record, and the event for that record.
Numbered = tuple[str, BusEvent]


class Forwarder(Struct, frozen=True):
    """Publishes events on an EventBridge event bus."""

    client: Any
    bus_name: str
    source: str
    now_millis: NowMillis

    def forward(self, records: Sequence[dict[str, Any]]) -> str | None:
        """Publish the events for these stream records.

        Return the sequence number of the first record that Lambda must redeliver, or None if all
        events have been published.
        """
        for numbered in self._batches(records):
            refused = self._put(numbered)
            if refused is not None:
                return refused
        return None

    def _batches(self, records: Sequence[dict[str, Any]]) -> Iterator[list[Numbered]]:
        read_at = iso(self.now_millis())
        found = [
            (str(record["dynamodb"]["SequenceNumber"]), event)
            for record in records
            if (event := event_of(record, read_at)) is not None
        ]
        return (found[first : first + TOGETHER] for first in range(0, len(found), TOGETHER))

    def _put(self, numbered: list[Numbered]) -> str | None:
        try:
            answer = self.client.put_events(Entries=[self._entry(event) for _, event in numbered])
        except (BotoCoreError, ClientError) as error:
            logger.warning("the event bus did not accept a call: %s", _reason(error))
            return numbered[0][0]
        for (number, _), result in zip(numbered, answer["Entries"], strict=True):
            if "ErrorCode" in result:
                logger.warning("the event bus refused an event: %s", result["ErrorCode"])
                return number
        return None

    def _entry(self, event: BusEvent) -> dict[str, str]:
        return {
            "EventBusName": self.bus_name,
            "Source": self.source,
            "DetailType": event.detail_type,
            "Detail": json.dumps(event.detail),
        }


def _reason(error: BotoCoreError | ClientError) -> str:
    if isinstance(error, ClientError):
        return str(error.response.get("Error", {}).get("Code", "unknown"))
    return type(error).__name__
