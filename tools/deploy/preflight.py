"""Find problems that would stop `make sam-deploy`.

`make preflight CONFIG_ENV=dev` runs this program. It reads `samconfig.toml` and the account, and
changes nothing. It needs the permissions in docs/operate/policies/preflight.json. The exit status
is 1 if something would stop the deployment.
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
# The part of the account's concurrency that Lambda keeps for functions without a reservation.
UNRESERVED = 100
ENOUGH = 1000
# The maximum number of concurrent maintenance runs. A run starts every minute and takes up to five
# minutes, and requests can start more.
MAINTENANCE = 10
# AWS's default quota, which is used if Service Quotas has no value for the account.
VPCS = 5


class Refused(Exception):
    """The account cannot be checked. The message says why and what to do."""


def check_stack(account: Account) -> Findings:
    """Check that CloudFormation would accept an update now, both to this stack and to SAM's own
    stack.
    """
    for name in (account.settings.stack, SAM_STACK):
        found = account.stack(name)
        status = found["StackStatus"] if found else ""
        if status in ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED", "DELETE_FAILED"):
            yield Finding(
                STOPS,
                f"The stack {name} is {status}, so it can only be deleted. Its events state the"
                " reason. If it has created a table, the table is kept.",
                (
                    f"aws cloudformation delete-stack --stack-name {name}",
                    f"aws cloudformation wait stack-delete-complete --stack-name {name}",
                ),
            )
        elif status == "UPDATE_ROLLBACK_FAILED":
            yield Finding(
                STOPS,
                f"The stack {name} is {status}. Remove the cause (docs/operate/upgrade.md), then:",
                (f"aws cloudformation continue-update-rollback --stack-name {name}",),
            )
        elif status.endswith("_IN_PROGRESS") and status != "REVIEW_IN_PROGRESS":
            yield Finding(STOPS, f"The stack {name} is {status}. Wait until this has finished.")


def check_names(account: Account) -> Findings:
    if account.deployed is not None:
        return
    for group in _named(account, "Logs::LogGroup", "LogGroupName"):
        page = account.client("logs").describe_log_groups(logGroupNamePrefix=group)
        if group in [found["logGroupName"] for found in page["logGroups"]]:
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
        if board in [found["DashboardName"] for found in page["DashboardEntries"]]:
            yield _taken(
                f"dashboard {board}", f"cloudwatch delete-dashboards --dashboard-names {board}"
            )
    policies = account.planned.of_type("AWS::CloudFront::CachePolicy").values()
    for name in [policy["CachePolicyConfig"]["Name"] for policy in policies]:
        listed = account.client("cloudfront").list_cache_policies(Type="custom")
        for item in listed["CachePolicyList"].get("Items", []):
            if item["CachePolicy"]["CachePolicyConfig"]["Name"] == name:
                yield _taken(
                    f"CloudFront cache policy {name}",
                    f"cloudfront get-cache-policy --id {item['CachePolicy']['Id']}",
                )


def _named(account: Account, kind: str, name: str) -> list[str]:
    """Return the resource names that the template itself sets. CloudFormation generates all
    others.
    """
    made = account.planned.of_type(f"AWS::{kind}").values()
    return sorted(str(properties[name]) for properties in made if name in properties)


def _taken(what: str, *commands: str) -> Finding:
    return Finding(
        STOPS,
        f"The {what} already exists, so the stack cannot create it. If nothing needs it,"
        " delete it. Otherwise choose another stack_name in samconfig.toml.",
        tuple(f"aws {command}" for command in commands),
    )


def check_leftovers(account: Account) -> Findings:
    """A deleted stack of the same name may have left tables and secrets behind."""
    own = account.own(TABLE_RESOURCE)
    pages = account.client("dynamodb").get_paginator("list_tables").paginate()
    prefix = f"{account.settings.stack}-{TABLE_RESOURCE}-"
    for table in [name for page in pages for name in page["TableNames"]]:
        in_use = table in (own, account.parameter("ExistingTableName"))
        if table.startswith(prefix) and not in_use:
            yield Finding(
                WARNS,
                f"The table {table} was kept from an earlier stack. If it contains data that you"
                " need, set ExistingTableName (docs/operate/restore.md). If you do not need it,"
                " run:",
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
                    f"The secret {secret['Name']} was kept from an earlier stack. It validates that"
                    " stack's entry tokens. If you do not need them, run:",
                    (f"aws secretsmanager delete-secret --secret-id {secret['ARN']}",),
                )


def check_concurrency(account: Account) -> Findings:
    """Lambda limits an account's concurrency. Check that the stack's provisioned and reserved
    concurrency fit within this limit.
    """
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
            f"The settings need {needed} more environments, but Lambda has {free} unreserved here,"
            f" of which it keeps {kept} for other functions. Ask for more, or set {instead}:",
            (account.increase("lambda", "L-B99A9384", max(ENOUGH, most + needed)),),
        )
    elif most < ENOUGH:
        yield Finding(
            WARNS,
            f"Lambda runs at most {most} environments in this region, and each request needs"
            f" two. More than {most // 2} parallel requests cause 429s or 503s. Ask for more:",
            (account.increase("lambda", "L-B99A9384", ENOUGH),),
        )
    else:
        advice = ""
        if not _reserved(account.parameter) and free - kept >= MAINTENANCE:
            advice = (
                f". MaintenanceConcurrency={MAINTENANCE} would reserve some of them for maintenance"
            )
        yield Finding(GOOD, f"Lambda runs up to {most:,} environments{advice}")


def _reserved(value: Callable[[str], str]) -> int:
    return int(value("MaintenanceConcurrency") or 0)


def _provisioned(value: Callable[[str], str]) -> int:
    is_provisioned = value("StartUp") == "provisioned"
    return 2 * int(value("ProvisionedConcurrency")) if is_provisioned else 0


def check_network(account: Account) -> Findings:
    if account.deployed is not None or account.parameter("ExistingVpcId"):
        return
    ec2 = account.client("ec2")
    used = len(
        [vpc for page in ec2.get_paginator("describe_vpcs").paginate() for vpc in page["Vpcs"]]
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
            f"The region has {used} VPCs, and the quota is {most}. Delete a VPC, set ExistingVpcId"
            " and ExistingSubnetIds, or ask for a higher quota:",
            (account.increase("vpc", "L-F678F1CE", most + 5),),
        )
    else:
        yield Finding(GOOD, f"VPCs: {used} of {most} in use")
    yield from _check_zones(account, ec2)


def _check_zones(account: Account, ec2: Any) -> Findings:
    """Compare the subnets' zones with the zones in which ElastiCache has an endpoint.

    AWS does not say in which zones the serverless cache is available. If ElastiCache has no
    endpoint in a zone, the cache is probably not available there either, so the result is only a
    hint.
    """
    here = [{"Name": "zone-type", "Values": ["availability-zone"]}]
    zones = sorted(
        zone["ZoneName"]
        for zone in ec2.describe_availability_zones(Filters=here)["AvailabilityZones"]
        if zone["State"] == "available"
    )
    # Choose the zones as Fn::GetAZs does: the zones with a default subnet, or all zones if there is
    # no default subnet.
    default = [{"Name": "default-for-az", "Values": ["true"]}]
    subnets = ec2.describe_subnets(Filters=default)["Subnets"]
    chosen = sorted({subnet["AvailabilityZone"] for subnet in subnets} & set(zones)) or zones
    if account.parameter("ZoneA"):
        chosen = [account.parameter("ZoneA"), account.parameter("ZoneB")]
    name = f"com.amazonaws.{account.session.region_name}.elasticache"
    services = ec2.describe_vpc_endpoint_services(
        Filters=[{"Name": "service-name", "Values": [name]}]
    )["ServiceDetails"]
    served = sorted(
        {
            zone
            for service in services
            if service["ServiceName"] == name
            for zone in service["AvailabilityZones"]
        }
        & set(zones)
    )
    bad = [zone for zone in chosen[:2] if zone not in (served or zones)]
    if bad:
        good = served or zones
        yield Finding(
            WARNS,
            f"ElastiCache Serverless may not be available in {' and '.join(bad)}, because AWS"
            " offers no ElastiCache endpoint there. Set in samconfig.toml:",
            (f'"ZoneA={good[0]}", "ZoneB={good[1]}",',) if len(good) > 1 else (),
        )
    else:
        yield Finding(GOOD, f"Zones of the cache: {' and '.join(chosen[:2])}")


def check_roles(account: Account) -> Findings:
    iam = account.client("iam")
    boundary = account.parameter("PermissionsBoundary")
    if boundary:
        arn = f"arn:{account.partition}:iam::{account.id}:policy/{boundary}"
        if not exists(iam.get_policy, PolicyArn=arn):
            yield Finding(
                STOPS,
                f"The policy {boundary} (PermissionsBoundary) does not exist, so no role can be"
                " created. The stack of docs/operate/policies/github-oidc-role.yaml creates the"
                " policy (docs/operate/github.md). If you do not use GitHub, leave the parameter"
                " out.",
            )
    makes_redis = not account.parameter("ExistingRedisUrl")
    if makes_redis and not exists(iam.get_role, RoleName="AWSServiceRoleForElastiCache"):
        yield Finding(
            WARNS,
            "The account has no service-linked role of ElastiCache. AWS creates it with the first"
            " cache, if the deployment may call iam:CreateServiceLinkedRole and iam:PutRolePolicy."
            " This first creation may fail. Run once, as an administrator:",
            ("aws iam create-service-linked-role --aws-service-name elasticache.amazonaws.com",),
        )


def check_rates(account: Account) -> Findings:
    """API Gateway also limits the account's total request rate in a region."""
    throttle = account.client("apigateway").get_account()["throttleSettings"]
    limits = {"RateLimit": throttle["rateLimit"], "BurstLimit": throttle["burstLimit"]}
    above = [
        f"{name}={account.parameter(name)}"
        for name in read_template()["Parameters"]
        for kind, most in limits.items()
        if name.endswith(kind) and float(account.parameter(name)) > most
    ]
    have = f"{limits['RateLimit']:,.0f} requests per second, in bursts of {limits['BurstLimit']:,}"
    if above:
        wanted = max(float(setting.split("=")[1]) for setting in above)
        yield Finding(
            STOPS,
            f"In this region, API Gateway serves {have} for all APIs together, and no route can"
            f" have more. Lower {', '.join(above)}, or ask for a higher rate (the burst follows"
            " the rate):",
            (account.increase("apigateway", "L-8A5B8E43", int(max(wanted, 10_000))),),
        )
    else:
        yield Finding(GOOD, f"API Gateway serves {have}")


def check_issuer(account: Account) -> Findings:
    """API Gateway accepts an issuer only if it can read the issuer's OpenID configuration."""
    issuer = account.parameter("JwtIssuer")
    if not issuer:
        return
    url = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    try:
        found = json.loads(account.fetch(url))
        problem = "contains no jwks_uri" if "jwks_uri" not in found else ""
        if found.get("issuer") != issuer:
            problem = f"contains the issuer {found.get('issuer')!r}"
    except (OSError, ValueError, AttributeError, TypeError) as error:
        problem = f"does not answer with JSON ({error})"
    if problem:
        yield Finding(
            STOPS,
            f"{url} {problem}. API Gateway reads this URL from the internet when the stack is"
            f" deployed, and tokens must contain the same `iss`. Correct JwtIssuer={issuer},"
            " or the issuer.",
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
    """If AWS refuses a call, yield a finding that the check was not possible."""
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
    """Raise Refused if there are no valid credentials or no region."""
    session = aws.session(settings.profile, settings.region)
    if session.region_name is None:
        raise Refused("No AWS region is set. Set AWS_REGION, for example AWS_REGION=eu-central-1.")
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
    parser = argparse.ArgumentParser(description="Find problems that would stop a deployment.")
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
        print(
            f"\n{found.count(STOPS)} of these findings would stop the deployment.", file=sys.stderr
        )
        return 1
    print("The checks found no problem that would stop the deployment.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
