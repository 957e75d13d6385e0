"""IAM: what each role may do; facts.py holds what is true of every role."""

from typing import Any

import pytest

from tests.deployment.deployed import deployed
from tests.deployment.facts import ENI_ACTIONS, TRACE_ACTIONS
from tests.deployment.template import TEMPLATE, allowed, functions, named, statements

RECORD_ACTIONS = {
    "dynamodb:GetItem",
    "dynamodb:PutItem",
    "dynamodb:UpdateItem",
    "dynamodb:DeleteItem",
    "dynamodb:Query",
    "dynamodb:BatchGetItem",
    "dynamodb:BatchWriteItem",
    "dynamodb:ConditionCheckItem",
}
LOG_ACTIONS = {"logs:CreateLogStream", "logs:PutLogEvents"}
# Roles of other services than Lambda.
SERVICES = {
    "EventPipesRole": "pipes",
    "PublicDeploymentRole": "codedeploy",
    "PrivateDeploymentRole": "codedeploy",
}


def test_each_function_has_a_role_of_its_own() -> None:
    roles = {name: function["Role"]["Fn::GetAtt"] for name, function in functions().items()}
    assert roles == {name: [f"{name}Role", "Arn"] for name in functions()}
    for name, role in named("AWS::IAM::Role").items():
        (statement,) = role["AssumeRolePolicyDocument"]["Statement"]
        service = SERVICES.get(name, "lambda")
        assert statement["Principal"] == {"Service": f"{service}.amazonaws.com"}


def test_the_one_open_permission_is_denied_to_the_functions_code() -> None:
    open_permissions = {
        role: {action for action, resource in allowed(role) if resource == "*"} - TRACE_ACTIONS
        for role in named("AWS::IAM::Role")
    }
    assert open_permissions == {
        "PublicFnRole": set(),
        "MaintenanceFnRole": set(),
        "PrivateFnRole": ENI_ACTIONS,
        "EventPipesRole": set(),
        "PublicDeploymentRole": set(),
        "PrivateDeploymentRole": set(),
    }
    (denied,) = (s for s in statements("PrivateFnRole") if s["Effect"] == "Deny")
    assert denied["Action"] == "ec2:*"
    assert denied["Resource"] == "*"
    assert denied["Condition"] == {"Null": {"lambda:SourceFunctionArn": "false"}}


def test_traces_are_written_only_where_they_are_switched_on() -> None:
    made = deployed().values()
    modes = [one["Properties"].get("TracingConfig") for one in made if is_function(one)]
    assert modes == [{"Mode": {"Ref": "Tracing"}}] * len(functions())
    assert TEMPLATE["Parameters"]["Tracing"]["Default"] == "PassThrough"


def is_function(resource: dict[str, Any]) -> bool:
    return bool(resource["Type"] == "AWS::Lambda::Function")


@pytest.mark.parametrize(
    ("role", "actions"),
    [
        (
            "PublicFnRole",
            RECORD_ACTIONS
            | LOG_ACTIONS
            | {"lambda:InvokeFunction", "secretsmanager:GetSecretValue"},
        ),
        ("MaintenanceFnRole", RECORD_ACTIONS | LOG_ACTIONS | {"lambda:InvokeFunction"}),
        ("PrivateFnRole", ENI_ACTIONS | LOG_ACTIONS | {"elasticache:Connect"}),
    ],
)
def test_a_role_may_do_what_its_function_does(role: str, actions: set[str]) -> None:
    assert {action for action, _resource in allowed(role)} == actions | TRACE_ACTIONS


BLUE, GREEN = ({"Fn::GetAtt": [f"{colour}PassKey", "Arn"]} for colour in ("Blue", "Green"))
BLUE_GREEN = {"Fn::Sub": "${BluePassKey.Arn},${GreenPassKey.Arn}"}
GREEN_BLUE = {"Fn::Sub": "${GreenPassKey.Arn},${BluePassKey.Arn}"}


@pytest.mark.parametrize(
    ("chosen", "arns", "made"),
    [
        ("blue", BLUE, {"BluePassKey"}),
        ("blue+green", BLUE_GREEN, {"BluePassKey", "GreenPassKey"}),
        ("green+blue", GREEN_BLUE, {"BluePassKey", "GreenPassKey"}),
        ("green", GREEN, {"GreenPassKey"}),
    ],
)
def test_the_first_key_of_the_parameter_signs_and_each_of_them_exists(
    chosen: str, arns: Any, made: set[str]
) -> None:
    stack = deployed({"PassKeys": chosen})
    variables = stack["PublicFn"]["Properties"]["Environment"]["Variables"]
    assert variables["PASS_KEY_ARNS"] == arns
    assert {name for name, one in stack.items() if one["Type"] == "AWS::KMS::Key"} == made


@pytest.mark.parametrize("key", named("AWS::KMS::Key"))
def test_only_the_public_function_signs_passes(key: str) -> None:
    """P5: without `kms:CreateGrant` the account cannot pass the right on by IAM policies."""
    made = named("AWS::KMS::Key")[key]
    assert (made["KeySpec"], made["KeyUsage"]) == ("RSA_2048", "SIGN_VERIFY")
    account, function = made["KeyPolicy"]["Statement"]
    assert account["NotAction"] == ["kms:Sign", "kms:CreateGrant"]
    assert account["Principal"]["AWS"]["Fn::Sub"].endswith(":iam::${AWS::AccountId}:root")
    assert function["Principal"] == {"AWS": {"Fn::GetAtt": ["PublicFnRole", "Arn"]}}
    assert function["Action"] == ["kms:Sign", "kms:GetPublicKey"]


@pytest.mark.parametrize(
    ("role", "invoked"),
    [
        ("PublicFnRole", ["PrivateFn", "MaintenanceFn"]),
        ("MaintenanceFnRole", ["PrivateFn", "MaintenanceFn"]),
        ("PrivateFnRole", []),
    ],
)
def test_functions_invoke_those_below_them_and_maintenance_itself(
    role: str, invoked: list[str]
) -> None:
    resources = [resource for action, resource in allowed(role) if action.startswith("lambda:")]
    assert resources == [{"Ref": f"{name}.Alias"} for name in invoked]
