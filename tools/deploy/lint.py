"""Check the template as AWS receives it, for each relevant set of parameters. `make lint-templates`
runs this program.

`sam validate` and cfn-lint read the template before SAM's transform, when aliases, deployment
groups and permissions do not exist yet. This program translates the template with SAM's own
translator for each set of parameters, and resolves every function in it.

It checks the result with cfn-lint, the published schemas and botocore's models. It also checks
AWS's limits, the permissions of GitHub's roles, and the order in which resources are created,
updated and deleted.

The program prints each finding with the parameter sets that cause it. The exit status is 1 if there
are any findings.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jsonschema
from rich.console import Console
from rich.progress import track

from tools.deploy.api_models import against_api_models
from tools.deploy.handlers import against_handlers
from tools.deploy.lifecycle import (
    Account,
    Refused,
    comes_before,
    order,
    refusals_of_update,
    schema,
)
from tools.deploy.limits import over_the_limits
from tools.deploy.samconfig import Settings
from tools.deploy.stack import Stack, Unresolved, make, translated

ROOT = Path(__file__).resolve().parents[2]
LONGEST_STACK_NAME = "a-waiting-list-whose-stack-has-a-name-of-just-59-characters"
# Two cfn-lint rules that do not apply, because the references have already been resolved: an
# availability zone is now a literal (W3010), and a version refers to its function by name (W2530).
NOT_OF_VALUES = ["W2530", "W3010"]
VPC = {
    "ExistingVpcId": "vpc-0a1b2c3d4e5f60718",
    "ExistingSubnetIds": "subnet-0a1b2c3d4e5f60718,subnet-1a2b3c4d5e6f70819",
}
GROUP = {"ExistingSecurityGroupId": "sg-0a1b2c3d4e5f60718"}
REDIS = VPC | GROUP | {"ExistingRedisUrl": "rediss://redis.example.com:6379"}
IAM_USER = {
    "ExistingRedisIamUser": "waitlist",
    "ExistingRedisCacheArn": "arn:aws:elasticache:us-east-1:123456789012:replicationgroup:orders",
}
TABLE = {
    "ExistingTableName": "waitlist-Restored-1",
    "ExistingTableStreamArn": (
        "arn:aws:dynamodb:us-east-1:123456789012:table/waitlist-Restored-1/stream/2026-01-01"
    ),
}
DOMAIN = {
    "EdgeDomain": "queue.example.com",
    "EdgeCertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/0a1b2c3d",
    "EdgeWebAclArn": "arn:aws:wafv2:us-east-1:123456789012:global/webacl/guard/0a1b2c3d",
}
SENDERS = {"MailFrom": "line@example.com", "SmsFrom": "LINE"}
ISSUER = {"JwtIssuer": "https://issuer.example.com", "JwtAudience": "waitlist,other"}
# Parameters that cannot be changed once the stack has been created (docs/operate/upgrade.md).
FIXED_AT_CREATION = {"ExistingSubnetIds", "ExistingVpcId", "VpcCidr", "ZoneA", "ZoneB"}


@dataclass(frozen=True)
class Set:
    label: str
    parameters: dict[str, str] = field(default_factory=dict)
    name: str = "waitlist"
    region: str = "us-east-1"


def sets() -> list[Set]:
    return [
        Set("defaults"),
        *map(configured, ("dev", "prod")),
        Set("a stack name of 59 letters", {"Edge": "on"}, LONGEST_STACK_NAME),
        Set("canary", {"Deployment": "Canary10Percent5Minutes", "StartUp": "snapstart"}),
        Set("linear", {"Deployment": "Linear10PercentEvery1Minute", "StartUp": "provisioned"}),
        Set("accounts", ISSUER | {"CorsOrigins": "https://app.example.com", "Tracing": "Active"}),
        Set("edge", {"Edge": "on"}),
        Set("bot check", {"BotCheck": "turnstile", "BotCheckSiteKey": "0x4AAAAAAAAAA"}),
        Set("edge only", {"Edge": "on", "EdgeOnly": "on"}),
        Set("edge only, both keys", {"Edge": "on", "EdgeOnly": "on", "EdgeKeys": "green+blue"}),
        Set("edge only, issuer", ISSUER | {"Edge": "on", "EdgeOnly": "on", "EdgeKeys": "green"}),
        Set(
            "edge, passes of another domain",
            {"Edge": "on", "PassIssuer": "https://pass.example.com"},
        ),
        Set("edge with a domain, in another region", {"Edge": "on"} | DOMAIN, region="eu-west-1"),
        Set("both keys", {"PassKeys": "green+blue", "Events": "off", "CorsOrigins": "*"}),
        Set("the second key", {"PassKeys": "green", "ZoneA": "us-east-1b", "ZoneB": "us-east-1d"}),
        Set("an existing network", VPC | {"PermissionsBoundary": "waitlist-boundary"}),
        Set("an existing network and group", VPC | GROUP | TABLE),
        Set("an existing Redis", REDIS | {"ExistingRedisNodeId": "orders-001"} | IAM_USER),
        Set("an existing Redis without a node", REDIS | ISSUER | {"Architecture": "arm64"}),
        Set("a webhook", {"WebhookUrl": "https://example.com/hook"}),
        Set(
            "a webhook, traced",
            {"WebhookUrl": "https://example.com/a", "Tracing": "Active"} | TABLE,
        ),
        Set("a reservation for maintenance", {"MaintenanceConcurrency": "10"}),
        Set("mail", {"MailFrom": "line@example.com"}),
        Set("email and SMS", SENDERS | {"Tracing": "Active"} | ISSUER),
        Set("SMS, an edge", {"SmsFrom": "LINE", "Edge": "on"} | TABLE),
        Set("essential alarms", {"Monitoring": "essential"}),
        Set(
            "essential alarms, senders, webhook, canary, edge",
            SENDERS
            | {"Monitoring": "essential", "WebhookUrl": "https://example.com/hook", "Edge": "on"}
            | {"Deployment": "Canary10Percent5Minutes"},
        ),
        Set("a launch", {"WarmThroughput": "20000", "RedisMinEcpuPerSecond": "5000"}),
        Set("alarms", {"AlarmTopicArn": "arn:aws:sns:us-east-1:123456789012:alarms"}),
    ]


def configured(section: str) -> Set:
    settings = Settings.read(section)
    return Set(f"samconfig {section}", settings.parameters, settings.stack)


def findings_of(checked: Set, template: dict[str, Any] | None = None) -> list[str]:
    """Return the reasons why AWS would refuse a stack with the given parameters."""
    template = template or translated(checked.parameters)
    try:
        stack = make(checked.parameters, checked.name, checked.region, template)
        order(stack.made)
    except (Unresolved, Refused) as error:
        return [str(error)]
    return [
        *linted(stack),
        *against_schemas(stack),
        *against_api_models(stack),
        *over_the_limits(stack, template),
        *first_creations(stack),
        *out_of_order(stack),
    ]


def linted_template(template: dict[str, Any], region: str) -> list[str]:
    return _linted(template, region, [])


def linted(stack: Stack) -> list[str]:
    """Return what cfn-lint finds in the values that AWS would receive."""
    template = {"AWSTemplateFormatVersion": "2010-09-09", "Resources": stack.resources}
    return _linted(template, stack.region, NOT_OF_VALUES)


def _linted(template: dict[str, Any], region: str, ignored: list[str]) -> list[str]:
    import cfnlint.api
    from cfnlint.config import ManualArgs

    config = ManualArgs(regions=[region], ignore_checks=ignored)
    return [
        f"cfn-lint {match.rule.id}: {match.message} at {'/'.join(map(str, match.path or []))}"
        for match in cfnlint.api.lint(json.dumps(template), config=config)
    ]


def against_schemas(stack: Stack) -> Iterator[str]:
    for logical_id, resource in stack.resources.items():
        validator = jsonschema.Draft7Validator(schema(resource["Type"]))
        for error in validator.iter_errors(resource.get("Properties", {})):
            path = "/".join(map(str, error.absolute_path))
            yield f"{logical_id} {resource['Type']} {path}: {error.message}"


def first_creations(stack: Stack) -> Iterator[str]:
    """Yield problems with creating a stack again after a failed creation or a deletion.

    Either may leave resources behind, whose names are then in use.
    """
    for fails_at in order(stack.made):
        account = Account()
        kept = account.create(stack, fails_at)
        # The table is meant to stay when its stack is deleted. `make preflight` finds such tables.
        if left := set(kept) - {"WaitlistTable"}:
            yield f"a creation that fails at {fails_at} leaves {', '.join(sorted(left))} behind"
        try:
            account.create(stack)
        except Refused as error:
            yield f"after a creation that failed at {fails_at}: {error}"
    account = Account()
    account.create(stack)
    if left := set(account.delete(stack)) - {"WaitlistTable", "EntryTokenSecret"}:
        yield f"a deletion leaves {', '.join(sorted(left))} behind"
    try:
        account.create(stack)
    except Refused as error:
        yield f"after a deletion: {error}"


# In each pair, an update must change the first resource before the second one, which is an alias or
# calls an alias.
BEFORE = (
    ("PublicDeployRole", "PublicFnAliaslive"),
    ("PublicCanaryErrorsAlarm", "PublicFnAliaslive"),
    ("PrivateDeployRole", "PrivateFnAliaslive"),
    ("PrivateCanaryErrorsAlarm", "PrivateFnAliaslive"),
    # An update must change the private function first. Each of its versions understands the
    # requests of the previous version, but not those of the next one.
    ("PrivateFnAliaslive", "PublicFnAliaslive"),
    ("PrivateFnAliaslive", "MaintenanceFnAliaslive"),
    # The event source mapping reads the stream with the role's permissions. If both were created at
    # the same time, it could not read the stream for a few seconds.
    ("EventsFnRole", "EventsFnStream"),
    # The events function reads what the public function and the maintenance function write, so its
    # new version may need data that only their new versions write.
    ("PublicFnAliaslive", "EventsFnStream"),
    ("MaintenanceFnAliaslive", "EventsFnStream"),
)


def out_of_order(stack: Stack) -> Iterator[str]:
    for earlier, later in BEFORE:
        if not comes_before(stack.made, earlier, later):
            yield f"{later} does not wait for {earlier}"


def changes() -> list[Set]:
    """Return the parameters of every update to check. The stack was created with the default
    parameters.
    """
    allowed = [
        candidate for candidate in sets() if not candidate.parameters.keys() & FIXED_AT_CREATION
    ]
    return [*allowed, *map(changed, sorted(single_changes()))]


def changed(parameter_value: tuple[str, str]) -> Set:
    return Set("=".join(parameter_value), dict([parameter_value]))


def single_changes() -> set[tuple[str, str]]:
    """Return each parameter with each of its values other than the default."""
    found = set()
    for name, declared in translated()["Parameters"].items():
        default = str(declared["Default"])
        if declared["Type"] == "Number" and "AllowedValues" not in declared:
            found.add((name, str(int(default) + 1)))
        found |= {(name, str(value)) for value in declared.get("AllowedValues", [])}
        found.discard((name, default))
    return found


def updates(changes: list[Set], template: dict[str, Any] | None = None) -> Iterator[str]:
    """Yield the reasons why an update would fail or lose data.

    Each update either changes the default parameters or restores them.
    """
    old = make(template=template)
    for change in changes:
        new = make(change.parameters, template=template)
        for before, after, way in ((old, new, "to"), (new, old, "from")):
            for refusal in refusals_of_update(before, after):
                yield f"an update {way} {change.label}: {refusal}"


def _check(checked: Set) -> tuple[Set, list[str]]:
    found = findings_of(checked)
    # If the stack cannot be created, its permissions are not checked.
    return checked, found or [*against_handlers(checked.parameters, checked.name, checked.region)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "written", type=Path, help="the file to which the translated template is written"
    )
    written = parser.parse_args().written
    written.parent.mkdir(parents=True, exist_ok=True)
    written.write_text(json.dumps(translated(), indent=1) + "\n", encoding="utf-8")
    console = Console(stderr=True)
    found: dict[str, list[str]] = {}
    every = sets()
    with ProcessPoolExecutor() as pool:
        templates = pool.submit(linted_template, translated(), "us-east-1")
        results = track(
            pool.map(_check, every), "Checking the template", len(every), console=console
        )
        for checked, findings in results:
            for finding in findings:
                found.setdefault(finding, []).append(checked.label)
        for finding in templates.result():
            found.setdefault(finding, []).append("the translated template")
    # If a stack cannot be created, its updates are not checked.
    for finding in [] if found else updates(changes()):
        found.setdefault(finding, []).append("the defaults")
    for finding, labels in found.items():
        print(f"{finding}\n  with: {', '.join(labels)}")
    print(f"{len(every)} sets of parameters, {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
