"""The pipes from the table to the bus: they lose no events, and log no personal data."""

import json
from typing import Any

import pytest

from tests.deployment.deployed import deployed
from tests.deployment.template import RESOURCES, TEMPLATE, named
from tests.service.bus.stories import WORDS

PIPES = named("AWS::Pipes::Pipe")
BOTH = pytest.mark.parametrize("name", PIPES)
# Two readers of a shard, DynamoDB says; a third would be throttled, and throttle these.
READERS = 2
# What PutEvents takes at once.
BATCH = 10
HOUR = 3600
STREAM_KEEPS_SECONDS = 24 * HOUR


def attribute(resource: str, name: str) -> dict[str, Any]:
    return {"Fn::GetAtt": [resource, name]}


# Of the table in use.
STREAM = {
    "Fn::If": [
        "UsesExistingTable",
        {"Ref": "ExistingTableStreamArn"},
        attribute("WaitlistTable", "StreamArn"),
    ]
}


def test_the_stream_has_no_more_readers_than_it_bears() -> None:
    readers = [name for name, pipe in PIPES.items() if "WaitlistTable" in str(pipe["Source"])]
    mappings = named("AWS::Lambda::EventSourceMapping")
    assert len(readers) + len(mappings) <= READERS
    functions = str(named("AWS::Serverless::Function"))
    assert "StreamArn" not in functions


@BOTH
def test_a_pipe_goes_from_the_tables_stream_to_the_stacks_bus(name: str) -> None:
    pipe = PIPES[name]
    assert pipe["Source"] == STREAM
    assert pipe["Target"] == attribute("EventBus", "Arn")
    assert "Enrichment" not in pipe, "no code in between"


@BOTH
def test_a_pipe_tries_long_and_keeps_the_order(name: str) -> None:
    """P3: what is given up is still in the stream for as long again."""
    reading = PIPES[name]["SourceParameters"]["DynamoDBStreamParameters"]
    assert reading["MaximumRetryAttempts"] == -1
    assert HOUR <= reading["MaximumRecordAgeInSeconds"] <= STREAM_KEEPS_SECONDS / 2
    assert reading["OnPartialBatchItemFailure"] == "AUTOMATIC_BISECT"
    assert reading["DeadLetterConfig"] == {"Arn": attribute("UndeliveredEvents", "Arn")}
    assert reading["ParallelizationFactor"] == 1
    assert reading["BatchSize"] <= BATCH


def test_undelivered_events_are_kept_encrypted_for_two_weeks() -> None:
    queue = named("AWS::SQS::Queue")["UndeliveredEvents"]
    assert queue == {"SqsManagedSseEnabled": True, "MessageRetentionPeriod": 14 * 24 * HOUR}


@BOTH
def test_a_pipe_logs_no_records(name: str) -> None:
    """P8: the execution data are whole records."""
    assert PIPES[name]["LogConfiguration"] == {
        "Level": "ERROR",
        "CloudwatchLogsLogDestination": {"LogGroupArn": attribute("EventPipesLogGroup", "Arn")},
    }


def test_pipes_of_other_accounts_cannot_take_the_role() -> None:
    (trust,) = named("AWS::IAM::Role")["EventPipesRole"]["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Condition"] == {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}


def test_each_event_comes_from_one_pipe() -> None:
    """P2: of one change not two events."""
    (changes,) = PIPES["ChangesPipe"]["SourceParameters"]["FilterCriteria"]["Filters"]
    taken = json.loads(changes["Pattern"])["dynamodb"]["NewImage"]["event"]["S"]
    assert '{"event": "erased",' in PIPES["ErasuresPipe"]["TargetParameters"]["InputTemplate"]
    assert [*taken, "erased"] == list(WORDS)


@pytest.mark.parametrize(("events", "state"), [("on", "RUNNING"), ("off", "STOPPED")])
def test_events_are_on_unless_switched_off(events: str, state: str) -> None:
    assert TEMPLATE["Parameters"]["Events"]["Default"] == "on"
    made = deployed({"Events": events})
    assert {made[name]["Properties"]["DesiredState"] for name in PIPES} == {state}


def test_an_alarm_notifies_of_what_is_not_delivered() -> None:
    alarm = RESOURCES["EventsUndeliveredAlarm"]["Properties"]
    (sum_, *metrics) = alarm["Metrics"]
    watched = [
        (one["MetricName"], one["Dimensions"][0]["Value"])
        for one in (metric["MetricStat"]["Metric"] for metric in metrics)
    ]
    # Of a batch that is taken in part the rest is tried again, too.
    failures = ("ExecutionFailed", "ExecutionPartiallyFailed")
    assert watched == [
        ("ApproximateNumberOfMessagesVisible", attribute("UndeliveredEvents", "QueueName")),
        *((failure, {"Ref": name}) for name in PIPES for failure in failures),
    ]
    assert all(f"FILL({one['Id']}, 0)" in sum_["Expression"] for one in metrics)
    topic = "arn:aws:sns:us-east-1:1:alarms"
    notified = deployed({"AlarmTopicArn": topic})["EventsUndeliveredAlarm"]["Properties"]
    assert notified["AlarmActions"] == notified["OKActions"] == [{"Ref": "AlarmTopicArn"}]
    assert "AlarmActions" not in deployed()["EventsUndeliveredAlarm"]["Properties"]
