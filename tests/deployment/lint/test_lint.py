"""Tests that `make lint-templates` finds what AWS would refuse.

Each test breaks the template in one way and expects a finding for it.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.rules.sources import ROOT
from tools.deploy.lifecycle import Account, comes_before, order
from tools.deploy.lint import (
    FIXED_AT_CREATION,
    LONGEST_STACK_NAME,
    Set,
    changed,
    changes,
    findings_of,
    sets,
    updates,
)
from tools.deploy.stack import generated_name, make, translated

Mutation = Callable[[dict[str, Any]], None]
CANARY = Set("canary", {"Deployment": "Canary10Percent5Minutes"})
LONG = Set("long", {}, LONGEST_STACK_NAME)


def properties(resources: dict[str, Any], name: str) -> Any:
    return resources[name]["Properties"]


def one_role_for_both_functions(resources: dict[str, Any]) -> None:
    group = properties(resources, "PrivateFnDeploymentGroup")
    group["ServiceRoleArn"] = {"Fn::GetAtt": ["PublicDeployRole", "Arn"]}


def an_alarm_of_the_api_by_reference(resources: dict[str, Any]) -> None:
    group = properties(resources, "PublicFnDeploymentGroup")
    alarms = [{"Name": {"Ref": "LatencyAlarm"}}]
    group["AlarmConfiguration"] = {"Enabled": True, "Alarms": alarms}


def a_table_that_depends_on_its_reader(resources: dict[str, Any]) -> None:
    resources["WaitlistTable"]["DependsOn"] = ["EventsFnStream"]


def an_alarm_by_a_wrong_name(resources: dict[str, Any]) -> None:
    properties(resources, "LatencyAlarm")["AlarmName"] = {"Fn::Sub": "${AWS::StackName}-slow"}


def an_unknown_retention(resources: dict[str, Any]) -> None:
    properties(resources, "ApiLogGroup")["RetentionInDays"] = 4


def an_unknown_usage(resources: dict[str, Any]) -> None:
    properties(resources, "BluePassKey")["KeyUsage"] = "WALK"


def an_enumeration_that_only_the_service_has(resources: dict[str, Any]) -> None:
    stream = properties(resources, "WaitlistTable")["StreamSpecification"]
    stream["StreamViewType"] = "NEW_IMAGES"


def an_unknown_statistic(resources: dict[str, Any]) -> None:
    properties(resources, "LatencyAlarm")["ExtendedStatistic"] = "p999x"


def a_role_that_its_service_may_not_take(resources: dict[str, Any]) -> None:
    trust = properties(resources, "EventsFnRole")["AssumeRolePolicyDocument"]
    trust["Statement"][0]["Principal"] = {"Service": "events.amazonaws.com"}


def a_permission_for_another_service(resources: dict[str, Any]) -> None:
    properties(resources, "PublicFnPermission")["Principal"] = "s3.amazonaws.com"


def a_route_to_no_alias(resources: dict[str, Any]) -> None:
    uri = (
        "arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/${PublicFn.Arn}/invocations"
    )
    operation = properties(resources, "Api")["Body"]["paths"]["/v1/health"]["get"]
    operation["x-amazon-apigateway-integration"]["uri"] = {"Fn::Sub": uri}


def an_unknown_property(resources: dict[str, Any]) -> None:
    properties(resources, "UndeliveredEvents")["Retention"] = 1


def a_name_with_a_blank(resources: dict[str, Any]) -> None:
    properties(resources, "EventBus")["Name"] = {"Fn::Sub": "events of ${AWS::StackName}"}


def a_cache_named_after_the_stack(resources: dict[str, Any]) -> None:
    properties(resources, "Redis")["ServerlessCacheName"] = {"Ref": "AWS::StackName"}


def a_permission_for_each_route(resources: dict[str, Any]) -> None:
    for number in range(80):
        resources[f"Permission{number}"] = resources["PublicFnPermission"]


def a_large_environment(resources: dict[str, Any]) -> None:
    properties(resources, "PublicFn")["Environment"]["Variables"]["TEXT"] = "x" * 4_000


def a_projection_of_21_attributes(resources: dict[str, Any]) -> None:
    (index,) = properties(resources, "WaitlistTable")["GlobalSecondaryIndexes"]
    index["Projection"]["NonKeyAttributes"] = [f"attribute_{number}" for number in range(21)]


def a_long_role(resources: dict[str, Any]) -> None:
    role = properties(resources, "PublicFnRole")
    role["Policies"] = [
        {**policy, "PolicyName": f"{policy['PolicyName']}-{number}"}
        for policy in role["Policies"]
        if "PolicyName" in policy  # Other policies depend on a condition.
        for number in range(12)
    ]


def an_empty_dimension(resources: dict[str, Any]) -> None:
    properties(resources, "LatencyAlarm")["Dimensions"] = [{"Name": "ApiId", "Value": ""}]


def a_dashboard_that_is_not_json(resources: dict[str, Any]) -> None:
    properties(resources, "Dashboard")["DashboardBody"] = '{"widgets": [}'


def a_limit_of_no_route(resources: dict[str, Any]) -> None:
    stage = properties(resources, "ApiApiGatewayDefaultStage")
    stage["RouteSettings"]["GET /v1/gone"] = {"ThrottlingRateLimit": 1}


def a_table_with_a_name(resources: dict[str, Any]) -> None:
    properties(resources, "WaitlistTable")["TableName"] = {"Ref": "AWS::StackName"}


def a_secret_that_a_failed_creation_leaves(resources: dict[str, Any]) -> None:
    resources["EntryTokenSecret"]["DeletionPolicy"] = "Retain"


def a_reader_that_does_not_wait(resources: dict[str, Any]) -> None:
    del resources["EventsFn"]["DependsOn"]


def an_alias_that_does_not_wait_for_its_alarm(resources: dict[str, Any]) -> None:
    group = properties(resources, "PublicFnDeploymentGroup")
    name = properties(resources, "PublicCanaryErrorsAlarm")["AlarmName"]
    group["AlarmConfiguration"] = {"Enabled": True, "Alarms": [{"Name": name}]}


def a_reference_to_nothing(resources: dict[str, Any]) -> None:
    properties(resources, "EventBus")["Description"] = {"Ref": "Gone"}


def a_reference_to_what_the_condition_leaves_out(resources: dict[str, Any]) -> None:
    properties(resources, "EventBus")["Description"] = {"Ref": "Distribution"}


MUTATIONS: list[tuple[Mutation, Set, str]] = [
    (one_role_for_both_functions, CANARY, "circular dependency"),
    (an_alarm_of_the_api_by_reference, CANARY, "circular dependency"),
    (a_table_that_depends_on_its_reader, CANARY, "circular dependency"),
    (
        an_alarm_by_a_wrong_name,
        CANARY,
        "watches waitlist-LatencyAlarm-p99, but the stack has no such alarm",
    ),
    (an_unknown_retention, CANARY, "ApiLogGroup AWS::Logs::LogGroup RetentionInDays"),
    (an_unknown_usage, CANARY, "cfn-lint E3030"),
    (an_enumeration_that_only_the_service_has, CANARY, "'NEW_IMAGES' is not one of"),
    (an_unknown_statistic, CANARY, "LatencyAlarm ExtendedStatistic: 'p999x'"),
    (a_role_that_its_service_may_not_take, CANARY, "EventsFn: lambda may not assume the role"),
    (a_permission_for_another_service, CANARY, "s3.amazonaws.com is not the service of"),
    (a_route_to_no_alias, CANARY, "Api get /v1/health: .* does not call an alias"),
    (an_unknown_property, CANARY, "UndeliveredEvents AWS::SQS::Queue .*Retention"),
    (a_name_with_a_blank, CANARY, "EventBus AWS::Events::EventBus Name"),
    (
        a_cache_named_after_the_stack,
        LONG,
        "Redis.ServerlessCacheName: 59, but AWS allows at most 40",
    ),
    (a_permission_for_each_route, CANARY, "the policy of .*:live: .* AWS allows at most 20,480"),
    (a_large_environment, CANARY, "PublicFn, environment: .* AWS allows at most 4,096"),
    (
        a_projection_of_21_attributes,
        CANARY,
        "attributes of by_place: 21, but AWS allows at most 20",
    ),
    (a_long_role, LONG, "PublicFnRole, inline policies: .* AWS allows at most 10,240"),
    (an_empty_dimension, CANARY, "LatencyAlarm: the dimension ApiId is empty"),
    (a_dashboard_that_is_not_json, CANARY, "Dashboard is not JSON"),
    (a_limit_of_no_route, CANARY, "limits GET /v1/gone, but the API has no such route"),
    (a_table_with_a_name, CANARY, "WaitlistTable: the name waitlist is taken"),
    (a_secret_that_a_failed_creation_leaves, CANARY, "leaves .*EntryTokenSecret"),
    (a_reader_that_does_not_wait, CANARY, "EventsFnStream does not wait for PublicFnAliaslive"),
    (
        an_alias_that_does_not_wait_for_its_alarm,
        CANARY,
        "PublicFnAliaslive does not wait for PublicCanaryErrorsAlarm",
    ),
    (a_reference_to_nothing, CANARY, "this stack has no Gone"),
    (
        a_reference_to_what_the_condition_leaves_out,
        CANARY,
        "this stack has no Distribution",
    ),
]


@pytest.mark.parametrize(
    ("mutation", "parameters", "finding"), MUTATIONS, ids=lambda one: getattr(one, "__name__", None)
)
def test_a_mutation_of_the_template_is_found(
    mutation: Mutation, parameters: Set, finding: str
) -> None:
    template = translated(parameters.parameters)
    mutation(template["Resources"])
    assert any(re.search(finding, one) for one in findings_of(parameters, template))


def test_a_canary_on_a_long_stack_name_has_no_finding() -> None:
    """`make lint-templates` finds no problem in the unchanged template, even if the stack has a
    long name and deploys with a canary.
    """
    for one in (CANARY, LONG):
        assert findings_of(one) == []


def test_each_condition_is_true_in_one_set_and_false_in_another() -> None:
    template = translated()
    for condition in template["Conditions"]:
        template["Resources"][f"If{condition}"] = {
            "Type": "AWS::SQS::Queue",
            "Condition": condition,
        }
    made = [make(one.parameters, one.name, one.region, template).made for one in sets()]
    for condition in template["Conditions"]:
        assert {f"If{condition}" in one for one in made} == {True, False}, condition


def test_no_allowed_change_of_parameters_replaces_a_resource_with_state() -> None:
    """Changing a stack's parameters never makes CloudFormation replace a resource that stores data
    (promise P3).

    The test changes single parameters and whole sets of parameters, in both directions.
    """
    assert list(updates(changes())) == []


def test_a_replaced_cache_is_found() -> None:
    template = translated()
    name = {"Fn::Sub": "waitlist-${RedisMaxGigabytes}"}
    properties(template["Resources"], "Redis")["ServerlessCacheName"] = name
    change = changed(("RedisMaxGigabytes", "6"))
    assert list(updates([change], template)) == [
        "an update to RedisMaxGigabytes=6: Redis is replaced, which loses its content",
        "an update from RedisMaxGigabytes=6: Redis is replaced, which loses its content",
    ]


def test_the_document_names_the_parameters_that_are_fixed_at_creation() -> None:
    text = (ROOT / "docs" / "operate" / "upgrade.md").read_text(encoding="utf-8")
    (line,) = (one for one in text.splitlines() if one.startswith("- `VpcCidr`"))
    assert set(re.findall(r"`(\w+)`", line)) == FIXED_AT_CREATION
    for change in (
        Set("VpcCidr", {"VpcCidr": "10.65.0.0/24"}),
        Set("zones", {"ZoneA": "us-east-1b", "ZoneB": "us-east-1d"}),
    ):
        assert any("Redis is replaced" in one for one in updates([change])), change


def test_the_stand_in_creates_updates_and_deletes_in_order() -> None:
    made = make().made
    created = order(made)
    assert created.index("Redis") < created.index("PrivateFn") < created.index("EventsFn")
    assert comes_before(made, "PrivateFnAliaslive", "Api")
    assert not comes_before(made, "Api", "PrivateFnAliaslive")
    assert set(Account().delete(make())) == {"EntryTokenSecret", "WaitlistTable"}


@pytest.mark.parametrize(
    ("stack", "logical_id", "longest", "name"),
    [
        ("waitlist", "PublicFn", 64, "waitlist-PublicFn-1A2B3C4D5E6F"),
        ("w" * 60, "PublicFn", 64, f"{'w' * 42}-PublicFn-1A2B3C4D5E6F"),
        ("w" * 60, "L" * 60, 64, f"{'w' * 25}-{'L' * 25}-1A2B3C4D5E6F"),
        ("waitlist", "L" * 60, 64, f"waitlist-{'L' * 42}-1A2B3C4D5E6F"),
    ],
)
def test_a_generated_name_is_shortened_as_cloudformation_does(
    stack: str, logical_id: str, longest: int, name: str
) -> None:
    assert generated_name(stack, logical_id, longest) == name
