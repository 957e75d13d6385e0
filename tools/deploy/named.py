"""Checks the resources that a stack uses but does not create, such as a network or an email sender.

If one of them does not exist, the deployment fails after several minutes, or the stack works but
cannot send messages.
"""

from collections.abc import Callable, Mapping
from fnmatch import fnmatch
from typing import Any

from botocore.exceptions import ClientError

from tools.deploy.account import (
    GOOD,
    NO_SUCH,
    STOPS,
    WARNS,
    Account,
    Finding,
    Findings,
    code_of,
)
from tools.deploy.limits import names_over
from tools.local.table import TABLE_RESOURCE, read_template

# The write units per second that a new on-demand table and its index accept from the start.
NEW_TABLE_UNITS = 4_000
# The smallest minimum size that a serverless cache can have.
LEAST_ECPUS = 1_000
# CloudFront requires its certificates and web ACLs to be in this region.
EDGE_REGION = "us-east-1"


def check_length_of_name(account: Account) -> Findings:
    for text in names_over(account.planned):
        yield Finding(STOPS, f"Choose a shorter stack_name in samconfig.toml: {text}")


def check_topic(account: Account) -> Findings:
    topic = account.parameter("AlarmTopicArn")
    if not topic:
        return
    if topic.split(":")[3] != account.region:
        yield Finding(
            STOPS,
            f"Alarms can only notify topics in their own region ({account.region}), but"
            f" AlarmTopicArn={topic} is in another region.",
        )
    elif _found(account.client("sns").get_topic_attributes, TopicArn=topic) is None:
        yield Finding(
            STOPS,
            f"The topic AlarmTopicArn={topic} does not exist, so alarms would notify nobody.",
        )


def check_existing_network(account: Account) -> Findings:
    vpc = account.parameter("ExistingVpcId")
    if not vpc:
        return
    here = [{"Name": "vpc-id", "Values": [vpc]}]
    ec2 = account.client("ec2")
    asked = set(account.parameter("ExistingSubnetIds").split(","))
    subnets = ec2.describe_subnets(Filters=here)["Subnets"]
    zones = {subnet["AvailabilityZone"] for subnet in subnets if subnet["SubnetId"] in asked}
    if missing := asked - {subnet["SubnetId"] for subnet in subnets}:
        yield Finding(
            STOPS, f"{vpc} has no subnet {', '.join(sorted(missing))} (ExistingSubnetIds)."
        )
    elif len(zones) < 2:
        yield Finding(
            STOPS, f"ExistingSubnetIds are all in {', '.join(zones)}. Choose subnets in two zones."
        )
    group = account.parameter("ExistingSecurityGroupId")
    groups = ec2.describe_security_groups(Filters=here)["SecurityGroups"] if group else []
    if group and group not in [found["GroupId"] for found in groups]:
        yield Finding(STOPS, f"{vpc} has no security group {group} (ExistingSecurityGroupId).")


def check_mail(account: Account) -> Findings:
    """Check that SES has verified the sender and allows emails to everyone."""
    sender = account.parameter("MailFrom")
    if not sender:
        return
    ses = account.client("sesv2")
    identities = (sender, sender.partition("@")[2])
    found = [_found(ses.get_email_identity, EmailIdentity=identity) for identity in identities]
    if not any(identity and identity["VerifiedForSendingStatus"] for identity in found):
        yield Finding(
            STOPS,
            f"SES has verified neither {sender} (MailFrom) nor its domain in {account.region}, so"
            " no email can be sent. Verify the domain with the DNS records that this prints:",
            (f"aws sesv2 create-email-identity --email-identity {identities[1]}",),
        )
    state = ses.get_account()
    if not state["SendingEnabled"]:
        yield Finding(
            STOPS,
            "SES has paused sending for the account. Its reputation page states the reason and how"
            " to ask for a review.",
        )
    if not state["ProductionAccessEnabled"]:
        yield Finding(
            WARNS,
            "SES is in its sandbox and sends only to verified addresses. Ask for production"
            " access (docs/operate/messages.md).",
        )
    else:
        most = state["SendQuota"]
        yield Finding(
            GOOD,
            f"SES sends {most['MaxSendRate']:,.0f} emails per second and"
            f" {most['Max24HourSend']:,.0f} per day",
        )


def check_text(account: Account) -> Findings:
    """Check that the account owns the number, pool or sender id that SMS are sent from."""
    origin = account.parameter("SmsFrom")
    if not origin:
        return
    sms = account.client("pinpoint-sms-voice-v2")
    name = origin.rpartition("/")[2]
    kinds = (
        ("describe_phone_numbers", "PhoneNumbers", ("PhoneNumberId", "PhoneNumber")),
        ("describe_pools", "Pools", ("PoolId",)),
        ("describe_sender_ids", "SenderIds", ("SenderId",)),
    )
    for operation, answer, names in kinds:
        for page in sms.get_paginator(operation).paginate():
            for candidate in page[answer]:
                if name in [candidate.get(key) for key in names]:
                    yield _state_of_origin(origin, candidate)
                    return
    yield Finding(
        STOPS,
        f"The account has no number, pool or sender id SmsFrom={origin} in {account.region}, so no"
        " SMS can be sent (docs/operate/messages.md).",
    )


def _state_of_origin(origin: str, found: Mapping[str, Any]) -> Finding:
    # A sender id has no status, so it counts as active.
    state = found.get("Status", "ACTIVE")
    if state != "ACTIVE":
        return Finding(WARNS, f"SmsFrom={origin} is {state}, so it cannot send SMS yet.")
    return Finding(GOOD, f"SMS are sent from {origin}")


def check_certificate(account: Account) -> Findings:
    arn, domain = account.parameter("EdgeCertificateArn"), account.parameter("EdgeDomain")
    if not arn:
        return
    acm = account.client("acm", EDGE_REGION)
    answer = _found(acm.describe_certificate, CertificateArn=arn)
    if answer is None:
        yield Finding(STOPS, f"The certificate EdgeCertificateArn={arn} does not exist.")
        return
    found = answer["Certificate"]
    names = {found["DomainName"], *found.get("SubjectAlternativeNames", [])}
    if found["Status"] != "ISSUED":
        yield Finding(
            STOPS,
            f"The certificate EdgeCertificateArn={arn} is {found['Status']}, but CloudFront only"
            " accepts an ISSUED certificate.",
        )
    elif not any(_covers(name, domain) for name in names):
        yield Finding(
            STOPS,
            f"The certificate EdgeCertificateArn={arn} is for {', '.join(sorted(names))}, not for"
            f" EdgeDomain={domain}.",
        )
    else:
        yield Finding(GOOD, f"The certificate for {domain} is issued")


def _covers(name: str, domain: str) -> bool:
    """In a certificate's name, a star stands for exactly one label of the domain."""
    return name.count(".") == domain.count(".") and fnmatch(domain, name)


def check_web_acl(account: Account) -> Findings:
    arn = account.parameter("EdgeWebAclArn")
    if not arn:
        return
    name, id_ = arn.split("/")[-2:]
    waf = account.client("wafv2", EDGE_REGION)
    if _found(waf.get_web_acl, Name=name, Id=id_, Scope="CLOUDFRONT") is None:
        yield Finding(STOPS, f"The web ACL EdgeWebAclArn={arn} does not exist.")


def check_table(account: Account) -> Findings:
    name = account.parameter("ExistingTableName") or account.own(TABLE_RESOURCE)
    if name is None:
        yield from _warmth(account, NEW_TABLE_UNITS)
        return
    answer = _found(account.client("dynamodb").describe_table, TableName=name)
    if answer is None:
        yield Finding(STOPS, f"The table {name} does not exist (docs/operate/restore.md).")
        return
    table = answer["Table"]
    if account.parameter("ExistingTableName"):
        yield from _problems_of(table, account.parameter("ExistingTableStreamArn"))
    warm = [
        part.get("WarmThroughput") for part in (table, *table.get("GlobalSecondaryIndexes", []))
    ]
    units = [int(throughput["WriteUnitsPerSecond"]) for throughput in warm if throughput]
    yield from _warmth(account, min(units, default=NEW_TABLE_UNITS))


def _problems_of(table: Mapping[str, Any], stream: str) -> Findings:
    name = table["TableName"]
    expected = read_template()["Resources"][TABLE_RESOURCE]["Properties"]
    if table["KeySchema"] != expected["KeySchema"]:
        yield Finding(STOPS, f"The table {name} has other keys than the table of this service.")
    indexes = {index["IndexName"]: index for index in table.get("GlobalSecondaryIndexes", [])}
    for index in expected["GlobalSecondaryIndexes"]:
        there = indexes.get(index["IndexName"])
        needed = set(index["Projection"]["NonKeyAttributes"])
        if there is None or there["KeySchema"] != index["KeySchema"]:
            yield Finding(
                STOPS, f"The table {name} has no index {index['IndexName']} with the required keys."
            )
        elif missing := needed - set(there["Projection"].get("NonKeyAttributes", [])):
            yield Finding(
                STOPS,
                f"The index {index['IndexName']} of {name} lacks the attributes"
                f" {', '.join(sorted(missing))}.",
            )
    latest = table.get("LatestStreamArn")
    view = table.get("StreamSpecification", {}).get("StreamViewType")
    if view != expected["StreamSpecification"]["StreamViewType"]:
        yield Finding(
            STOPS,
            f"The table {name} has no stream of new and old images (docs/operate/restore.md):",
            (
                f"aws dynamodb update-table --table-name {name} --stream-specification"
                " StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES",
            ),
        )
    elif stream != latest:
        yield Finding(
            STOPS,
            f"The stream of {name} is {latest}, but ExistingTableStreamArn={stream or '(empty)'}.",
        )


def check_size_of_cache(account: Account) -> Findings:
    least = int(account.parameter("RedisMinEcpuPerSecond"))
    most = int(account.parameter("RedisMaxEcpuPerSecond"))
    if least and not LEAST_ECPUS <= least <= most:
        yield Finding(
            STOPS,
            f"RedisMinEcpuPerSecond={least} must be 0, or between {LEAST_ECPUS} and"
            f" RedisMaxEcpuPerSecond={most}.",
        )


def _warmth(account: Account, has: int) -> Findings:
    """The table must accept as many write units per second from the start as customers' requests
    can use.
    """
    asked = int(account.parameter("WarmThroughput"))
    most = int(account.parameter("MaxWriteUnitsPerSecond"))
    if 0 < asked < has:
        yield Finding(
            STOPS,
            f"The table accepts {has:,} write units per second, and DynamoDB does not lower"
            f" this value. Set WarmThroughput={has} or 0.",
        )
    elif max(asked, has) < most:
        yield Finding(
            WARNS,
            f"The table accepts {max(asked, has):,} write units per second until it has grown."
            f" Requests beyond that get 429. Before a launch, set WarmThroughput={most}"
            " (docs/operate/sizing.md).",
        )


def _found(call: Callable[..., Any], **arguments: str) -> dict[str, Any] | None:
    try:
        return dict(call(**arguments))
    except ClientError as error:
        if code_of(error) in NO_SUCH:
            return None
        raise


CHECKS: tuple[Callable[[Account], Findings], ...] = (
    check_length_of_name,
    check_topic,
    check_existing_network,
    check_mail,
    check_text,
    check_certificate,
    check_web_acl,
    check_table,
    check_size_of_cache,
)
