"""Which combinations of parameters the stack takes, and what it makes of them."""

import pytest

from tests.architecture.template import TEMPLATE, holds

VPC = {"ExistingVpcId": "vpc-0a1b2c3d"}
SUBNETS = {"ExistingSubnetIds": "subnet-0a1b2c3d,subnet-1a2b3c4d"}
GROUP = {"ExistingSecurityGroupId": "sg-0a1b2c3d"}
REDIS = {"ExistingRedisUrl": "rediss://redis.example.com:6379"}
NODE = {"ExistingRedisNodeId": "redis-001"}
ISSUER = {"JwtIssuer": "https://issuer.example.com"}
AUDIENCE = {"JwtAudience": "waitlist"}
MAKES_ALL = {"MakesVpc", "MakesRedis", "WatchesRedis", "MakesPrivateFnSecurityGroup"}


@pytest.mark.parametrize(
    ("parameters", "made"),
    [
        ({}, MAKES_ALL),
        (VPC | SUBNETS, MAKES_ALL - {"MakesVpc"}),
        (VPC | SUBNETS | GROUP, {"MakesRedis", "WatchesRedis"}),
        (VPC | SUBNETS | GROUP | REDIS, set()),
        (VPC | SUBNETS | GROUP | REDIS | NODE, {"WatchesRedis"}),
        ({"AlarmTopicArn": "arn:aws:sns:us-east-1:1:alarms"}, MAKES_ALL | {"HasAlarmTopic"}),
        ({"Tracing": "Active"}, MAKES_ALL | {"Traces"}),
        (ISSUER | AUDIENCE, MAKES_ALL | {"KnowsIssuer"}),
        ({"CorsOrigins": "https://app.example.com"}, MAKES_ALL | {"AllowsOrigins"}),
    ],
)
def test_the_stack_makes_what_does_not_exist(parameters: dict[str, str], made: set[str]) -> None:
    assert broken_rules(parameters) == []
    conditions = TEMPLATE["Conditions"]
    assert {name for name in conditions if holds(conditions[name], parameters)} == made


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (ISSUER, "JwtIssuer needs JwtAudience"),
        (AUDIENCE, "JwtAudience needs JwtIssuer"),
        (VPC, "ExistingVpcId needs ExistingSubnetIds"),
        (SUBNETS, "ExistingSubnetIds needs ExistingVpcId"),
        (GROUP, "ExistingSecurityGroupId needs ExistingVpcId"),
        (VPC | SUBNETS | REDIS, "ExistingRedisUrl needs ExistingSecurityGroupId"),
        (GROUP | REDIS, "ExistingRedisUrl needs ExistingVpcId"),
        (NODE, "ExistingRedisNodeId needs ExistingRedisUrl"),
    ],
)
def test_half_of_what_goes_together_is_refused(parameters: dict[str, str], message: str) -> None:
    assert any(broken.startswith(message) for broken in broken_rules(parameters))


def broken_rules(parameters: dict[str, str]) -> list[str]:
    return [
        assertion["AssertDescription"]
        for rule in TEMPLATE["Rules"].values()
        if holds(rule["RuleCondition"], parameters)
        for assertion in rule["Assertions"]
        if not holds(assertion["Assert"], parameters)
    ]
