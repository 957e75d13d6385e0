"""A function publishes every change to the table on the event bus, at least once and in order. It
also publishes a heartbeat.
"""

import json
import logging
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from tests.service.bus.scene import Scene
from tests.service.bus.stories import signs_up
from tests.support.rights import BUS, guarded
from tools.local.bus import lets_through
from waitlist_api.events.changes import CHANGED, HEARTBEAT, event_of
from waitlist_api.events.forward import TOGETHER, Forwarder
from waitlist_api.handlers import events as events_handler

NOW_MILLIS = 1_790_000_000_000
READ_AT = "2026-09-21T14:13:20.000Z"


class Bus:
    """An EventBridge bus that refuses the next event of each entry in `refused`."""

    def __init__(self) -> None:
        self.calls: list[list[dict[str, Any]]] = []
        self.refused: set[str] = set()
        self.error: Exception | None = None

    @property
    def details(self) -> list[Any]:
        return [json.loads(one["Detail"]) for call in self.calls for one in call]

    def put_events(self, Entries: list[dict[str, Any]]) -> dict[str, Any]:  # noqa: N803
        if self.error is not None:
            raise self.error
        results: list[dict[str, str]] = []
        taken = []
        for entry in Entries:
            if json.loads(entry["Detail"]).get("entry_id") in self.refused:
                results.append({"ErrorCode": "ThrottlingException", "ErrorMessage": "slow down"})
            else:
                results.append({"EventId": "1"})
                taken.append(entry)
        self.calls.append(taken)
        return {"FailedEntryCount": len(Entries) - len(taken), "Entries": results}


@pytest.fixture
def bus() -> Bus:
    return Bus()


def forwarder(bus: Bus) -> Forwarder:
    return Forwarder(guarded("EventsFn", bus), BUS, "waitlist.waitlist-prod", lambda: NOW_MILLIS)


def batch(scene: Scene) -> list[dict[str, Any]]:
    """Return the stream records that pass the function's filter, with sequence numbers."""
    return [
        {**record, "dynamodb": {**record["dynamodb"], "SequenceNumber": f"{number:021d}"}}
        for number, record in enumerate(scene.table.records)
        if lets_through(record)
    ]


def changes(number: int) -> list[dict[str, Any]]:
    scene = Scene()
    signs_up(scene)
    (one, *_) = [one for one in batch(scene) if event_of(one, READ_AT) is not None]
    return [
        {**one, "dynamodb": {**one["dynamodb"], "SequenceNumber": f"{number:021d}"}}
        for number in range(number)
    ]


def test_the_changes_reach_the_bus_in_their_order(bus: Bus) -> None:
    scene = Scene()
    signs_up(scene)
    assert scene.people.leave("ada").status == 204
    assert forwarder(bus).forward(batch(scene)) is None
    assert bus.details == scene.details()
    ((first, *_), *_) = bus.calls
    assert {name: first[name] for name in ("EventBusName", "Source", "DetailType")} == {
        "EventBusName": BUS,
        "Source": "waitlist.waitlist-prod",
        "DetailType": CHANGED,
    }


def test_the_bus_gets_at_most_ten_events_in_a_call(bus: Bus) -> None:
    assert forwarder(bus).forward(changes(2 * TOGETHER + 3)) is None
    assert [len(call) for call in bus.calls] == [10, 10, 3]


def test_a_refused_event_is_sent_again_with_all_later_records(
    bus: Bus, caplog: pytest.LogCaptureFixture
) -> None:
    """If the bus refuses an event, the function hands this record and all later ones back to
    Lambda. Lambda sends them again, which keeps the events in order.
    """
    scene = Scene()
    signs_up(scene)
    assert scene.people.leave("bob").status == 204
    records = batch(scene)
    bus.refused = {scene.people.id_of("ada")}
    refused = forwarder(bus).forward(records)
    assert "ThrottlingException" in caplog.text
    bus.refused.clear()
    numbers = [record["dynamodb"]["SequenceNumber"] for record in records]
    assert refused is not None
    assert forwarder(bus).forward(records[numbers.index(refused) :]) is None
    sent = [(one["entry_id"], one["stamp"]) for one in bus.details]
    assert set(sent) == {(one["entry_id"], one["stamp"]) for one in scene.details()}
    of_bob = [stamp for entry, stamp in sent if entry == scene.people.id_of("bob")]
    assert of_bob == sorted(of_bob, key=int)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ClientError({"Error": {"Code": "AccessDenied"}}, "PutEvents"), "AccessDenied"),
        (EndpointConnectionError(endpoint_url="https://bus"), "EndpointConnectionError"),
    ],
)
def test_a_bus_that_does_not_answer_gets_the_whole_batch_again(
    bus: Bus, caplog: pytest.LogCaptureFixture, error: Exception, reason: str
) -> None:
    records = changes(3)
    bus.error = error
    assert forwarder(bus).forward(records) == records[0]["dynamodb"]["SequenceNumber"]
    (line,) = [one for one in caplog.records if one.levelno == logging.WARNING]
    assert line.getMessage() == f"the event bus did not accept a call: {reason}"


def test_each_maintenance_run_publishes_a_heartbeat(bus: Bus) -> None:
    """Each maintenance run changes an item in the table, so that a heartbeat is published. A write
    that changes nothing would not appear in DynamoDB's stream.
    """
    scene = Scene()
    for _minute in range(2):
        scene.world.maintain()
        scene.world.advance(60)
    records = [one for one in batch(scene) if one["dynamodb"]["Keys"]["sk"]["S"] == "ROUND"]
    forwarder(bus).forward(records)
    beats = [entry for call in bus.calls for entry in call]
    assert len(beats) >= 2
    assert {one["DetailType"] for one in beats} == {HEARTBEAT}
    assert bus.details[0] == {"event": "heartbeat", "at": READ_AT}


def test_lambda_is_told_the_record_to_go_on_with(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events_handler, "forwarder", lambda: forwarder(bus))
    records = changes(1)
    assert events_handler.lambda_handler({"Records": records}, None) == {"batchItemFailures": []}
    bus.error = EndpointConnectionError(endpoint_url="https://bus")
    number = records[0]["dynamodb"]["SequenceNumber"]
    assert events_handler.lambda_handler({"Records": records}, None) == {
        "batchItemFailures": [{"itemIdentifier": number}]
    }


def test_the_function_is_composed_from_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVENT_BUS_NAME", "waitlist-events")
    monkeypatch.setenv("EVENT_SOURCE", "waitlist.waitlist")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    events_handler.forwarder.cache_clear()
    made = events_handler.forwarder()
    events_handler.forwarder.cache_clear()
    assert (made.bus_name, made.source) == ("waitlist-events", "waitlist.waitlist")
