"""Tests that each deployment publishes a new version of a function and moves the function's alias
to it.

Callers use the alias. If an alarm goes off, CodeDeploy moves the alias back.
"""

import json
import re
from typing import Any

import pytest

from tests.deployment.deployed import deployed
from tests.deployment.template import RESOURCES, TEMPLATE, functions
from tools.deploy.lifecycle import references
from tools.deploy.samconfig import Settings
from tools.deploy.stack import make

WATCHED = ["PublicFn", "PrivateFn"]
# The alarms that stop each function's canary deployment. Only the first of them stops an
# `AllAtOnce` deployment.
JUDGES = {
    "PublicFn": ["PublicCanaryErrorsAlarm", "ErrorsAlarm", "LatencyAlarm"],
    "PrivateFn": ["PrivateCanaryErrorsAlarm", "ErrorsAlarm", "PrivateErrorsAlarm"],
}
ALARM_ARN = "arn:${AWS::Partition}:cloudwatch:${AWS::Region}:${AWS::AccountId}:alarm:"
# The resources that manage or measure a function's versions. No other resource may refer to a
# function without its alias.
BY_ITSELF = {
    "AWS::Lambda::Version",
    "AWS::Lambda::Alias",
    "AWS::Lambda::EventInvokeConfig",
    "AWS::CloudWatch::Alarm",
    "AWS::CloudWatch::Dashboard",
}


def test_every_caller_of_a_function_calls_its_alias() -> None:
    """API Gateway, the schedule and the functions call each function through its alias, and the
    policies allow no other calls.
    """
    calling = {
        name: set(references(_without_aliases(resource))) & set(functions())
        for name, resource in deployed().items()
        if resource["Type"] not in BY_ITSELF and not name.endswith("DeployRole")
    }
    assert {name: found for name, found in calling.items() if found} == {}


def test_no_caller_bypasses_the_alias_with_the_name_of_a_function() -> None:
    """No resource calls a function by its name without the alias.

    The test looks for the names in the finished stack, because the template builds some of them
    from parts.
    """
    stack = make({"MailFrom": "line@example.com", "WebhookUrl": "https://example.com/hook"})
    names = {
        stack.attribute(logical_id, "Arn").rpartition(":")[2]: logical_id
        for logical_id in stack.of_type("AWS::Lambda::Function")
    }
    wrong = [
        (caller, names[name], qualifier)
        for caller, resource in stack.resources.items()
        if resource["Type"] not in BY_ITSELF and not caller.endswith("DeployRole")
        for name, qualifier in re.findall(r":function:([\w-]+)(:[\w$*]+)?", json.dumps(resource))
        if name in names and qualifier != ":live"
    ]
    assert wrong == []


def _without_aliases(resource: Any) -> Any:
    return json.loads(re.sub(r"\$\{\w+\.Arn\}:live", "the alias", json.dumps(resource)))


def test_the_limits_on_queued_events_apply_to_the_alias() -> None:
    config = deployed()["MaintenanceFnEventInvokeConfig"]["Properties"]
    assert config["Qualifier"] == "live"


@pytest.mark.parametrize("function", WATCHED)
def test_the_parameter_decides_how_traffic_moves_and_alarms_are_watched(
    function: str,
) -> None:
    preference = functions()[function]["DeploymentPreference"]
    assert preference["Type"] == {"Ref": "Deployment"}
    role = f"{function.removesuffix('Fn')}DeployRole"
    assert preference["Role"] == {"Fn::GetAtt": [role, "Arn"]}
    assert _find_watched_alarms({"Deployment": "AllAtOnce"}, function) == JUDGES[function][:1]
    assert (
        _find_watched_alarms({"Deployment": "Canary10Percent5Minutes"}, function)
        == JUDGES[function]
    )


def _find_watched_alarms(parameters: dict[str, str], function: str) -> list[str]:
    group = deployed(parameters)[f"{function}DeploymentGroup"]["Properties"]
    assert "DEPLOYMENT_STOP_ON_ALARM" in group["AutoRollbackConfiguration"]["Events"]
    named_alarms = {
        json.dumps(alarm["Properties"]["AlarmName"]): name
        for name, alarm in deployed(parameters).items()
        if "AlarmName" in alarm["Properties"]
    }
    watched = (alarm["Name"] for alarm in group["AlarmConfiguration"]["Alarms"])
    return [one.get("Ref") or named_alarms[json.dumps(one)] for one in watched]


def test_the_parameter_allows_every_predefined_configuration_of_codedeploy() -> None:
    from samtranslator.model.preferences import deployment_preference_collection as known

    ways = TEMPLATE["Parameters"]["Deployment"]["AllowedValues"]
    assert sorted(ways) == sorted(known.CODEDEPLOY_PREDEFINED_CONFIGURATIONS_LIST)


@pytest.mark.parametrize("function", WATCHED)
def test_the_canary_alarm_measures_the_new_version(function: str) -> None:
    stack = deployed()
    alias = stack[f"{function}Aliaslive"]["Properties"]
    alarm = stack[f"{function.removesuffix('Fn')}CanaryErrorsAlarm"]["Properties"]
    assert (alarm["MetricName"], alarm["Statistic"]) == ("Errors", "Average")
    assert {one["Name"]: one["Value"] for one in alarm["Dimensions"]} == {
        "FunctionName": {"Ref": function},
        "Resource": {"Fn::Sub": f"${{{function}}}:{alias['Name']}"},
        "ExecutedVersion": alias["FunctionVersion"],
    }
    assert alarm["TreatMissingData"] == "notBreaching"
    assert "docs/operate/upgrade.md" in alarm["AlarmDescription"]


SNAPSHOT = {"SnapStart": {"ApplyOn": "PublishedVersions"}}
READY = {
    "ProvisionedConcurrencyConfig": {
        "ProvisionedConcurrentExecutions": {"Ref": "ProvisionedConcurrency"}
    }
}


@pytest.mark.parametrize("function", ["PublicFn", "PrivateFn", "MaintenanceFn"])
@pytest.mark.parametrize("start_up", ["none", "snapstart", "provisioned"])
def test_the_start_up_parameter_applies_to_functions_that_callers_wait_for(
    function: str, start_up: str
) -> None:
    """The `StartUp` parameter makes the functions that answer requests start faster.

    It does not change the maintenance function, because nobody waits for that. Lambda refuses a
    function that uses both `StartUp` options at once.
    """
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
def test_each_section_of_samconfig_matches_the_template(environment: str) -> None:
    given = read_parameters(environment)
    for name, value in given.items():
        parameter = TEMPLATE["Parameters"][name]
        allowed_values = parameter.get("AllowedValues", [value])
        assert value in map(str, allowed_values), name
        if parameter["Type"] == "Number":
            assert int(value) >= parameter.get("MinValue", 0), name


def read_parameters(environment: str) -> dict[str, str]:
    return Settings.read(environment).parameters


EXISTING = {
    "ExistingTableName": "restored",
    "ExistingTableStreamArn": "arn:aws:dynamodb:eu-central-1:123456789012:table/restored/stream/1",
}


def test_a_stack_with_a_restored_table_uses_only_that_table_and_keeps_its_own() -> None:
    """An operator can make a stack use a restored table instead of its own table. The stack then
    uses only the restored table and does not delete its own (promise P3).
    """
    own = {name for name, found in _find_users_of_table({}).items() if "WaitlistTable" in found}
    existing = _find_users_of_table(EXISTING)
    functions = {"PublicFn", "MaintenanceFn", "PublicFnRole", "MaintenanceFnRole"}
    events = {"EventsFnStream", "EventsFnRole"}
    assert own == functions | events | {"Dashboard"}
    for name in own:
        assert EXISTING.keys() & existing[name], name
        assert "WaitlistTable" not in existing[name], name
    assert "WaitlistTable" in deployed(EXISTING)
    assert "Condition" not in RESOURCES["WaitlistTable"]


def _find_users_of_table(parameters: dict[str, str]) -> dict[str, set[str]]:
    types = {
        "AWS::Lambda::Function",
        "AWS::IAM::Role",
        "AWS::Lambda::EventSourceMapping",
        "AWS::CloudWatch::Dashboard",
    }
    return {
        name: set(references(resource))
        for name, resource in deployed(parameters).items()
        if resource["Type"] in types
    }


def test_the_outputs_name_the_table_in_use() -> None:
    outputs = make(EXISTING).outputs
    assert outputs["TableName"] == EXISTING["ExistingTableName"]
    assert outputs["TableStreamArn"] == EXISTING["ExistingTableStreamArn"]
    assert make({}).outputs["TableName"] != EXISTING["ExistingTableName"]
