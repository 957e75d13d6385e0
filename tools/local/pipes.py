"""The events that EventBridge makes of a table's stream by the template's filters and texts."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tools.local.table import read_template

Item = dict[str, Any]
STACK = "waitlist-prod"
PLACEHOLDER = re.compile(r"<([^<>]+)>")
# When a pipe reads a record, if the caller does not say.
INGESTION_TIME = "2026-09-22T15:42:59Z"
# EventBridge drops quotes from a value within quotes and escapes nothing, so only these characters
# are safe.
HARMLESS = re.compile(r"[\w:.#-]*")


@dataclass(frozen=True)
class Pipe:
    """One pipe of the template."""

    properties: Item

    def lets_through(self, record: Item) -> bool:
        """Return whether one of the filters matches; they use the language of rules' patterns."""
        # moto takes 0.2 s to import; only lists with messages and webhooks need it.
        from moto.events.models import EventPattern

        filters = self.properties["SourceParameters"]["FilterCriteria"]["Filters"]
        patterns: Any = [EventPattern(None, json.loads(one["Pattern"])) for one in filters]
        return any(pattern.matches_event(record) for pattern in patterns)

    @property
    def names(self) -> Item:
        """The source and detail type of all its events."""
        names = self.properties["TargetParameters"]["EventBridgeEventBusParameters"]
        source = names["Source"]["Fn::Sub"].replace("${AWS::StackName}", STACK)
        return {"source": source, "detail-type": names["DetailType"]}

    def made_of(self, record: Item, read_at: str) -> Item:
        """Return the event that the bus gets."""
        template = self.properties["TargetParameters"]["InputTemplate"]
        return {**self.names, "detail": json.loads(filled(template, record, read_at))}


def pipes() -> list[Pipe]:
    return [
        Pipe(resource["Properties"])
        for resource in read_template()["Resources"].values()
        if resource["Type"] == "AWS::Pipes::Pipe"
    ]


def events_of(records: Iterable[Item], read_at: str = INGESTION_TIME) -> list[Item]:
    """Return all events that a bus gets from a stream, in the stream's order."""
    all_ = pipes()
    return [
        pipe.made_of(one, read_at) for one in records for pipe in all_ if pipe.lets_through(one)
    ]


def details_of(records: Iterable[Item], read_at: str = INGESTION_TIME) -> list[Item]:
    return [event["detail"] for event in events_of(records, read_at)]


def filled(template: str, record: Item, read_at: str) -> str:
    """Put values into an input template: as text within quotes, as JSON outside of them."""

    def value(placeholder: re.Match[str]) -> str:
        found = _value(placeholder[1], record, read_at)
        if template.count('"', 0, placeholder.start()) % 2 == 0:
            return json.dumps(found)
        assert isinstance(found, str), placeholder[1]
        assert HARMLESS.fullmatch(found), found
        return found

    return PLACEHOLDER.sub(value, template)


def _value(name: str, record: Item, read_at: str) -> Any:
    """Return a placeholder's value; AWS does not document what a missing one becomes."""
    if name == "aws.pipes.event.ingestion-time":
        return read_at
    first, *path = name.split(".")
    assert first == "$", name
    found: Any = record
    for step in path:
        found = found[step]
    return found
