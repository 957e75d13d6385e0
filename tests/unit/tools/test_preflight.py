"""`make preflight` finds problems that would stop a deployment, without changing anything."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError
from moto import mock_aws

from tests.rules.sources import ROOT
from tools.deploy import preflight, samconfig
from tools.deploy.account import GOOD, STOPS, UNKNOWN, WARNS
from tools.deploy.preflight import main
from tools.deploy.samconfig import NoSuchSection, Settings
from tools.deploy.stack import Parameters, Stack, make
from tools.local.table import create_table_request

ISSUER = "https://login.example.com"
STACK = "waitlist-dev"
POLICY = ROOT / "docs" / "operate" / "policies" / "preflight.json"
# Typical responses from AWS to requests that moto does not support.
USUAL: dict[str, Any] = {
    "GetAccountSettings": {
        "AccountLimit": {"ConcurrentExecutions": 1000, "UnreservedConcurrentExecutions": 1000}
    },
    "GetAccount": {"throttleSettings": {"rateLimit": 10_000.0, "burstLimit": 5_000}},
    "GetServiceQuota": {"Quota": {"Value": 5.0}},
    "ListCachePolicies": {"CachePolicyList": {"Items": []}},
    "GetEmailIdentity": {"VerifiedForSendingStatus": True},
    # This `GetAccount` is an SES operation. API Gateway has an operation of the same name, which is
    # listed above.
    "ses:GetAccount": {
        "SendingEnabled": True,
        "ProductionAccessEnabled": True,
        "SendQuota": {"MaxSendRate": 14.0, "Max24HourSend": 50_000.0},
    },
    "DescribePhoneNumbers": {"PhoneNumbers": []},
    "DescribePools": {"Pools": []},
    "DescribeSenderIds": {"SenderIds": [{"SenderId": "LINE", "IsoCountryCode": "DE"}]},
    "GetWebACL": {"WebACL": {}},
    "DescribeVpcEndpointServices": {
        "ServiceDetails": [
            {
                "ServiceName": "com.amazonaws.us-east-1.elasticache",
                "AvailabilityZones": [f"us-east-1{zone}" for zone in "abcdf"],
            }
        ]
    },
}


def refusal(operation: str, code: str, message: str = "") -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": message}}, operation)


def concurrency(most: int) -> dict[str, Any]:
    return {"AccountLimit": {"ConcurrentExecutions": most, "UnreservedConcurrentExecutions": most}}


class KeptClients(boto3.session.Session):
    """One AWS session for all tests, because clients are slow to create."""

    client = cache(boto3.session.Session.client)


@cache
def kept_session(region: str | None, _region_of_variable: str | None) -> KeptClients:
    return KeptClients(region_name=region)


def session(region_name: str | None = None, profile_name: str | None = None) -> KeptClients:
    return kept_session(region_name, os.environ.get("AWS_DEFAULT_REGION"))


@cache
def planned_stack(parameters: str, name: str, region: str) -> Stack:
    return make(json.loads(parameters), name, region)


def plan_stack(parameters: Parameters, name: str, region: str) -> Stack:
    """Return the planned stack. Most tests can share a stack, because preflight only reads it."""
    return planned_stack(json.dumps(dict(parameters)), name, region)


class Account:
    """A fake AWS account (moto).

    `answers` replaces the answers to some operations, and `called` contains the operations that
    were called.
    """

    def __init__(self, path: Path) -> None:
        self.config = path / "samconfig.toml"
        self.name = STACK
        self.answers = dict(USUAL)
        self.called: set[tuple[str, str]] = set()
        self.set_parameters()

    def set_parameters(self, *overrides: str) -> None:
        overrides = ("MaxWriteUnitsPerSecond=4000", *overrides)
        self.config.write_text(
            "[dev.deploy.parameters]\n"
            f'stack_name = "{self.name}"\nparameter_overrides = {json.dumps(overrides)}\n'
        )

    def answer(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(client: Any, operation: str, arguments: dict[str, Any]) -> Any:
            service = client.meta.service_model.signing_name
            self.called.add((service, operation))
            found = self.answers.get(f"{service}:{operation}", self.answers.get(operation))
            if isinstance(found, ClientError):
                raise found
            return found if found is not None else real(client, operation, arguments)

        return call

    def stack(self, status: str, **parameters: str) -> None:
        given = [{"ParameterKey": k, "ParameterValue": v} for k, v in parameters.items()]
        found = {"StackName": STACK, "StackStatus": status, "Parameters": given}
        self.answers["DescribeStacks"] = {"Stacks": [found]}


@pytest.fixture(scope="module")
def aws() -> Iterator[Any]:
    """Start Moto only once, because starting it takes longer than removing all resources."""
    with mock_aws() as started:
        yield started


@pytest.fixture
def account(aws: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Account:
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    for name in ("AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")
    monkeypatch.setattr(boto3.session, "Session", session)
    aws.reset()
    client("iam").create_role(
        RoleName="AWSServiceRoleForElastiCache", AssumeRolePolicyDocument="{}"
    )
    made = Account(tmp_path)
    monkeypatch.setattr(samconfig, "CONFIG", made.config)
    monkeypatch.setattr(preflight, "make", plan_stack)
    botocore: Any = BaseClient
    monkeypatch.setattr(botocore, "_make_api_call", made.answer(botocore._make_api_call))
    return made


@pytest.fixture
def look(account: Account, capsys: pytest.CaptureFixture[str]) -> Callable[..., list[str]]:
    def run(exit_code: int, fetch: Callable[[str], bytes] = _no_fetch) -> list[str]:
        assert main(["--config-env", "dev"], fetch) == exit_code
        printed = capsys.readouterr()
        assert exit_code == 0 or "stop the deployment" in printed.err
        return printed.out.replace("\n    ", " | ").splitlines()

    return run


def _no_fetch(url: str) -> bytes:
    raise AssertionError(f"asked {url}")


Look = Callable[..., list[str]]


def marked(found: list[str], mark: str) -> list[str]:
    return [one for one in found if one.startswith(mark)]


def client(service: str) -> Any:
    made: Any = session(region_name="us-east-1")
    return made.client(service)


def test_a_typical_account_has_nothing_that_stops_a_deployment(look: Look) -> None:
    found = look(0)
    assert found[0].startswith(f"{GOOD} creates the stack {STACK} in us-east-1 of account 1234")
    assert len(marked(found, GOOD)) == len(found) - 1
    assert "Zones of the cache: us-east-1a and us-east-1b" in "\n".join(found)


def test_either_variable_can_set_the_region(
    account: Account, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_REGION")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    assert " in eu-central-1 of account" in look(0)[0]


def test_the_error_about_a_missing_region_names_the_variable(
    account: Account, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("AWS_REGION")
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    assert main(["--config-env", "dev"]) == 1
    assert "Set AWS_REGION" in capsys.readouterr().err


def test_the_error_about_expired_credentials_says_how_to_log_in(
    account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    account.answers["GetCallerIdentity"] = refusal("GetCallerIdentity", "ExpiredToken")
    assert main(["--config-env", "dev"]) == 1
    assert "aws sso login" in capsys.readouterr().err


def test_the_error_about_an_unknown_section_lists_the_sections() -> None:
    with pytest.raises(
        NoSuchSection, match=r"contains no stack name for 'staging'.*default, dev, prod,"
    ):
        Settings.read("staging", ROOT / "samconfig.toml")


@pytest.mark.parametrize("section", ["default", "dev", "prod"])
def test_each_section_of_the_projects_samconfig_can_be_read(section: str) -> None:
    settings = Settings.read(section, ROOT / "samconfig.toml")
    assert settings.stack.startswith("waitlist")


def test_a_parameter_that_the_template_lacks_is_an_error(
    account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    account.set_parameters("RedisMaxGigabyte=5")
    assert main(["--config-env", "dev"]) == 1
    assert "no parameter RedisMaxGigabyte" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("status", "command"),
    [
        ("ROLLBACK_COMPLETE", "cloudformation delete-stack --stack-name waitlist-dev"),
        ("DELETE_FAILED", "cloudformation delete-stack --stack-name waitlist-dev"),
        ("UPDATE_ROLLBACK_FAILED", "cloudformation continue-update-rollback"),
        ("UPDATE_IN_PROGRESS", "Wait until"),
    ],
)
def test_a_stack_that_cannot_be_updated_stops_the_deployment(
    account: Account, look: Look, status: str, command: str
) -> None:
    account.stack(status)
    stopping = marked(look(1), STOPS)
    assert status in stopping[0]
    assert command in stopping[0]


def test_a_stack_that_has_only_a_change_set_is_created(account: Account, look: Look) -> None:
    account.stack("REVIEW_IN_PROGRESS")
    assert "creates the stack" in look(0)[0]


def test_existing_resources_with_the_same_names_stop_a_creation(
    account: Account, look: Look
) -> None:
    client("logs").create_log_group(logGroupName=f"/aws/lambda/{STACK}/public")
    client("logs").create_log_group(logGroupName=f"/aws/lambda/{STACK}/public-2")
    client("events").create_event_bus(Name=f"{STACK}-events")
    client("cloudwatch").put_metric_alarm(
        AlarmName=f"{STACK}-ErrorsAlarm-5xx",
        ComparisonOperator="GreaterThanThreshold",
        EvaluationPeriods=1,
    )
    client("cloudwatch").put_dashboard(DashboardName=STACK, DashboardBody='{"widgets": []}')
    account.set_parameters("Edge=on")
    name = f"{STACK}-us-east-1"
    policy = {"CachePolicy": {"Id": "p1", "CachePolicyConfig": {"Name": name}}}
    account.answers["ListCachePolicies"] = {"CachePolicyList": {"Items": [policy]}}
    stopping = marked(look(1), STOPS)
    assert [one.split(" already")[0].removeprefix(f"{STOPS} The ") for one in stopping] == [
        f"log group /aws/lambda/{STACK}/public",
        f"event bus {STACK}-events",
        f"alarm {STACK}-ErrorsAlarm-5xx",
        f"dashboard {STACK}",
        f"CloudFront cache policy {name}",
    ]
    assert f"| aws logs delete-log-group --log-group-name /aws/lambda/{STACK}/public" in stopping[0]


def test_an_updated_stack_may_own_the_names(account: Account, look: Look) -> None:
    client("logs").create_log_group(logGroupName=f"/aws/lambda/{STACK}/public")
    account.stack("UPDATE_COMPLETE")
    assert "updates the stack" in look(0)[0]


def make_table(name: str) -> None:
    client("dynamodb").create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )


def test_leftovers_of_failed_creations_are_listed_with_commands_to_delete_them(
    look: Look,
) -> None:
    make_table(f"{STACK}-WaitlistTable-1A2B")
    make_table("waitlist-dev2-WaitlistTable-1A2B")
    for name, stack in (("EntryTokenSecret-a", STACK), ("EntryTokenSecret-b", "other")):
        client("secretsmanager").create_secret(
            Name=name, SecretString="-", Description=f"Key of the entry tokens of {stack}"
        )
    table, secret = marked(look(0), WARNS)
    assert "--no-deletion-protection-enabled --table-name waitlist-dev-WaitlistTable-1A2B" in table
    assert "| aws dynamodb delete-table --table-name waitlist-dev-WaitlistTable-1A2B" in table
    assert "The secret EntryTokenSecret-a " in secret


def test_the_table_of_an_updated_stack_is_not_a_leftover(account: Account, look: Look) -> None:
    make_table(f"{STACK}-WaitlistTable-1A2B")
    account.stack("UPDATE_COMPLETE")
    detail = {"PhysicalResourceId": f"{STACK}-WaitlistTable-1A2B"}
    account.answers["DescribeStackResource"] = {"StackResourceDetail": detail}
    assert marked(look(0), WARNS) == []


def test_the_low_concurrency_of_a_new_account_is_shown_with_a_request_for_more(
    account: Account, look: Look
) -> None:
    account.answers["GetAccountSettings"] = concurrency(10)
    (found,) = marked(look(0), WARNS)
    assert "More than 5 parallel requests" in found
    assert (
        "| aws service-quotas request-service-quota-increase --region us-east-1 "
        "--service-code lambda --quota-code L-B99A9384 --desired-value 1000"
    ) in found


@pytest.mark.parametrize(
    ("settings", "takes", "instead"),
    [
        (("StartUp=provisioned", "ProvisionedConcurrency=3"), 6, "StartUp=none"),
        (("MaintenanceConcurrency=6",), 6, "MaintenanceConcurrency=0"),
    ],
)
def test_reserved_environments_must_leave_lambda_its_minimum(
    account: Account, look: Look, settings: tuple[str, ...], takes: int, instead: str
) -> None:
    account.set_parameters(*settings)
    account.answers["GetAccountSettings"] = concurrency(100 + takes)
    assert marked(look(0), STOPS) == []
    for most in (99 + takes, 10):
        account.answers["GetAccountSettings"] = concurrency(most)
        (found,) = marked(look(1), STOPS)
        assert f"need {takes} more environments" in found
        assert f"or set {instead}:" in found


@pytest.mark.parametrize(
    ("most", "reserved", "advises"), [(1000, 0, True), (1000, 6, False), (10, 0, False)]
)
def test_a_reservation_is_advised_if_there_is_room_for_it(
    account: Account, look: Look, most: int, reserved: int, advises: bool
) -> None:
    account.answers["GetAccountSettings"] = concurrency(most)
    if reserved:
        account.set_parameters(f"MaintenanceConcurrency={reserved}")
    assert ("MaintenanceConcurrency=10 would reserve" in "\n".join(look(0))) == advises


def test_environments_that_the_stack_already_has_are_not_counted_again(
    account: Account, look: Look
) -> None:
    account.answers["GetAccountSettings"] = concurrency(10)
    account.set_parameters("StartUp=provisioned", "ProvisionedConcurrency=3")
    account.stack("UPDATE_COMPLETE", StartUp="provisioned", ProvisionedConcurrency="3")
    assert marked(look(0), STOPS) == []


@pytest.mark.parametrize("is_listed", [True, False])
def test_a_full_quota_of_vpcs_stops_the_deployment(
    account: Account, look: Look, is_listed: bool
) -> None:
    if not is_listed:
        absent = refusal("GetServiceQuota", "NoSuchResourceException")
        account.answers["GetServiceQuota"] = absent
    for _ in range(4):
        client("ec2").create_vpc(CidrBlock="10.0.0.0/24")
    (found,) = marked(look(1), STOPS)
    assert "has 5 VPCs, and the quota is 5" in found
    assert "--service-code vpc --quota-code L-F678F1CE --desired-value 10" in found


def test_an_existing_network_needs_no_new_vpc(account: Account, look: Look) -> None:
    account.answers["GetServiceQuota"] = {"Quota": {"Value": 1.0}}
    account.set_parameters(*create_network())
    assert marked(look(0), STOPS) == []


def create_network(*zones: str) -> tuple[str, ...]:
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    subnets = [
        ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.9.{number}.0/24", AvailabilityZone=zone)
        for number, zone in enumerate(zones or ("us-east-1a", "us-east-1b"))
    ]
    group = ec2.create_security_group(GroupName="private", Description="-", VpcId=vpc)
    return (
        f"ExistingVpcId={vpc}",
        "ExistingSubnetIds=" + ",".join(one["Subnet"]["SubnetId"] for one in subnets),
        f"ExistingSecurityGroupId={group['GroupId']}",
    )


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ("ExistingSubnetIds=subnet-0a,subnet-0b", "has no subnet subnet-0a, subnet-0b"),
        ("ExistingSecurityGroupId=sg-0a1b2c3d", "has no security group sg-0a1b2c3d"),
    ],
)
def test_a_wrong_name_of_an_existing_network_stops_the_deployment(
    account: Account, look: Look, changed: str, problem: str
) -> None:
    account.set_parameters(*create_network(), changed)
    (found,) = marked(look(1), STOPS)
    assert problem in found


def test_a_cache_needs_subnets_in_two_zones(account: Account, look: Look) -> None:
    account.set_parameters(*create_network("us-east-1a", "us-east-1a"))
    (found,) = marked(look(1), STOPS)
    assert "all in us-east-1a. Choose subnets in two zones" in found


def test_the_warning_about_a_zone_without_elasticache_names_two_zones(
    account: Account, look: Look
) -> None:
    (service,) = USUAL["DescribeVpcEndpointServices"]["ServiceDetails"]
    served = [service | {"AvailabilityZones": ["us-east-1c", "us-east-1a"]}]
    account.answers["DescribeVpcEndpointServices"] = {"ServiceDetails": served}
    (found,) = marked(look(0), WARNS)
    assert "may not be available in us-east-1b" in found
    assert '| "ZoneA=us-east-1a", "ZoneB=us-east-1c",' in found
    account.set_parameters("ZoneA=us-east-1a", "ZoneB=us-east-1c")
    assert marked(look(0), WARNS) == []


def test_a_missing_role_of_elasticache_is_created_once(account: Account, look: Look) -> None:
    client("iam").delete_role(RoleName="AWSServiceRoleForElastiCache")
    (found,) = marked(look(0), WARNS)
    assert "create-service-linked-role --aws-service-name elasticache.amazonaws.com" in found


def test_a_missing_permissions_boundary_stops_the_deployment(account: Account, look: Look) -> None:
    account.set_parameters("PermissionsBoundary=waitlist-dev-boundary")
    (found,) = marked(look(1), STOPS)
    assert "waitlist-dev-boundary" in found
    client("iam").create_policy(
        PolicyName="waitlist-dev-boundary",
        PolicyDocument=POLICY.read_text(),
    )
    assert marked(look(0), STOPS) == []


def test_rates_above_the_regions_limit_stop_the_deployment(account: Account, look: Look) -> None:
    limits = {"throttleSettings": {"rateLimit": 2_500.0, "burstLimit": 1_250}}
    account.answers["GetAccount"] = limits
    account.set_parameters("LookRateLimit=4000", "LookBurstLimit=1250")
    (found,) = marked(look(1), STOPS)
    assert "Lower LookRateLimit=4000, or" in found
    assert "--quota-code L-8A5B8E43 --desired-value 10000" in found


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ({"issuer": ISSUER, "jwks_uri": f"{ISSUER}/keys"}, None),
        ({"issuer": ISSUER}, "contains no jwks_uri"),
        ({"issuer": f"{ISSUER}/", "jwks_uri": f"{ISSUER}/keys"}, "contains the issuer"),
        ("<html>", "does not answer with JSON"),
        (OSError("no such host"), "no such host"),
    ],
)
def test_the_discovery_document_of_an_issuer_is_checked(
    account: Account, look: Look, document: Any, problem: str | None
) -> None:
    account.set_parameters(f"JwtIssuer={ISSUER}", "JwtAudience=app")

    def fetch(url: str) -> bytes:
        assert url == f"{ISSUER}/.well-known/openid-configuration"
        if isinstance(document, OSError):
            raise document
        return (document if isinstance(document, str) else json.dumps(document)).encode()

    found = marked(look(int(bool(problem)), fetch), STOPS)
    assert [(problem or "") in one for one in found] == ([True] if problem else [])


def test_an_alarm_topic_in_another_region_stops_the_deployment(
    account: Account, look: Look
) -> None:
    account.set_parameters("AlarmTopicArn=arn:aws:sns:eu-west-1:123456789012:alarms")
    assert "topics in their own region" in marked(look(1), STOPS)[0]


def test_a_missing_alarm_topic_stops_the_deployment(account: Account, look: Look) -> None:
    account.set_parameters("AlarmTopicArn=arn:aws:sns:us-east-1:123456789012:alarms")
    (found,) = marked(look(1), STOPS)
    assert "alarms would notify nobody" in found
    client("sns").create_topic(Name="alarms")
    assert marked(look(0), STOPS) == []


@pytest.mark.parametrize(
    ("length", "parameters", "resource"),
    [
        (55, ("MailFrom=line@example.com",), None),
        (56, ("MailFrom=line@example.com",), "MessagesFn.FunctionName"),
        (59, ("Edge=on",), None),
        (60, ("Edge=on",), "EdgeKey.Name"),
        (128, (), None),
    ],
)
def test_a_stack_name_that_is_too_long_for_a_resource_stops_the_deployment(
    account: Account, look: Look, length: int, parameters: tuple[str, ...], resource: str | None
) -> None:
    account.name = "s" * length
    account.set_parameters(*parameters)
    found = marked(look(int(resource is not None)), STOPS)
    assert [f"stack_name in samconfig.toml: {resource}:" in one for one in found] == (
        [True] if resource else []
    )


VERIFIED, UNKNOWN_IDENTITY = (
    {"VerifiedForSendingStatus": True},
    refusal("GetEmailIdentity", "NotFoundException"),
)


@pytest.mark.parametrize(
    ("identity", "stops"),
    [
        (VERIFIED, False),
        ({"VerifiedForSendingStatus": False}, True),
        (UNKNOWN_IDENTITY, True),
    ],
)
def test_an_unverified_sender_address_stops_the_deployment(
    account: Account, look: Look, identity: Any, stops: bool
) -> None:
    account.set_parameters("MailFrom=line@example.com")
    account.answers["GetEmailIdentity"] = identity
    found = marked(look(int(stops)), STOPS)
    assert ["neither line@example.com (MailFrom) nor its domain" in one for one in found] == (
        [True] if stops else []
    )


@pytest.mark.parametrize(
    ("state", "mark", "text"),
    [
        ({}, GOOD, "SES sends 14 emails per second and 50,000 per day"),
        ({"ProductionAccessEnabled": False}, WARNS, "SES is in its sandbox"),
        ({"SendingEnabled": False}, STOPS, "SES has paused sending"),
    ],
)
def test_the_state_of_ses_is_shown(
    account: Account, look: Look, state: dict[str, bool], mark: str, text: str
) -> None:
    account.set_parameters("MailFrom=line@example.com")
    account.answers["ses:GetAccount"] = USUAL["ses:GetAccount"] | state
    found = "\n".join(look(int(mark == STOPS)))
    assert f"{mark} {text}" in found


PHONE = {"PhoneNumberId": "phone-1", "PhoneNumber": "+4915112345678"}


@pytest.mark.parametrize(
    ("origin", "numbers", "mark", "text"),
    [
        ("LINE", [], GOOD, "SMS are sent from LINE"),
        ("+4915112345678", [PHONE | {"Status": "ACTIVE"}], GOOD, "SMS are sent from"),
        ("phone-1", [PHONE | {"Status": "PENDING"}], WARNS, "SmsFrom=phone-1 is PENDING"),
        ("phone-2", [PHONE | {"Status": "ACTIVE"}], STOPS, "The account has no number, pool"),
    ],
)
def test_the_origin_of_sms_must_belong_to_the_account(
    account: Account, look: Look, origin: str, numbers: list[Any], mark: str, text: str
) -> None:
    account.set_parameters(f"SmsFrom={origin}")
    account.answers["DescribePhoneNumbers"] = {"PhoneNumbers": numbers}
    assert f"{mark} {text}" in "\n".join(look(int(mark == STOPS)))


CERTIFICATE = "arn:aws:acm:us-east-1:123456789012:certificate/0a1b2c3d"
WEB_ACL = "arn:aws:wafv2:us-east-1:123456789012:global/webacl/guard/0a1b2c3d"


def certificate(status: str, *names: str) -> dict[str, Any]:
    found = {"DomainName": names[0], "SubjectAlternativeNames": names, "Status": status}
    return {"Certificate": found}


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (certificate("ISSUED", "example.com", "queue.example.com"), None),
        (certificate("ISSUED", "*.example.com"), None),
        (certificate("PENDING_VALIDATION", "queue.example.com"), "is PENDING_VALIDATION"),
        (certificate("ISSUED", "*.other.com"), "not for EdgeDomain=queue.example.com"),
        (certificate("ISSUED", "*.com"), "not for EdgeDomain=queue.example.com"),
        (refusal("DescribeCertificate", "ResourceNotFoundException"), "does not exist"),
    ],
)
def test_a_certificate_must_be_issued_for_the_domain(
    account: Account, look: Look, answer: Any, problem: str | None
) -> None:
    account.set_parameters(
        "Edge=on", "EdgeDomain=queue.example.com", f"EdgeCertificateArn={CERTIFICATE}"
    )
    account.answers["DescribeCertificate"] = answer
    found = marked(look(int(problem is not None)), STOPS)
    assert [(problem or "") in one for one in found] == ([True] if problem else [])


def test_a_missing_web_acl_stops_the_deployment(account: Account, look: Look) -> None:
    account.set_parameters("Edge=on", f"EdgeWebAclArn={WEB_ACL}")
    assert marked(look(0), STOPS) == []
    account.answers["GetWebACL"] = refusal("GetWebACL", "WAFNonexistentItemException")
    (found,) = marked(look(1), STOPS)
    assert f"EdgeWebAclArn={WEB_ACL} does not exist" in found


RESTORED = "waitlist-Restored-202611210930"


def set_restored_table(account: Account, **changes: Any) -> str:
    request = create_table_request(RESTORED)
    stream = f"arn:aws:dynamodb:us-east-1:123456789012:table/{RESTORED}/stream/2026-11-21"
    account.answers["DescribeTable"] = {
        "Table": {
            "TableName": RESTORED,
            "KeySchema": request["KeySchema"],
            "GlobalSecondaryIndexes": request["GlobalSecondaryIndexes"],
            "StreamSpecification": request["StreamSpecification"],
            "LatestStreamArn": stream,
            **changes,
        }
    }
    account.set_parameters(f"ExistingTableName={RESTORED}", f"ExistingTableStreamArn={stream}")
    return stream


def test_a_restored_table_with_its_stream_is_accepted(account: Account, look: Look) -> None:
    set_restored_table(account)
    assert marked(look(0), STOPS) == []


def index_without_rank() -> list[Any]:
    (index,) = create_table_request(RESTORED)["GlobalSecondaryIndexes"]
    projection = index["Projection"]
    some = [one for one in projection["NonKeyAttributes"] if one != "rank"]
    return [index | {"Projection": projection | {"NonKeyAttributes": some}}]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}, "has other keys"),
        ({"GlobalSecondaryIndexes": []}, "has no index by_place"),
        ({"GlobalSecondaryIndexes": index_without_rank()}, "by_place of waitlist-Restored-"),
        ({"StreamSpecification": {}}, "has no stream of new and old images"),
        ({"LatestStreamArn": "arn:of:a/later/one"}, "is arn:of:a/later/one, but"),
    ],
)
def test_an_unsuitable_existing_table_stops_the_deployment(
    account: Account, look: Look, changes: dict[str, Any], problem: str
) -> None:
    set_restored_table(account, **changes)
    (found,) = marked(look(1), STOPS)
    assert problem in found


def test_a_missing_existing_table_stops_the_deployment(account: Account, look: Look) -> None:
    set_restored_table(account)
    account.answers["DescribeTable"] = refusal("DescribeTable", "ResourceNotFoundException")
    (found,) = marked(look(1), STOPS)
    assert f"The table {RESTORED} does not exist" in found


@pytest.mark.parametrize(
    ("most", "warm", "warns"), [(4_000, 0, False), (4_001, 0, True), (20_000, 20_000, False)]
)
def test_a_launch_may_need_more_write_capacity_than_a_new_table_has(
    account: Account, look: Look, most: int, warm: int, warns: bool
) -> None:
    account.set_parameters(f"MaxWriteUnitsPerSecond={most}", f"WarmThroughput={warm}")
    found = marked(look(0), WARNS)
    assert [f"Before a launch, set WarmThroughput={most}" in one for one in found] == [True] * warns


@pytest.mark.parametrize(("least", "stops"), [(0, 0), (999, 1), (1_000, 0), (5_000, 0), (5_001, 1)])
def test_an_invalid_minimum_of_the_cache_stops_the_deployment(
    account: Account, look: Look, least: int, stops: int
) -> None:
    account.set_parameters(f"RedisMinEcpuPerSecond={least}", "RedisMaxEcpuPerSecond=5000")
    found = marked(look(stops), STOPS)
    assert ["must be 0, or between 1000 and" in one for one in found] == [True] * stops


def test_the_warm_throughput_of_a_table_cannot_be_lowered(account: Account, look: Look) -> None:
    """DynamoDB cannot lower a table's warm throughput, which can be higher than that of its index.

    The lower value limits the writes.
    """
    (index,) = create_table_request(RESTORED)["GlobalSecondaryIndexes"]
    warm = {"WriteUnitsPerSecond": 12_000, "ReadUnitsPerSecond": 12_000}
    cold = {"WriteUnitsPerSecond": 8_000, "ReadUnitsPerSecond": 12_000}
    stream = set_restored_table(
        account, WarmThroughput=warm, GlobalSecondaryIndexes=[index | {"WarmThroughput": cold}]
    )
    existing = (f"ExistingTableName={RESTORED}", f"ExistingTableStreamArn={stream}")
    for mine in (3_999, 5_000):
        account.set_parameters(*existing, f"WarmThroughput={mine}")
        assert len(marked(look(1), STOPS)) == 1
    (found,) = marked(look(1), STOPS)
    assert "Set WarmThroughput=8000 or 0" in found
    account.set_parameters(*existing, "MaxWriteUnitsPerSecond=9000")
    (found,) = marked(look(0), WARNS)
    assert "accepts 8,000 write units per second until it has grown" in found


@pytest.mark.parametrize(
    ("code", "is_a_right"), [("AccessDeniedException", True), ("ServiceException", False)]
)
def test_a_refused_call_to_aws_is_reported_and_other_checks_continue(
    account: Account, look: Look, code: str, is_a_right: bool
) -> None:
    account.answers["GetAccountSettings"] = refusal("GetAccountSettings", code)
    found = look(0)
    (unknown,) = marked(found, UNKNOWN)
    assert "concurrency" in unknown
    assert ("docs/operate/policies/preflight.json" in unknown) == is_a_right
    assert "API Gateway serves" in "\n".join(found)


def as_iam_names(service: str, operation: str) -> str:
    # API Gateway's IAM actions are named after HTTP methods.
    return "apigateway:GET" if service == "apigateway" else f"{service}:{operation}"


# Some services have a different name in signatures than in IAM actions.
SIGNED_AS = {"monitoring": "cloudwatch"}


def test_the_policy_of_preflight_allows_exactly_the_operations_that_it_calls(
    account: Account, look: Look
) -> None:
    stream = set_restored_table(account)
    network = create_network()
    account.called.clear()
    account.answers["DescribeCertificate"] = certificate("ISSUED", "queue.example.com")
    account.set_parameters(
        "Edge=on",
        "EdgeDomain=queue.example.com",
        f"EdgeCertificateArn={CERTIFICATE}",
        f"EdgeWebAclArn={WEB_ACL}",
        "PermissionsBoundary=waitlist-dev-boundary",
        "AlarmTopicArn=arn:aws:sns:us-east-1:123456789012:alarms",
        "MailFrom=line@example.com",
        "SmsFrom=LINE",
        f"ExistingTableName={RESTORED}",
        f"ExistingTableStreamArn={stream}",
    )
    look(1)
    account.set_parameters(*network)
    account.stack("UPDATE_COMPLETE")
    look(0)
    called = {
        as_iam_names(SIGNED_AS.get(service, service), operation)
        for service, operation in account.called
        # GetCallerIdentity needs no permission.
        if operation != "GetCallerIdentity"
    }
    (statement,) = json.loads(POLICY.read_text())["Statement"]
    assert set(statement["Action"]) == called
    assert statement["Action"] == sorted(statement["Action"])
    reading = ("Get", "List", "Describe", "GET")
    assert all(one.partition(":")[2].startswith(reading) for one in called)


@pytest.mark.parametrize("name", ["AWS_REGION", "AWS_DEFAULT_REGION"])
def test_make_sets_both_variables_of_the_region(name: str) -> None:
    """The Makefile sets both variables for the region, because the AWS CLI prefers AWS_REGION, but
    SAM and boto3 read only AWS_DEFAULT_REGION.
    """
    environment = {"PATH": os.environ["PATH"], name: "eu-central-1"}
    rule = 'probe: ; @echo "$$AWS_REGION $$AWS_DEFAULT_REGION"'
    made = subprocess.run(
        ["make", "--no-print-directory", "--eval", rule, "probe"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout.split() == ["eu-central-1", "eu-central-1"]
