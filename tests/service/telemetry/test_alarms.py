"""Tests that the template's alarms and dashboard use only metrics that exist. An alarm with a
misspelt metric would never go off.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.deployment.deployed import deployed
from tests.deployment.documents import read_tables
from tests.service.privacy.deployment import NAMESPACE, Deployment
from tests.service.privacy.drives import (
    ADMIN,
    CLAIM,
    ENTRIES,
    ENTRY,
    SETTINGS,
    hold,
    prepare,
    sign_up,
)
from tests.service.telemetry.captured_logs import captured_logs, metrics_of
from waitlist_api.maintenance.run_log import COUNTS, LEVELS

Metric = tuple[str, str, frozenset[tuple[str, str]]]
STACK = NAMESPACE.removeprefix("Waitlist/")
EXISTING = {
    "ExistingVpcId": "vpc-0a1b2c3d",
    "ExistingSubnetIds": "subnet-0a1b2c3d,subnet-1a2b3c4d",
    "ExistingSecurityGroupId": "sg-0a1b2c3d",
    "ExistingRedisUrl": "rediss://redis.example.com:6379",
}
NODE = EXISTING | {"ExistingRedisNodeId": "redis-001"}
TOPIC = {"AlarmTopicArn": "arn:aws:sns:us-east-1:123456789012:alarms"}
ESSENTIAL = {"Monitoring": "essential"}
SENDERS = {"MailFrom": "line@example.com", "WebhookUrl": "https://example.com/hook"}
every_stack = pytest.mark.parametrize("parameters", [{}, NODE], ids=["own redis", "node"])
# The metrics that AWS itself reports, with their dimensions, as each service's documentation
# describes them.
OF_AWS = {
    ("AWS/ApiGateway", "ApiId"): {"Count", "4xx", "5xx", "Latency"},
    ("AWS/Lambda", "FunctionName"): {
        "Invocations",
        "Errors",
        "Throttles",
        "ConcurrentExecutions",
        "IteratorAge",
    },
    ("AWS/Lambda", "ExecutedVersion", "FunctionName", "Resource"): {"Errors"},
    ("AWS/DynamoDB", "GlobalSecondaryIndexName", "TableName"): {"WriteThrottleEvents"},
    ("AWS/DynamoDB", "TableName"): {
        "ReadThrottleEvents",
        "WriteThrottleEvents",
        "ConsumedReadCapacityUnits",
        "ConsumedWriteCapacityUnits",
    },
    ("AWS/SQS", "QueueName"): {"ApproximateNumberOfMessagesVisible"},
    ("AWS/SES",): {"Reputation.BounceRate", "Reputation.ComplaintRate"},
    ("AWS/CloudFront", "DistributionId", "Region"): {"Requests", "4xxErrorRate", "5xxErrorRate"},
    ("AWS/ElastiCache", "clusterId"): {
        "BytesUsedForCache",
        "ElastiCacheProcessingUnits",
        "ThrottledCmds",
    },
    ("AWS/ElastiCache", "CacheClusterId"): {
        "DatabaseMemoryUsagePercentage",
        "EngineCPUUtilization",
    },
}
# The metrics that maintenance always reports as zero, because they count requests. The dashboard's
# maintenance chart leaves them out.
OF_REQUESTS = {"cold_guards"}
ALARMS = {
    "ErrorsAlarm",
    "LatencyAlarm",
    "PrivateErrorsAlarm",
    "PrivateFailuresAlarm",
    "PrivateThrottlesAlarm",
    "WriteThrottlesAlarm",
    "IndexThrottlesAlarm",
    "RedisMemoryAlarm",
    "RedisCpuAlarm",
    "StuckIntentsAlarm",
    "AdmissionsOverdueAlarm",
    "MaintenanceBehindAlarm",
    "ListsUncheckedAlarm",
    "ParkedGrowthAlarm",
    "SignupGrowthAlarm",
    "WriteUnitsAlarm",
    "RebuildRunningLongAlarm",
    "MaintenanceSilentAlarm",
}


@pytest.fixture(scope="module")
def emitted() -> Iterator[set[Metric]]:
    with captured_logs() as kept:
        prepare(kept.service)
        other = sign_up(kept.service, "another").json()
        kept.service.customer("DELETE", f"{ENTRIES}/{other['entry_id']}", other["entry_token"])
        kept.service.operator("POST", f"{CLAIM}/complete", json={"claim_token": hold(kept.service)})
        admit(kept.service)
        kept.service.redis.flushall()
        kept.service.customer("GET", ENTRY)
        kept.service.maintain()
        yield set().union(*map(metrics_of, kept.lines()))


def admit(service: Deployment) -> None:
    assert service.operator("PUT", ADMIN, json={**SETTINGS, "admission": {}}).is_success
    guest = sign_up(service, "guest").json()
    assert service.operator("POST", f"{ADMIN}/admit", json={"count": 1}).json()["entries"]
    for verb in ("enter", "exit"):
        path = f"{ENTRIES}/{guest['entry_id']}/{verb}"
        assert service.customer("POST", path, guest["entry_token"]).is_success


@every_stack
def test_alarms_use_only_metrics_that_exist(
    emitted: set[Metric], parameters: dict[str, str]
) -> None:
    for name, alarm in alarms(parameters).items():
        for metric in metrics_in(alarm):
            assert is_known(metric, emitted), (name, metric)


@every_stack
def test_the_dashboard_shows_only_metrics_that_exist(
    emitted: set[Metric], parameters: dict[str, str]
) -> None:
    shown = list(shown_metrics(parameters))
    for metric in shown:
        assert is_known(metric, emitted), metric
    assert len(shown) > 30


def test_the_dashboard_shows_every_metric_of_maintenance() -> None:
    shown = {name for _, name, keys in shown_metrics({}) if ("service", "maintenance") in keys}
    assert shown == {*COUNTS, *LEVELS} - OF_REQUESTS


@pytest.mark.parametrize("parameters", [{}, NODE, EXISTING], ids=["own", "node", "no node"])
def test_the_dashboard_shows_every_alarm(parameters: dict[str, str]) -> None:
    (widget,) = [one for one in dashboard(parameters)["widgets"] if one["type"] == "alarm"]
    shown = [one.removesuffix(".Arn") for one in widget["properties"]["alarms"]]
    assert sorted(shown) == sorted(alarms(parameters))


def test_searches_of_the_dashboard_find_what_is_emitted(emitted: set[Metric]) -> None:
    found = [
        (namespace, name, set(dimensions.split(",")), pairs)
        for expression in searches()
        for namespace, dimensions, pairs, name in re.findall(SEARCH, expression)
    ]
    assert len(found) == len(searches()) == 2
    for namespace, name, dimensions, pairs in found:
        assert namespace == NAMESPACE
        assert {one for _, one in re.findall(r'(NOT )?(\w+)="', pairs)} <= dimensions
        assert any(
            metric == name and {key for key, _ in keys} == dimensions for _, metric, keys in emitted
        )


SEARCH = r"""SEARCH\('\{"([^"]+)",([\w,]+)\} (.*) MetricName="(\w+)"'"""


def test_a_metric_that_is_misspelt_would_be_found(emitted: set[Metric]) -> None:
    maintenance = frozenset({("service", "maintenance")})
    assert is_known((NAMESPACE, "intents_stuck", maintenance), emitted)
    assert not is_known((NAMESPACE, "intent_stuck", maintenance), emitted)
    assert not is_known((NAMESPACE, "intents_stuck", frozenset({("service", "x")})), emitted)
    assert not is_known(("AWS/ElastiCache", "CPU", frozenset({("clusterId", "x")})), emitted)


def test_there_is_an_alarm_for_each_trouble() -> None:
    assert set(alarms({})) >= ALARMS
    assert ALARMS - set(alarms(EXISTING)) == {"RedisMemoryAlarm", "RedisCpuAlarm"}
    assert set(alarms(NODE)) >= ALARMS


def test_an_alarm_notifies_its_topic_of_its_end_too() -> None:
    quiet, loud = alarms({}), alarms(TOPIC)
    for name in ALARMS:
        assert not {"AlarmActions", "OKActions"} & set(quiet[name]), name
        actions = [{"Ref": "AlarmTopicArn"}]
        assert loud[name]["AlarmActions"] == loud[name]["OKActions"] == actions, name


def test_an_alarm_describes_the_first_step_and_missing_data() -> None:
    found = alarms({})
    for name in ALARMS:
        alarm = found[name]
        assert " First " in alarm["AlarmDescription"], name
        assert alarm["AlarmDescription"].endswith("docs/operate/alarms.md"), name
        assert len(alarm["AlarmDescription"]) <= 1024
        assert "TreatMissingData" in alarm, name
    assert found["MaintenanceSilentAlarm"]["TreatMissingData"] == "breaching"


def test_the_document_lists_each_alarm_and_marks_those_that_are_not_essential() -> None:
    (table,) = read_tables("docs/operate/alarms.md")
    listed = {
        name: re.search(r"\(full\b", row["alarm"]) is not None
        for row in table
        for name in re.findall(r"`(\w+Alarm)`", row["alarm"])
    }
    every = {
        "Edge": "on",
        "AWS::Region": "us-east-1",
        "WebhookUrl": "https://example.com/hook",
        "MailFrom": "line@example.com",
        "BotCheck": "turnstile",
        "BotCheckSiteKey": "key",
    }
    full, essential = alarms(every), alarms(every | ESSENTIAL)
    assert listed == {name: name not in essential for name in full | essential}


@every_stack
def test_the_dashboard_has_room_for_all_that_it_shows(parameters: dict[str, str]) -> None:
    cells: set[tuple[int, int]] = set()
    for widget in dashboard(parameters)["widgets"]:
        area = {
            (x, y)
            for x in range(widget["x"], widget["x"] + widget["width"])
            for y in range(widget["y"], widget["y"] + widget["height"])
        }
        assert not cells & area, widget["properties"]["title"]
        assert max(x for x, _ in area) < 24
        cells |= area


def alarms(parameters: dict[str, str]) -> dict[str, dict[str, Any]]:
    return {
        name: resource["Properties"]
        for name, resource in deployed(parameters).items()
        if resource["Type"] == "AWS::CloudWatch::Alarm"
    }


def metrics_in(alarm: dict[str, Any]) -> Iterator[Metric]:
    stats = [one["MetricStat"]["Metric"] for one in alarm.get("Metrics", []) if "MetricStat" in one]
    for metric in stats or [alarm]:
        dimensions = {(one["Name"], rendered(one["Value"])) for one in metric["Dimensions"]}
        yield rendered(metric["Namespace"]), metric["MetricName"], frozenset(dimensions)


def is_known(metric: Metric, emitted: set[Metric]) -> bool:
    namespace, name, dimensions = metric
    if not namespace.startswith("AWS/"):
        return metric in emitted
    keys = sorted(key for key, _value in dimensions)
    return name in OF_AWS[namespace, *keys]


def dashboard(parameters: dict[str, str]) -> Any:
    return json.loads(rendered(deployed(parameters)["Dashboard"]["Properties"]["DashboardBody"]))


def shown_metrics(parameters: dict[str, str]) -> Iterator[Metric]:
    for row in rows(parameters):
        words = [word for word in row if isinstance(word, str)]
        if words:
            namespace, name, *pairs = words
            yield namespace, name, frozenset(zip(pairs[::2], pairs[1::2], strict=True))


def searches() -> list[str]:
    return [row[0]["expression"] for row in rows({}) if isinstance(row[0], dict)]


def rows(parameters: dict[str, str]) -> list[list[Any]]:
    widgets = dashboard(parameters)["widgets"]
    return [row for widget in widgets for row in widget["properties"].get("metrics", [])]


def rendered(value: Any) -> str:
    """Return the text that CloudFormation makes of a value.

    A reference to a resource becomes the resource's name in the template.
    """
    if isinstance(value, str):
        return value
    if "Ref" in value:
        return str(value["Ref"])
    if "Fn::GetAtt" in value:
        return str(value["Fn::GetAtt"][0])
    substituted = value["Fn::Sub"]
    text, given = substituted if isinstance(substituted, list) else (substituted, {})
    names = {"AWS::StackName": STACK} | {name: rendered(one) for name, one in given.items()}
    return re.sub(r"\$\{([\w:.]+)\}", lambda found: str(names.get(found[1], found[1])), text)
