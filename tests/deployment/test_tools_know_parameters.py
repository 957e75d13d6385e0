"""Each parameter is known to the tools that it concerns, or somebody has said why to none.

A new parameter fails here until it has a row. The tools are those that look at a stack from
outside: `make preflight` before a deployment, and `make smoke` after it.
"""

import re
from typing import Any

import pytest

from tests.deployment.template import TEMPLATE
from tests.rules.sources import ROOT
from tools.deploy.stack import make
from tools.operate import forget_order, rotate_token_secret

EXISTING = {
    "ExistingTableName": "other-table",
    "ExistingTableStreamArn": "arn:aws:dynamodb:us-east-1:1:table/other-table/stream/1",
}
PREFLIGHT = ("tools/deploy/preflight.py", "tools/deploy/named.py")
SMOKE = ("tools/deploy/smoke.py",)
TOOLS = {"preflight": PREFLIGHT, "smoke": SMOKE}
# What a tool reads in place of a parameter: the ending of several, or an output.
INSTEAD = {
    **dict.fromkeys(
        (name for name in TEMPLATE["Parameters"] if name.endswith("RateLimit")), '"RateLimit"'
    ),
    **dict.fromkeys(
        (name for name in TEMPLATE["Parameters"] if name.endswith("BurstLimit")), '"BurstLimit"'
    ),
    "Edge": '"EdgeTarget"',
}
# The tools that must know a parameter: it names something outside of the stack, it takes from a
# quota of the account, or it changes what a customer has to bring.
KNOWN_TO: dict[str, set[str]] = {
    "AlarmTopicArn": {"preflight"},
    "ApiBurstLimit": {"preflight"},
    "ApiRateLimit": {"preflight"},
    "BotCheck": {"smoke"},
    "ChangeBurstLimit": {"preflight"},
    "ChangeRateLimit": {"preflight"},
    "Edge": {"smoke"},
    "EdgeCertificateArn": {"preflight"},
    "EdgeDomain": {"preflight"},
    "EdgeWebAclArn": {"preflight"},
    "ExistingRedisUrl": {"preflight"},
    "ExistingSecurityGroupId": {"preflight"},
    "ExistingSubnetIds": {"preflight"},
    "ExistingTableName": {"preflight"},
    "ExistingTableStreamArn": {"preflight"},
    "ExistingVpcId": {"preflight"},
    "JwtIssuer": {"preflight", "smoke"},
    "LookBurstLimit": {"preflight"},
    "LookRateLimit": {"preflight"},
    "MailFrom": {"preflight"},
    "MaintenanceConcurrency": {"preflight"},
    "MaxWriteUnitsPerSecond": {"preflight"},
    "PermissionsBoundary": {"preflight"},
    "ProvisionedConcurrency": {"preflight"},
    "RedisMaxEcpuPerSecond": {"preflight"},
    "RedisMinEcpuPerSecond": {"preflight"},
    "SignupBurstLimit": {"preflight"},
    "SignupRateLimit": {"preflight"},
    "SmsFrom": {"preflight"},
    "StartUp": {"preflight"},
    "WarmThroughput": {"preflight"},
    "ZoneA": {"preflight"},
    "ZoneB": {"preflight"},
}
# Why no tool asks.
KNOWN_TO_NONE = {
    "Architecture": "the build and the template take it from one place",
    "BotCheckSiteKey": "no API of the providers answers for a site key",
    "CorsOrigins": "a browser's affair; the template checks the form",
    "Deployment": "CodeDeploy's own configurations are AllowedValues",
    "EdgeKeys": "the stack makes the keys; customers' requests do not change",
    "EdgeOnly": "customers call the edge in any case where there is one",
    "Events": "no caller sees the bus",
    "ExistingRedisCacheArn": "only the private function reaches the cache; /health says so",
    "ExistingRedisCluster": "only the private function reaches the cache; /health says so",
    "ExistingRedisHasRunIds": "only the private function reaches the cache; /health says so",
    "ExistingRedisIamUser": "only the private function reaches the cache; /health says so",
    "ExistingRedisNodeId": "its alarms ring while its metrics are missing",
    "JwtAudience": "the issuer's document does not name its audiences",
    "LogLevel": "AllowedValues",
    "LogRetentionDays": "AllowedValues",
    "MailsPerDay": "any number is good; SES' own quota is in preflight's answer about MailFrom",
    "Monitoring": "AllowedValues",
    "ParkedGrowthLimit": "any number is good",
    "PassIssuer": "a name that verifiers compare; the keys are published by the API",
    "PassKeys": "the stack makes the keys; the smoke test reads them",
    "RedisMaxGigabytes": "CloudFormation's own limits are in the template",
    "SignupGrowthLimit": "any number is good",
    "SmsPartsPerDay": "any number is good",
    "Tracing": "AllowedValues",
    "VpcCidr": "a network of the stack alone, which nothing else is in",
    "WebhookUrl": "the function tries each event for a day, and its alarms ring",
    "WriteUnitsAlarmPercent": "any number is good",
}


def test_somebody_has_decided_for_each_parameter() -> None:
    assert not KNOWN_TO.keys() & KNOWN_TO_NONE.keys()
    assert KNOWN_TO.keys() | KNOWN_TO_NONE.keys() == TEMPLATE["Parameters"].keys()


@pytest.mark.parametrize("parameter", KNOWN_TO)
def test_a_tool_asks_for_the_parameters_that_it_must_know(parameter: str) -> None:
    asked = {
        tool
        for tool, files in TOOLS.items()
        if any(INSTEAD.get(parameter, f'"{parameter}"') in text_of(file) for file in files)
    }
    assert asked >= KNOWN_TO[parameter]


@pytest.mark.parametrize("parameter", KNOWN_TO_NONE)
def test_a_parameter_with_allowed_values_has_them(parameter: str) -> None:
    if KNOWN_TO_NONE[parameter] == "AllowedValues":
        assert TEMPLATE["Parameters"][parameter]["AllowedValues"]


@pytest.mark.parametrize("module", [forget_order, rotate_token_secret])
def test_the_tools_of_operators_find_their_stack_whatever_its_parameters(module: Any) -> None:
    """They ask for outputs alone, which every stack has."""
    asked = set(re.findall(r'^[A-Z]+ = "([A-Z][a-z]\w+)"$', text_of_module(module), re.M))
    outputs = asked & TEMPLATE["Outputs"].keys()
    assert outputs
    assert not [name for name in outputs if "Condition" in TEMPLATE["Outputs"][name]]
    assert "ParameterKey" not in text_of_module(module)


@pytest.mark.parametrize(("given", "table"), [({}, "WaitlistTable"), (EXISTING, "other-table")])
def test_the_table_that_operators_work_on_is_the_one_that_the_stack_uses(
    given: dict[str, str], table: str
) -> None:
    stack = make(given)
    own = stack.attribute("WaitlistTable", "Name")
    assert stack.outputs["TableName"] == (own if table == "WaitlistTable" else table)


def text_of_module(module: Any) -> str:
    return text_of(str(module.__file__))


def text_of(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")
