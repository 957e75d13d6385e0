"""Which combinations of an existing network and Redis the stack takes."""

from typing import Any

import pytest

from tests.architecture.template import TEMPLATE

VPC = {"ExistingVpcId": "vpc-0a1b2c3d"}
SUBNETS = {"ExistingSubnetIds": "subnet-0a1b2c3d,subnet-1a2b3c4d"}
GROUP = {"ExistingSecurityGroupId": "sg-0a1b2c3d"}
REDIS = {"ExistingRedisUrl": "rediss://redis.example.com:6379"}
MAKES_ALL = {"MakesVpc", "MakesRedis", "MakesPrivateFnSecurityGroup"}


@pytest.mark.parametrize(
    ("parameters", "made"),
    [
        ({}, MAKES_ALL),
        (VPC | SUBNETS, {"MakesRedis", "MakesPrivateFnSecurityGroup"}),
        (VPC | SUBNETS | GROUP, {"MakesRedis"}),
        (VPC | SUBNETS | GROUP | REDIS, set()),
    ],
)
def test_the_stack_makes_what_does_not_exist(parameters: dict[str, str], made: set[str]) -> None:
    assert broken_rules(parameters) == []
    conditions = TEMPLATE["Conditions"]
    assert {name for name in conditions if holds(conditions[name], parameters)} == made


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (VPC, "ExistingVpcId needs ExistingSubnetIds"),
        (SUBNETS, "ExistingSubnetIds needs ExistingVpcId"),
        (GROUP, "ExistingSecurityGroupId needs ExistingVpcId"),
        (VPC | SUBNETS | REDIS, "ExistingRedisUrl needs ExistingSecurityGroupId"),
        (GROUP | REDIS, "ExistingRedisUrl needs ExistingVpcId"),
    ],
)
def test_half_a_network_is_refused(parameters: dict[str, str], message: str) -> None:
    assert any(broken.startswith(message) for broken in broken_rules(parameters))


def broken_rules(parameters: dict[str, str]) -> list[str]:
    return [
        assertion["AssertDescription"]
        for rule in TEMPLATE["Rules"].values()
        if holds(rule["RuleCondition"], parameters)
        for assertion in rule["Assertions"]
        if not holds(assertion["Assert"], parameters)
    ]


def holds(expression: Any, parameters: dict[str, str]) -> bool:
    """What CloudFormation makes of a condition, as far as this template uses its language."""
    ((function, operands),) = expression.items()
    match function:
        case "Condition":
            return holds(TEMPLATE["Conditions"][operands], parameters)
        case "Fn::Not":
            return not holds(operands[0], parameters)
        case "Fn::And":
            return all(holds(operand, parameters) for operand in operands)
        case "Fn::Equals":
            left, right = operands
            name = left["Ref"]
            return bool(parameters.get(name, TEMPLATE["Parameters"][name]["Default"]) == right)
    raise NotImplementedError(function)
