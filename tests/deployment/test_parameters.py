"""Tests that CloudFormation accepts complete combinations of parameters, and refuses incomplete
ones.
"""

import pytest

from tests.deployment.deployed import deployed
from tests.deployment.template import TEMPLATE, holds

VPC = {"ExistingVpcId": "vpc-0a1b2c3d"}
SUBNETS = {"ExistingSubnetIds": "subnet-0a1b2c3d,subnet-1a2b3c4d"}
GROUP = {"ExistingSecurityGroupId": "sg-0a1b2c3d"}
REDIS = {"ExistingRedisUrl": "rediss://redis.example.com:6379"}
IAM_USER = {"ExistingRedisIamUser": "waitlist"}
CACHE = {
    "ExistingRedisCacheArn": "arn:aws:elasticache:eu-west-1:123456789012:replicationgroup:orders"
}
EXISTING_REDIS = VPC | SUBNETS | GROUP | REDIS
NODE = {"ExistingRedisNodeId": "redis-001"}
ISSUER = {"JwtIssuer": "https://issuer.example.com"}
AUDIENCE = {"JwtAudience": "waitlist"}
EDGE = {"Edge": "on"}
DOMAIN = {"EdgeDomain": "queue.example.com"}
CERTIFICATE = {"EdgeCertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/0a1b2c3d"}
WEB_ACL = {"EdgeWebAclArn": "arn:aws:wafv2:us-east-1:123456789012:global/webacl/guard/0a1b2c3d"}
WEBHOOK = {"WebhookUrl": "https://example.com/hook"}
MAIL = {"MailFrom": "line@example.com"}
BOT_CHECK = {"BotCheck": "hcaptcha"}
SITE_KEY = {"BotCheckSiteKey": "key"}
ZONES = {"ZoneA": "us-east-1b", "ZoneB": "us-east-1d"}


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        VPC | SUBNETS,
        VPC | SUBNETS | GROUP,
        EXISTING_REDIS,
        EXISTING_REDIS | IAM_USER | CACHE,
        EXISTING_REDIS | NODE,
        ISSUER | AUDIENCE,
        ZONES,
        BOT_CHECK | SITE_KEY,
        EDGE,
        EDGE | DOMAIN | CERTIFICATE,
        EDGE | WEB_ACL,
        EDGE | {"EdgeOnly": "on"},
        WEBHOOK,
        MAIL,
    ],
)
def test_a_complete_combination_of_parameters_is_accepted(parameters: dict[str, str]) -> None:
    assert find_broken_rules(parameters) == []


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (ISSUER, "JwtIssuer needs JwtAudience"),
        (AUDIENCE, "JwtAudience needs JwtIssuer"),
        (DOMAIN | CERTIFICATE, "EdgeDomain needs Edge=on"),
        (EDGE | DOMAIN, "EdgeDomain needs EdgeCertificateArn"),
        (EDGE | CERTIFICATE, "EdgeCertificateArn needs EdgeDomain"),
        (WEB_ACL, "EdgeWebAclArn needs Edge=on"),
        (BOT_CHECK, "BotCheck needs BotCheckSiteKey"),
        (BOT_CHECK | ISSUER | AUDIENCE, "BotCheck cannot be used with JwtIssuer"),
        (SITE_KEY, "BotCheckSiteKey needs BotCheck"),
        ({"EdgeOnly": "on"}, "EdgeOnly=on needs Edge=on"),
        (WEBHOOK | {"Events": "off"}, "WebhookUrl needs Events=on"),
        ({"ZoneA": "us-east-1a"}, "ZoneA needs ZoneB"),
        ({"ZoneB": "us-east-1a"}, "ZoneB needs ZoneA"),
        (VPC, "ExistingVpcId needs ExistingSubnetIds"),
        (SUBNETS, "ExistingSubnetIds needs ExistingVpcId"),
        (GROUP, "ExistingSecurityGroupId needs ExistingVpcId"),
        (VPC | SUBNETS | REDIS, "ExistingRedisUrl needs ExistingSecurityGroupId"),
        (GROUP | REDIS, "ExistingRedisUrl needs ExistingVpcId"),
        (EXISTING_REDIS | IAM_USER, "ExistingRedisIamUser needs ExistingRedisCacheArn"),
        (EXISTING_REDIS | CACHE, "ExistingRedisCacheArn needs ExistingRedisIamUser"),
        (IAM_USER | CACHE, "ExistingRedisIamUser needs ExistingRedisUrl"),
        (NODE, "ExistingRedisNodeId needs ExistingRedisUrl"),
    ],
)
def test_an_incomplete_combination_of_parameters_is_refused(
    parameters: dict[str, str], message: str
) -> None:
    assert any(broken.startswith(message) for broken in find_broken_rules(parameters))


def find_broken_rules(parameters: dict[str, str]) -> list[str]:
    return [
        assertion["AssertDescription"]
        for rule in TEMPLATE["Rules"].values()
        if holds(rule["RuleCondition"], parameters)
        for assertion in rule["Assertions"]
        if not holds(assertion["Assert"], parameters)
    ]


def test_the_subnets_are_in_the_chosen_zones() -> None:
    for parameters, zones in (
        ({}, [{"Fn::Select": [number, {"Fn::GetAZs": ""}]} for number in (0, 1)]),
        (ZONES, [{"Ref": "ZoneA"}, {"Ref": "ZoneB"}]),
    ):
        stack = deployed(parameters)
        subnets = [stack[name]["Properties"] for name in ("PrivateSubnetA", "PrivateSubnetB")]
        assert [subnet["AvailabilityZone"] for subnet in subnets] == zones
