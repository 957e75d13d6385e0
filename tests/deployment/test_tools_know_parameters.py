"""Tests that `make preflight` (before a deployment) and `make smoke` (after it) check the right
parameters.

Each parameter of the template must be listed here, with the tools that check it or with the reason
why none does.
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
# Some tools contain only part of a parameter's name, such as an ending that several names share.
# The tests look for this part.
INSTEAD = {
    **dict.fromkeys(
        (name for name in TEMPLATE["Parameters"] if name.endswith("RateLimit")), '"RateLimit"'
    ),
    **dict.fromkeys(
        (name for name in TEMPLATE["Parameters"] if name.endswith("BurstLimit")), '"BurstLimit"'
    ),
    "Edge": '"EdgeTarget"',
}
# The parameters that tools must check, with the names of the tools. Most of the parameters name
# something outside the stack, such as an existing table.
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
# The parameters that no tool checks, each with a reason.
KNOWN_TO_NONE = {
    "Architecture": "the build and the template take it from one place",
    "BotCheckSiteKey": "no API of the providers can check a site key",
    "CorsOrigins": "only browsers use it, and the template checks its form",
    "Deployment": "AllowedValues lists the configurations of CodeDeploy",
    "EdgeKeys": "the stack creates the keys, and customers' requests do not change",
    "EdgeOnly": "customers always call the edge if there is one",
    "Events": "no caller sees the bus",
    "ExistingRedisCacheArn": "only the private function reaches the cache, and /health tests it",
    "ExistingRedisCluster": "only the private function reaches the cache, and /health tests it",
    "ExistingRedisHasRunIds": "only the private function reaches the cache, and /health tests it",
    "ExistingRedisIamUser": "only the private function reaches the cache, and /health tests it",
    "ExistingRedisNodeId": "its alarms fire if its metrics are missing",
    "JwtAudience": "the issuer's document does not name its audiences",
    "LogLevel": "AllowedValues",
    "LogRetentionDays": "AllowedValues",
    "MailsPerDay": "every number is valid, and preflight reports the quota of SES",
    "Monitoring": "AllowedValues",
    "ParkedGrowthLimit": "every number is valid",
    "PassIssuer": "verifiers only compare this name, and the API publishes the keys",
    "PassKeys": "the stack creates the keys, and the smoke test reads them",
    "RedisMaxGigabytes": "the template contains the limits of CloudFormation",
    "SignupGrowthLimit": "every number is valid",
    "SmsPartsPerDay": "every number is valid",
    "Tracing": "AllowedValues",
    "VpcCidr": "the network belongs to the stack and contains nothing else",
    "WebhookUrl": "the function retries each event for a day, and its alarms fire",
    "WriteUnitsAlarmPercent": "every number is valid",
}


def test_each_parameter_is_assigned_to_tools_or_to_none() -> None:
    assert not KNOWN_TO.keys() & KNOWN_TO_NONE.keys()
    assert KNOWN_TO.keys() | KNOWN_TO_NONE.keys() == TEMPLATE["Parameters"].keys()


@pytest.mark.parametrize("parameter", KNOWN_TO)
def test_each_tool_reads_the_parameters_that_it_must_know(parameter: str) -> None:
    asked = {
        tool
        for tool, files in TOOLS.items()
        if any(INSTEAD.get(parameter, f'"{parameter}"') in read_text(file) for file in files)
    }
    assert asked >= KNOWN_TO[parameter]


@pytest.mark.parametrize("parameter", KNOWN_TO_NONE)
def test_a_parameter_with_allowed_values_has_them(parameter: str) -> None:
    if KNOWN_TO_NONE[parameter] == "AllowedValues":
        assert TEMPLATE["Parameters"][parameter]["AllowedValues"]


@pytest.mark.parametrize("module", [forget_order, rotate_token_secret])
def test_the_operator_tools_work_with_every_set_of_parameters(module: Any) -> None:
    """The operators' tools read only outputs that every stack has."""
    asked = set(re.findall(r'^[A-Z]+ = "([A-Z][a-z]\w+)"$', read_module(module), re.M))
    outputs = asked & TEMPLATE["Outputs"].keys()
    assert outputs
    assert not [name for name in outputs if "Condition" in TEMPLATE["Outputs"][name]]
    assert "ParameterKey" not in read_module(module)


@pytest.mark.parametrize(("given", "table"), [({}, "WaitlistTable"), (EXISTING, "other-table")])
def test_the_output_names_the_table_that_the_stack_uses(given: dict[str, str], table: str) -> None:
    stack = make(given)
    own = stack.attribute("WaitlistTable", "Name")
    assert stack.outputs["TableName"] == (own if table == "WaitlistTable" else table)


def read_module(module: Any) -> str:
    return read_text(str(module.__file__))


def read_text(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")
