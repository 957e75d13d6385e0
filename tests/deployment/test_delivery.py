"""Deployment of a new version: calls go to an alias, and alarms roll it back."""

import json
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from samtranslator.model.preferences.deployment_preference_collection import (
    CODEDEPLOY_PREDEFINED_CONFIGURATIONS_LIST,
)

from tests.deployment.deployed import deployed
from tests.deployment.template import RESOURCES, TEMPLATE, allowed, as_list, functions, named
from tests.rules.sources import ROOT

CONFIG = tomllib.loads((ROOT / "samconfig.toml").read_text(encoding="utf-8"))
WATCHED = ["PublicFn", "PrivateFn"]
# What may name a function itself: what makes its versions and moves its alias, what measures one
# of them, and the policy of the function that is not its own caller.
BY_ITSELF = {
    "AWS::Lambda::Version",
    "AWS::Lambda::Alias",
    "AWS::Lambda::EventInvokeConfig",
    "AWS::CloudWatch::Alarm",
    "AWS::CloudWatch::Dashboard",
}


def references(value: Any) -> Iterator[str]:
    """Each logical id that something refers to, in whichever way."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "Ref":
                yield inner
            elif name == "Fn::GetAtt":
                yield as_list(inner)[0].split(".")[0]
            elif name == "Fn::Sub":
                text, *_ = as_list(inner)
                yield from (one.split(".")[0].split("}")[0] for one in text.split("${")[1:])
                yield from references(as_list(inner)[1:])
            else:
                yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def test_every_caller_of_a_function_calls_its_alias() -> None:
    """API Gateway, the schedule, the functions themselves and their policies."""
    calling = {
        name: set(references(resource)) & set(functions())
        for name, resource in deployed().items()
        if resource["Type"] not in BY_ITSELF and name != "DeploymentRole"
    }
    assert {name: found for name, found in calling.items() if found} == {}


def test_events_that_wait_are_dropped_as_early_for_the_alias() -> None:
    config = deployed()["MaintenanceFnEventInvokeConfig"]["Properties"]
    assert config["Qualifier"] == "live"


@pytest.mark.parametrize("function", WATCHED)
def test_a_deployment_moves_calls_by_the_parameter_and_watches_an_alarm(
    function: str,
) -> None:
    preference = functions()[function]["DeploymentPreference"]
    assert preference["Type"] == {"Ref": "Deployment"}
    assert preference["Role"] == {"Fn::GetAtt": ["DeploymentRole", "Arn"]}
    canary = f"{function.removesuffix('Fn')}CanaryErrorsAlarm"
    assert _watched({"Deployment": "AllAtOnce"}, function) == [canary]
    judges = _watched({"Deployment": "Canary10Percent5Minutes"}, function)
    assert judges == _alarms(function)
    assert judges[:2] == [canary, "ErrorsAlarm"]


def _watched(parameters: dict[str, str], function: str) -> list[str]:
    group = deployed(parameters)[f"{function}DeploymentGroup"]["Properties"]
    assert "DEPLOYMENT_STOP_ON_ALARM" in group["AutoRollbackConfiguration"]["Events"]
    return [alarm["Name"]["Ref"] for alarm in group["AlarmConfiguration"]["Alarms"]]


def test_codedeploy_knows_every_way_to_deploy() -> None:
    ways = TEMPLATE["Parameters"]["Deployment"]["AllowedValues"]
    assert sorted(ways) == sorted(CODEDEPLOY_PREDEFINED_CONFIGURATIONS_LIST)


def test_codedeploy_may_move_the_aliases_see_their_alarms_and_do_nothing_else() -> None:
    alarms = [alarm for name in WATCHED for alarm in _alarms(name)]
    may: dict[str, list[Any]] = {action: [] for action, _ in allowed("DeploymentRole")}
    for action, resource in allowed("DeploymentRole"):
        may[action].append(resource)
    functions_ = [{"Fn::GetAtt": [name, "Arn"]} for name in WATCHED]
    aliases = [{"Fn::Sub": f"${{{name}.Arn}}:live"} for name in WATCHED]
    versions = [{"Ref": f"{name}.Version"} for name in WATCHED]
    seen = [{"Fn::GetAtt": [alarm, "Arn"]} for alarm in dict.fromkeys(alarms)]
    assert may == {
        "lambda:GetAlias": functions_ + aliases,
        "lambda:UpdateAlias": functions_ + aliases,
        "lambda:GetProvisionedConcurrencyConfig": aliases + versions,
        "cloudwatch:DescribeAlarms": seen,
    }


def _alarms(function: str) -> list[str]:
    _condition, _at_once, bit_by_bit = functions()[function]["DeploymentPreference"]["Alarms"][
        "Fn::If"
    ]
    return [alarm["Ref"] for alarm in bit_by_bit]


@pytest.mark.parametrize("function", WATCHED)
def test_a_canary_is_judged_by_the_version_that_the_alias_moves_to(function: str) -> None:
    stack = deployed()
    alias = stack[f"{function}Aliaslive"]["Properties"]
    alarm = stack[f"{function.removesuffix('Fn')}CanaryErrorsAlarm"]["Properties"]
    measured = [one["MetricStat"]["Metric"] for one in alarm["Metrics"] if "MetricStat" in one]
    assert [metric["MetricName"] for metric in measured] == ["Errors", "Invocations"]
    for metric in measured:
        dimensions = {one["Name"]: one["Value"] for one in metric["Dimensions"]}
        assert dimensions == {
            "FunctionName": {"Ref": function},
            "Resource": {"Fn::Sub": f"${{{function}}}:{alias['Name']}"},
            "ExecutedVersion": alias["FunctionVersion"],
        }
    assert alarm["TreatMissingData"] == "notBreaching"
    assert "docs/operations/upgrade.md" in alarm["AlarmDescription"]


SNAPSHOT = {"SnapStart": {"ApplyOn": "PublishedVersions"}}
READY = {
    "ProvisionedConcurrencyConfig": {
        "ProvisionedConcurrentExecutions": {"Ref": "ProvisionedConcurrency"}
    }
}


@pytest.mark.parametrize("function", ["PublicFn", "PrivateFn", "MaintenanceFn"])
@pytest.mark.parametrize("start_up", ["none", "snapstart", "provisioned"])
def test_what_people_wait_for_starts_by_the_parameter(function: str, start_up: str) -> None:
    """Never both, which Lambda refuses, and neither for maintenance, which no caller waits for."""
    stack = deployed({"StartUp": start_up})
    has = {
        name: stack[resource]["Properties"][name]
        for resource, name in (
            (function, "SnapStart"),
            (f"{function}Aliaslive", "ProvisionedConcurrencyConfig"),
        )
        if name in stack[resource]["Properties"]
    }
    chosen = {"none": {}, "snapstart": SNAPSHOT, "provisioned": READY}[start_up]
    assert has == ({} if function == "MaintenanceFn" else chosen)


@pytest.mark.parametrize("environment", ["default", "dev", "prod"])
def test_a_configured_deployment_fits_the_template(environment: str) -> None:
    given = parameters_of(environment)
    for name, value in given.items():
        parameter = TEMPLATE["Parameters"][name]
        allowed_values = parameter.get("AllowedValues", [value])
        assert value in map(str, allowed_values), name
        if parameter["Type"] == "Number":
            assert int(value) >= parameter.get("MinValue", 0), name


def test_prod_moves_calls_bit_by_bit_and_dev_at_once() -> None:
    assert parameters_of("prod")["Deployment"].startswith("Canary")
    assert parameters_of("dev")["Deployment"] == "AllAtOnce"


def parameters_of(environment: str) -> dict[str, str]:
    given = CONFIG[environment]["deploy"]["parameters"].get("parameter_overrides", "")
    pairs = given.split() if isinstance(given, str) else given
    return dict(pair.split("=", 1) for pair in pairs)


EXISTING = {
    "ExistingTableName": "restored",
    "ExistingTableStreamArn": "arn:aws:dynamodb:eu-central-1:123456789012:table/restored/stream/1",
}


def test_a_stack_with_a_restored_table_uses_that_alone_and_keeps_its_own() -> None:
    """P3: going back is the same parameter, emptied, and finds what was there."""
    own = {name for name, found in _users_of_table({}).items() if "WaitlistTable" in found}
    existing = _users_of_table(EXISTING)
    functions = {"PublicFn", "MaintenanceFn", "PublicFnRole", "MaintenanceFnRole"}
    pipes = {"ChangesPipe", "ErasuresPipe", "EventPipesRole"}
    assert own == functions | pipes | {"Dashboard"}
    for name in own:
        assert EXISTING.keys() & existing[name], name
        assert "WaitlistTable" not in existing[name], name
    assert "WaitlistTable" in deployed(EXISTING)
    assert "Condition" not in RESOURCES["WaitlistTable"]


def _users_of_table(parameters: dict[str, str]) -> dict[str, set[str]]:
    types = {
        "AWS::Lambda::Function",
        "AWS::IAM::Role",
        "AWS::Pipes::Pipe",
        "AWS::CloudWatch::Dashboard",
    }
    return {
        name: set(references(resource))
        for name, resource in deployed(parameters).items()
        if resource["Type"] in types
    }


def test_the_outputs_name_the_table_in_use() -> None:
    outputs = TEMPLATE["Outputs"]
    used, given = ["UsesExistingTable"], "ExistingTableName"
    assert outputs["TableName"]["Value"] == {
        "Fn::If": [*used, {"Ref": given}, {"Ref": "WaitlistTable"}]
    }
    stream = {"Fn::GetAtt": ["WaitlistTable", "StreamArn"]}
    assert outputs["TableStreamArn"]["Value"] == {
        "Fn::If": [*used, {"Ref": "ExistingTableStreamArn"}, stream]
    }


def test_alarms_name_no_resource_that_a_deployment_replaces() -> None:
    """A name of one's own would stand in the way of the next alarm of that name."""
    for alarm in named("AWS::CloudWatch::Alarm").values():
        assert "AlarmName" not in json.dumps(alarm)
