"""`make preflight CONFIG_ENV=dev`: finds what would stop `make sam-deploy`, before it starts.

It reads `samconfig.toml` and the account, and changes nothing: docs/operate/policies/preflight.json
has the rights that it needs. Exits with 1 if something would stop the deployment.
"""

import argparse
import json
import sys
import urllib.request
from collections.abc import Callable, Sequence
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from tools.deploy import aws
from tools.deploy.account import (
    DENIED,
    GOOD,
    NO_SUCH,
    STOPS,
    UNKNOWN,
    WARNS,
    Account,
    Fetch,
    Finding,
    Findings,
    code_of,
    exists,
)
from tools.deploy.named import CHECKS as CHECKS_OF_WHAT_IS_NAMED
from tools.deploy.samconfig import NoSuchSection, Settings
from tools.deploy.stack import Unresolved, make
from tools.local.table import TABLE_RESOURCE, read_template

SECRET = "EntryTokenSecret"
SAM_STACK = "aws-sam-cli-managed-default"
# Lambda keeps this part of the account's concurrency for functions without a reservation.
UNRESERVED = 100
ENOUGH = 1000
# Runs of maintenance at once: one each minute of up to five minutes, and those that requests start.
MAINTENANCE = 10
# AWS' default where Service Quotas lists no value of the account's own.
VPCS = 5


class Refused(Exception):
    """Nothing can be looked at; the message has the cause and the remedy."""


def check_stack(account: Account) -> Findings:
    """Find a stack in a state in which CloudFormation refuses an update, also SAM's own."""
    for name in (account.settings.stack, SAM_STACK):
        found = account.stack(name)
        status = found["StackStatus"] if found else ""
        if status in ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED", "DELETE_FAILED"):
            yield Finding(
                STOPS,
                f"The stack {name} is {status}, so it can only be deleted. Its events have the"
                " reason; a table that it had made is kept.",
                (
                    f"aws cloudformation delete-stack --stack-name {name}",
                    f"aws cloudformation wait stack-delete-complete --stack-name {name}",
                ),
            )
        elif status == "UPDATE_ROLLBACK_FAILED":
            yield Finding(
                STOPS,
                f"The stack {name} is {status}. End the cause (docs/operate/upgrade.md), then:",
                (f"aws cloudformation continue-update-rollback --stack-name {name}",),
            )
        elif status.endswith("_IN_PROGRESS") and status != "REVIEW_IN_PROGRESS":
            yield Finding(STOPS, f"The stack {name} is {status}: wait until that has ended.")


def check_names(account: Account) -> Findings:
    """Find resources of another stack, or of nobody, with names that the new stack takes."""
    if account.deployed is not None:
        return
    for group in _named(account, "Logs::LogGroup", "LogGroupName"):
        page = account.client("logs").describe_log_groups(logGroupNamePrefix=group)
        if group in [one["logGroupName"] for one in page["logGroups"]]:
            yield _taken(f"log group {group}", f"logs delete-log-group --log-group-name {group}")
    for bus in _named(account, "Events::EventBus", "Name"):
        if exists(account.client("events").describe_event_bus, Name=bus):
            yield _taken(
                f"event bus {bus}",
                f"events list-rules --event-bus-name {bus}",
                f"events delete-event-bus --name {bus}",
            )
    alarms = _named(account, "CloudWatch::Alarm", "AlarmName")
    cloudwatch = account.client("cloudwatch")
    for alarm in cloudwatch.describe_alarms(AlarmNames=alarms)["MetricAlarms"] if alarms else ():
        name = alarm["AlarmName"]
        yield _taken(f"alarm {name}", f"cloudwatch delete-alarms --alarm-names {name}")
    for board in _named(account, "CloudWatch::Dashboard", "DashboardName"):
        page = cloudwatch.list_dashboards(DashboardNamePrefix=board)
        if board in [one["DashboardName"] for one in page["DashboardEntries"]]:
            yield _taken(
                f"dashboard {board}", f"cloudwatch delete-dashboards --dashboard-names {board}"
            )
    policies = account.planned.of_type("AWS::CloudFront::CachePolicy").values()
    for name in [one["CachePolicyConfig"]["Name"] for one in policies]:
        listed = account.client("cloudfront").list_cache_policies(Type="custom")
        for one in listed["CachePolicyList"].get("Items", []):
            if one["CachePolicy"]["CachePolicyConfig"]["Name"] == name:
                yield _taken(
                    f"CloudFront cache policy {name}",
                    f"cloudfront get-cache-policy --id {one['CachePolicy']['Id']}",
                )


def _named(account: Account, kind: str, name: str) -> list[str]:
    """Return the names that the template, not CloudFormation, gives to resources of a type."""
    made = account.planned.of_type(f"AWS::{kind}").values()
    return sorted(str(one[name]) for one in made if name in one)


def _taken(what: str, *commands: str) -> Finding:
    return Finding(
        STOPS,
        f"There is a {what} already, so the stack cannot create its own. If nothing needs it,"
        " delete it; otherwise choose another stack_name in samconfig.toml.",
        tuple(f"aws {command}" for command in commands),
    )


def check_leftovers(account: Account) -> Findings:
    """Find tables and secrets of this stack's name that a deleted stack has left."""
    own = account.own(TABLE_RESOURCE)
    pages = account.client("dynamodb").get_paginator("list_tables").paginate()
    prefix = f"{account.settings.stack}-{TABLE_RESOURCE}-"
    for table in [name for page in pages for name in page["TableNames"]]:
        in_use = table in (own, account.parameter("ExistingTableName"))
        if table.startswith(prefix) and not in_use:
            yield Finding(
                WARNS,
                f"The table {table} is kept from a stack before. If it has a record that you"
                " need, set ExistingTableName (docs/operate/restore.md). If it is of no use:",
                (
                    "aws dynamodb update-table --no-deletion-protection-enabled"
                    f" --table-name {table}",
                    f"aws dynamodb delete-table --table-name {table}",
                ),
            )
    own = account.own(SECRET)
    description = account.planned.of_type("AWS::SecretsManager::Secret")[SECRET]["Description"]
    pages = account.client("secretsmanager").get_paginator("list_secrets")
    for page in pages.paginate(Filters=[{"Key": "name", "Values": [SECRET]}]):
        for secret in page["SecretList"]:
            if secret.get("Description") == description and secret["ARN"] != own:
                yield Finding(
                    WARNS,
                    f"The secret {secret['Name']} is kept from a stack before: it validates that"
                    " stack's entry tokens. If they are of no use any more:",
                    (f"aws secretsmanager delete-secret --secret-id {secret['ARN']}",),
                )


def check_concurrency(account: Account) -> Findings:
    """Compare Lambda's concurrency with what requests, provisions and reservations take."""
    limits = account.client("lambda").get_account_settings()["AccountLimit"]
    most, free = limits["ConcurrentExecutions"], limits["UnreservedConcurrentExecutions"]
    provisioned = _provisioned(account.parameter) - _provisioned(account.was)
    reserved = _reserved(account.parameter) - _reserved(account.was)
    needed = provisioned + reserved
    kept = min(UNRESERVED, most)
    if needed > max(free - kept, 0):
        takes = {"StartUp=none": provisioned, "MaintenanceConcurrency=0": reserved}
        instead = " and ".join(name for name, number in takes.items() if number > 0)
        yield Finding(
            STOPS,
            f"The settings take {needed} more environments, and Lambda has {free} unreserved here,"
            f" of which it keeps {kept} for other functions. Ask for more, or set {instead}:",
            (account.increase("lambda", "L-B99A9384", max(ENOUGH, most + needed)),),
        )
    elif most < ENOUGH:
        yield Finding(
            WARNS,
            f"Lambda runs {most} environments at once in this region, and each request holds"
            f" two: {most // 2} requests at a time, more are answered 429 or 503. Ask for more:",
            (account.increase("lambda", "L-B99A9384", ENOUGH),),
        )
    else:
        advice = ""
        if not _reserved(account.parameter) and free - kept >= MAINTENANCE:
            advice = f"; MaintenanceConcurrency={MAINTENANCE} keeps some of them for maintenance"
        yield Finding(GOOD, f"Lambda runs {most:,} environments at once{advice}")


def _reserved(value: Callable[[str], str]) -> int:
    return int(value("MaintenanceConcurrency") or 0)


def _provisioned(value: Callable[[str], str]) -> int:
    is_provisioned = value("StartUp") == "provisioned"
    return 2 * int(value("ProvisionedConcurrency")) if is_provisioned else 0


def check_network(account: Account) -> Findings:
    """Find a full quota of VPCs, and zones in which the cache may not exist."""
    if account.deployed is not None or account.parameter("ExistingVpcId"):
        return
    ec2 = account.client("ec2")
    used = len(
        [one for page in ec2.get_paginator("describe_vpcs").paginate() for one in page["Vpcs"]]
    )
    most = VPCS
    try:
        quota = account.client("service-quotas").get_service_quota(
            ServiceCode="vpc", QuotaCode="L-F678F1CE"
        )
        most = int(quota["Quota"]["Value"])
    except ClientError as error:
        if code_of(error) not in NO_SUCH:
            raise
    if used >= most:
        yield Finding(
            STOPS,
            f"The region has {used} VPCs of at most {most}. Delete one, set ExistingVpcId and"
            " ExistingSubnetIds, or ask for more:",
            (account.increase("vpc", "L-F678F1CE", most + 5),),
        )
    else:
        yield Finding(GOOD, f"VPCs: {used} of {most} in use")
    yield from _check_zones(account, ec2)


def _check_zones(account: Account, ec2: Any) -> Findings:
    """Compare the subnets' zones with those of ElastiCache's own endpoint.

    No call lists the zones of the serverless cache, so this is a hint: a zone in which AWS offers
    no endpoint of ElastiCache is unlikely to have one.
    """
    here = [{"Name": "zone-type", "Values": ["availability-zone"]}]
    zones = sorted(
        one["ZoneName"]
        for one in ec2.describe_availability_zones(Filters=here)["AvailabilityZones"]
        if one["State"] == "available"
    )
    # As Fn::GetAZs: zones with a default subnet, or all if there is none.
    default = [{"Name": "default-for-az", "Values": ["true"]}]
    subnets = ec2.describe_subnets(Filters=default)["Subnets"]
    chosen = sorted({one["AvailabilityZone"] for one in subnets} & set(zones)) or zones
    if account.parameter("ZoneA"):
        chosen = [account.parameter("ZoneA"), account.parameter("ZoneB")]
    name = f"com.amazonaws.{account.session.region_name}.elasticache"
    services = ec2.describe_vpc_endpoint_services(
        Filters=[{"Name": "service-name", "Values": [name]}]
    )["ServiceDetails"]
    served = sorted(
        {
            zone
            for one in services
            if one["ServiceName"] == name
            for zone in one["AvailabilityZones"]
        }
        & set(zones)
    )
    bad = [zone for zone in chosen[:2] if zone not in (served or zones)]
    if bad:
        good = served or zones
        yield Finding(
            WARNS,
            f"ElastiCache Serverless may not exist in {' and '.join(bad)}: AWS offers no endpoint"
            " of ElastiCache there. Set in samconfig.toml:",
            (f'"ZoneA={good[0]}", "ZoneB={good[1]}",',) if len(good) > 1 else (),
        )
    else:
        yield Finding(GOOD, f"Zones of the cache: {' and '.join(chosen[:2])}")


def check_roles(account: Account) -> Findings:
    """Find a permissions boundary that does not exist, and ElastiCache's missing role."""
    iam = account.client("iam")
    boundary = account.parameter("PermissionsBoundary")
    if boundary:
        arn = f"arn:{account.partition}:iam::{account.id}:policy/{boundary}"
        if not exists(iam.get_policy, PolicyArn=arn):
            yield Finding(
                STOPS,
                f"The policy {boundary} (PermissionsBoundary) does not exist, so no role can be"
                " created. The stack of docs/operate/policies/github-oidc-role.yaml makes it"
                " (docs/operate/github.md); without GitHub leave the parameter out.",
            )
    makes_redis = not account.parameter("ExistingRedisUrl")
    if makes_redis and not exists(iam.get_role, RoleName="AWSServiceRoleForElastiCache"):
        yield Finding(
            WARNS,
            "The account has no service-linked role of ElastiCache. AWS creates it with the first"
            " cache if the deployment may (iam:CreateServiceLinkedRole, iam:PutRolePolicy), which"
            " may fail that creation. Once, as an administrator:",
            ("aws iam create-service-linked-role --aws-service-name elasticache.amazonaws.com",),
        )


def check_rates(account: Account) -> Findings:
    """Compare the routes' limits with the account's limit of API Gateway in the region."""
    throttle = account.client("apigateway").get_account()["throttleSettings"]
    limits = {"RateLimit": throttle["rateLimit"], "BurstLimit": throttle["burstLimit"]}
    above = [
        f"{name}={account.parameter(name)}"
        for name in read_template()["Parameters"]
        for kind, most in limits.items()
        if name.endswith(kind) and float(account.parameter(name)) > most
    ]
    have = f"{limits['RateLimit']:,.0f} requests a second, in bursts of {limits['BurstLimit']:,}"
    if above:
        wanted = max(float(one.split("=")[1]) for one in above)
        yield Finding(
            STOPS,
            f"API Gateway serves {have} in this region, for all APIs together, and no route can"
            f" have more: lower {', '.join(above)}, or ask for more (the burst follows the rate):",
            (account.increase("apigateway", "L-8A5B8E43", int(max(wanted, 10_000))),),
        )
    else:
        yield Finding(GOOD, f"API Gateway serves {have}")


def check_issuer(account: Account) -> Findings:
    """Find an issuer of tokens that API Gateway would refuse, because it does not answer."""
    issuer = account.parameter("JwtIssuer")
    if not issuer:
        return
    url = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    try:
        found = json.loads(account.fetch(url))
        problem = "names no jwks_uri" if "jwks_uri" not in found else ""
        if found.get("issuer") != issuer:
            problem = f"names the issuer {found.get('issuer')!r}"
    except (OSError, ValueError, AttributeError, TypeError) as error:
        problem = f"does not answer with JSON ({error})"
    if problem:
        yield Finding(
            STOPS,
            f"{url} {problem}. API Gateway reads it when the stack is deployed, from the internet,"
            f" and tokens must name the same `iss`: correct JwtIssuer={issuer}, or the issuer.",
        )
    else:
        yield Finding(GOOD, f"The issuer {issuer} answers")


CHECKS: tuple[Callable[[Account], Findings], ...] = (
    check_stack,
    check_names,
    check_leftovers,
    check_concurrency,
    check_network,
    check_roles,
    check_rates,
    check_issuer,
    *CHECKS_OF_WHAT_IS_NAMED,
)


def findings(account: Account) -> Findings:
    """Yield what each check finds, and which check AWS did not answer."""
    for check in CHECKS:
        try:
            yield from check(account)
        except (ClientError, BotoCoreError) as error:
            is_denied = isinstance(error, ClientError) and code_of(error) in DENIED
            advice = " Attach docs/operate/policies/preflight.json." if is_denied else ""
            name = check.__name__.removeprefix("check_")
            yield Finding(UNKNOWN, f"Not checked ({name}): {error}.{advice}")


def _fetch(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return bytes(answer.read())


def account_of(settings: Settings, fetch: Fetch = _fetch) -> Account:
    """Return the account of the environment; raises Refused without region or credentials."""
    session = aws.session(settings.profile, settings.region)
    if session.region_name is None:
        raise Refused("No AWS region. Set AWS_REGION, such as AWS_REGION=eu-central-1.")
    try:
        identity = session.client("sts").get_caller_identity()
    except (ClientError, BotoCoreError) as error:
        raise Refused(
            f"AWS refuses the credentials in {session.region_name}: {error}. Log in"
            " (`aws sso login`, AWS_PROFILE), or enable the region in the account."
        ) from error
    try:
        planned = make(settings.parameters, settings.stack, session.region_name)
    except Unresolved as error:
        raise Refused(f"samconfig.toml does not fit template.yaml: {error}.") from error
    return Account(session, settings, identity, planned, fetch)


def main(arguments: Sequence[str] | None = None, fetch: Fetch = _fetch) -> int:
    parser = argparse.ArgumentParser(description="Finds what would stop a deployment.")
    parser.add_argument("--config-env", default="default", help="the section of samconfig.toml")
    given = parser.parse_args(arguments)
    try:
        settings = Settings.read(given.config_env)
        account = account_of(settings, fetch)
        where = f"{settings.stack} in {account.session.region_name} of account {account.id}"
        what = "updates the stack" if account.deployed else "creates the stack"
        print(f"{GOOD} {what} {where}, as {account.identity['Arn']}", flush=True)
        found = []
        for finding in findings(account):
            print(finding, flush=True)
            found.append(finding.mark)
    except (Refused, NoSuchSection, ClientError, BotoCoreError) as error:
        print(f"preflight failed: {error}", file=sys.stderr)
        return 1
    if STOPS in found:
        print(f"\n{found.count(STOPS)} of these would stop the deployment.", file=sys.stderr)
        return 1
    print("Nothing that was looked at stops the deployment.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
