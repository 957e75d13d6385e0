"""Tests that no two functions or services share an IAM role or a key.

test_rights.py tests what each role allows.
"""

from typing import Any

import pytest

from tests.deployment.deployed import deployed
from tests.deployment.template import TEMPLATE, functions, named

# The roles that CodeDeploy uses. Lambda uses all other roles.
SERVICES = {
    "PublicDeployRole": "codedeploy",
    "PrivateDeployRole": "codedeploy",
}


def test_each_function_has_its_own_role() -> None:
    roles = {name: function["Role"]["Fn::GetAtt"] for name, function in functions().items()}
    assert roles == {name: [f"{name}Role", "Arn"] for name in functions()}
    for name, role in named("AWS::IAM::Role").items():
        (statement,) = role["AssumeRolePolicyDocument"]["Statement"]
        service = SERVICES.get(name, "lambda")
        assert statement["Principal"] == {"Service": f"{service}.amazonaws.com"}


def test_traces_are_only_written_if_the_parameter_enables_them() -> None:
    senders = {"WebhookUrl": "https://example.com/hook", "MailFrom": "line@example.com"}
    made = deployed(senders).values()
    modes = [one["Properties"].get("TracingConfig") for one in made if is_function(one)]
    assert modes == [{"Mode": {"Ref": "Tracing"}}] * len(functions())
    assert TEMPLATE["Parameters"]["Tracing"]["Default"] == "PassThrough"


def is_function(resource: dict[str, Any]) -> bool:
    return bool(resource["Type"] == "AWS::Lambda::Function")


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
def test_all_keys_of_the_parameter_exist_and_the_first_signs(
    chosen: str, arns: Any, made: set[str]
) -> None:
    stack = deployed({"PassKeys": chosen})
    variables = stack["PublicFn"]["Properties"]["Environment"]["Variables"]
    assert variables["PASS_KEY_ARNS"] == arns
    assert {name for name, one in stack.items() if one["Type"] == "AWS::KMS::Key"} == made


@pytest.mark.parametrize("key", named("AWS::KMS::Key"))
def test_a_pass_key_can_only_sign_and_verify(key: str) -> None:
    """P5"""
    made = named("AWS::KMS::Key")[key]
    assert (made["KeySpec"], made["KeyUsage"]) == ("RSA_2048", "SIGN_VERIFY")
