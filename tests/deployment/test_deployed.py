"""Tests the checks in facts.py.

Each check must accept every stack and find the violation that a test adds.
"""

import copy
from typing import Any

import pytest

from tests.deployment import facts
from tests.deployment.deployed import deployed, every_stack
from tests.deployment.facts import FACTS, Fact, Resources
from tests.deployment.template import TEMPLATE, holds

PUBLIC = ("PublicFn", "Properties")
ANYBODY = {"Effect": "Allow", "Principal": "*", "Action": "sqs:SendMessage", "Resource": "*"}
STATEMENT = ("PublicFnRole", "Properties", "Policies", 0, "PolicyDocument", "Statement", 0)
TRUST = ("PublicFnRole", "Properties", "AssumeRolePolicyDocument", "Statement", 0)


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.__name__)
def test_every_stack_satisfies_each_fact(fact: Fact) -> None:
    """P5, P8"""
    for parameters, resources in every_stack():
        assert fact(resources) == [], parameters


def test_each_condition_is_true_in_one_stack_and_false_in_another() -> None:
    for name in TEMPLATE["Conditions"]:
        decided = {holds({"Condition": name}, parameters) for parameters, _ in every_stack()}
        assert decided == {True, False}, name


# Each row names a check, a place in the stack, and a wrong value for this place, which the check
# must find.
Path = tuple[str | int, ...]
VIOLATIONS: list[tuple[Fact, Path, Any]] = [
    (
        facts.only_the_private_function_is_in_the_network,
        (*PUBLIC, "VpcConfig"),
        {"SubnetIds": ["subnet-1"]},
    ),
    (facts.roles_name_actions_and_resources, (*STATEMENT, "Action"), "dynamodb:*"),
    (facts.roles_name_actions_and_resources, (*STATEMENT, "Resource"), "*"),
    (
        facts.roles_name_actions_and_resources,
        (*STATEMENT, "Resource"),
        {"Fn::Sub": "arn:aws:dynamodb:${AWS::Region}:${AWS::AccountId}:table/*"},
    ),
    (facts.roles_name_actions_and_resources, (*STATEMENT, "NotAction"), "iam:PassRole"),
    (facts.roles_trust_one_service_each, (*TRUST, "Principal"), {"AWS": "*"}),
    (facts.roles_trust_one_service_each, (*TRUST, "Principal"), "*"),
    (
        facts.roles_have_no_policies_of_others,
        ("PublicFnRole", "Properties", "ManagedPolicyArns"),
        ["arn:aws:iam::aws:policy/AdministratorAccess"],
    ),
    *(
        (facts.tables_are_encrypted_and_kept, ("WaitlistTable", *path), False)
        for path in (
            ("Properties", "SSESpecification", "SSEEnabled"),
            ("Properties", "DeletionProtectionEnabled"),
            ("DeletionPolicy",),
            ("UpdateReplacePolicy",),
        )
    ),
    (
        facts.what_is_queued_or_stored_is_encrypted,
        ("Another",),
        {"Type": "AWS::SQS::Queue", "Properties": {}},
    ),
    (
        facts.what_is_queued_or_stored_is_encrypted,
        ("Another",),
        {"Type": "AWS::SNS::Topic"},
    ),
    (facts.functions_log_to_groups_of_the_stack, (*PUBLIC, "LoggingConfig"), {}),
    (
        facts.logs_are_kept_for_the_days_that_are_asked_for,
        ("PublicFnLogGroup", "Properties", "RetentionInDays"),
        None,
    ),
    (
        facts.callers_of_functions_are_named,
        ("PublicFnPermission", "Properties", "SourceArn"),
        "*",
    ),
    (
        facts.callers_of_functions_are_named,
        ("PublicFnPermission", "Properties", "Principal"),
        "*",
    ),
    (facts.callers_of_functions_are_named, ("Another",), {"Type": "AWS::Lambda::Url"}),
    (
        facts.resource_policies_have_conditions,
        ("Another",),
        {
            "Type": "AWS::SQS::QueuePolicy",
            "Properties": {"PolicyDocument": {"Statement": [ANYBODY]}},
        },
    ),
    (
        facts.the_network_is_closed,
        ("PrivateFnSecurityGroup", "Properties", "SecurityGroupEgress", 0, "CidrIp"),
        "0.0.0.0/0",
    ),
    (facts.the_network_is_closed, ("PrivateSubnetA", "Properties", "MapPublicIpOnLaunch"), True),
    (
        facts.redis_is_called_with_tls,
        ("PrivateFn", "Properties", "Environment", "Variables", "REDIS_URL"),
        {"Fn::Sub": "redis://${Redis.Endpoint.Address}:6379"},
    ),
    (
        facts.functions_accept_their_variables,
        (*PUBLIC, "Environment", "Variables", "TABLE_NAME"),
        "",
    ),
    (
        facts.secrets_are_in_no_variable,
        (*PUBLIC, "Environment", "Variables", "ENTRY_TOKEN_SECRET"),
        "hunter2",
    ),
    (
        facts.secrets_are_in_no_variable,
        (*PUBLIC, "Environment", "Variables", "LOG_LEVEL"),
        "{{resolve:secretsmanager:key}}",
    ),
    (
        facts.secrets_are_made_by_aws,
        ("EntryTokenSecret", "Properties", "SecretString"),
        "hunter2",
    ),
    (
        facts.operators_routes_are_iams,
        ("Api", "Properties", "Body", "paths", "/v1/admin/waitlists", "get", "security"),
        None,
    ),
]


@pytest.mark.parametrize(
    ("fact", "place", "value"), VIOLATIONS, ids=lambda one: getattr(one, "__name__", None)
)
def test_each_fact_detects_its_violations(fact: Fact, place: Path, value: Any) -> None:
    resources: Resources = copy.deepcopy(deployed())
    assert fact(resources) == []
    *way, last = place
    holder: Any = resources
    for step in way:
        holder = holder[step]
    holder[last] = value
    assert fact(resources)


def test_every_fact_has_a_tested_violation() -> None:
    assert {fact for fact, _, _ in VIOLATIONS} == set(FACTS)
