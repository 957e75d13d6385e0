"""Tests that events reach the event bus in order and without loss.

A function reads them from the DynamoDB table's stream.
"""

from typing import Any

import pytest

from tests.deployment.deployed import deployed
from tests.deployment.template import TEMPLATE, functions, named
from tools.local.bus import STREAM

EVENTS_FN = functions()["EventsFn"]
READING: dict[str, Any] = EVENTS_FN["Events"][STREAM]["Properties"]
# DynamoDB allows two readers for each shard of a stream. A third reader would cause throttling for
# all of them.
READERS = 2
HOUR = 3600
STREAM_KEEPS_SECONDS = 24 * HOUR


def attribute(resource: str, name: str) -> dict[str, Any]:
    return {"Fn::GetAtt": [resource, name]}


def test_operators_can_add_a_reader_to_the_stream() -> None:
    mappings = [
        mapping
        for mapping in deployed().values()
        if mapping["Type"] == "AWS::Lambda::EventSourceMapping" and "Stream" in str(mapping)
    ]
    assert len(mappings) < READERS
    assert not named("AWS::Pipes::Pipe")


def test_a_failed_batch_is_retried_in_order_for_hours() -> None:
    """If the events function fails, Lambda retries the same batch for hours, so the events stay in
    order.

    After Lambda gives up, the events remain in the stream for at least as long as Lambda has
    retried (promise P3).
    """
    assert READING["MaximumRetryAttempts"] == -1
    assert HOUR <= READING["MaximumRecordAgeInSeconds"] <= STREAM_KEEPS_SECONDS / 2
    assert READING["ParallelizationFactor"] == 1
    # The function reports the first failed record of a batch. If the function crashes before it can
    # do so, Lambda splits the batch and tries again.
    assert READING["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert READING["BisectBatchOnFunctionError"] is True
    given_up = READING["DestinationConfig"]["OnFailure"]
    assert given_up == {"Type": "SQS", "Destination": attribute("UndeliveredEvents", "Arn")}


@pytest.mark.parametrize(("events", "is_read"), [("on", True), ("off", False)])
def test_events_are_on_unless_switched_off(events: str, is_read: bool) -> None:
    assert TEMPLATE["Parameters"]["Events"]["Default"] == "on"
    mapping = deployed({"Events": events})["EventsFnStream"]["Properties"]
    assert mapping["Enabled"] is is_read
