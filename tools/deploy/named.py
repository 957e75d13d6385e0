"""Checks before a deployment: what the parameters name, and the stack does not make.

A name that does not exist stops a deployment after minutes, or the stack works and sends nothing.
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

# What a new table on demand takes at once, and its index.
NEW_TABLE_UNITS = 4_000
# Of a serverless cache.
LEAST_ECPUS = 1_000
# CloudFront takes certificates and web ACLs from there alone.
EDGE_REGION = "us-east-1"


def check_length_of_name(account: Account) -> Findings:
    """Find a stack's name with which a resource would have a longer name than AWS allows."""
    for text in names_over(account.planned):
        yield Finding(STOPS, f"Choose a shorter stack_name in samconfig.toml: {text}")


def check_topic(account: Account) -> Findings:
    """Find a topic that does not exist, or that alarms of this region cannot notify."""
    topic = account.parameter("AlarmTopicArn")
    if not topic:
        return
    if topic.split(":")[3] != account.region:
        yield Finding(
            STOPS,
            f"Alarms notify topics of their own region ({account.region}) alone:"
            f" AlarmTopicArn={topic} is of another.",
        )
    elif _found(account.client("sns").get_topic_attributes, TopicArn=topic) is None:
        yield Finding(
            STOPS,
            f"The topic AlarmTopicArn={topic} does not exist, so alarms would notify nobody.",
        )


def check_existing_network(account: Account) -> Findings:
    """Find subnets and a group that do not exist, or are of another network."""
    vpc = account.parameter("ExistingVpcId")
    if not vpc:
        return
    here = [{"Name": "vpc-id", "Values": [vpc]}]
    ec2 = account.client("ec2")
    asked = set(account.parameter("ExistingSubnetIds").split(","))
    subnets = ec2.describe_subnets(Filters=here)["Subnets"]
    zones = {one["AvailabilityZone"] for one in subnets if one["SubnetId"] in asked}
    if missing := asked - {one["SubnetId"] for one in subnets}:
        yield Finding(STOPS, f"{vpc} has no {', '.join(sorted(missing))} (ExistingSubnetIds).")
    elif len(zones) < 2:
        yield Finding(STOPS, f"ExistingSubnetIds are all in {', '.join(zones)}: choose two zones.")
    group = account.parameter("ExistingSecurityGroupId")
    groups = ec2.describe_security_groups(Filters=here)["SecurityGroups"] if group else []
    if group and group not in [one["GroupId"] for one in groups]:
        yield Finding(STOPS, f"{vpc} has no {group} (ExistingSecurityGroupId).")


def check_mail(account: Account) -> Findings:
    """Find an address that SES does not send from, the sandbox, and a paused account."""
    sender = account.parameter("MailFrom")
    if not sender:
        return
    ses = account.client("sesv2")
    identities = (sender, sender.partition("@")[2])
    found = [_found(ses.get_email_identity, EmailIdentity=one) for one in identities]
    if not any(one and one["VerifiedForSendingStatus"] for one in found):
        yield Finding(
            STOPS,
            f"SES has verified neither {sender} (MailFrom) nor its domain in {account.region}, so"
            " no mail can be sent. Confirm the domain by the records that this prints:",
            (f"aws sesv2 create-email-identity --email-identity {identities[1]}",),
        )
    state = ses.get_account()
    if not state["SendingEnabled"]:
        yield Finding(
            STOPS,
            "SES has paused sending for the account. Its reputation page has the reason, and how to"
            " ask for a review.",
        )
    if not state["ProductionAccessEnabled"]:
        yield Finding(
            WARNS,
            "SES is in its sandbox: it sends to confirmed addresses alone. Ask for production"
            " access (docs/operate/messages.md).",
        )
    else:
        most = state["SendQuota"]
        yield Finding(
            GOOD,
            f"SES sends {most['MaxSendRate']:,.0f} mails a second,"
            f" {most['Max24HourSend']:,.0f} a day",
        )


def check_text(account: Account) -> Findings:
    """Find an origin of SMS that the account does not have, or that is not active yet."""
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
            for one in page[answer]:
                if name in [one.get(key) for key in names]:
                    yield _state_of_origin(origin, one)
                    return
    yield Finding(
        STOPS,
        f"The account has no number, pool or sender id SmsFrom={origin} in {account.region}, so no"
        " SMS can be sent (docs/operate/messages.md).",
    )


def _state_of_origin(origin: str, found: Mapping[str, Any]) -> Finding:
    # A sender id has no state.
    state = found.get("Status", "ACTIVE")
    if state != "ACTIVE":
        return Finding(WARNS, f"SmsFrom={origin} is {state}: SMS cannot be sent by it yet.")
    return Finding(GOOD, f"SMS are sent by {origin}")


def check_certificate(account: Account) -> Findings:
    """Find a certificate that CloudFront would refuse for the domain."""
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
            f"The certificate EdgeCertificateArn={arn} is {found['Status']}, and CloudFront takes"
            " an ISSUED one alone.",
        )
    elif not any(_covers(name, domain) for name in names):
        yield Finding(
            STOPS,
            f"The certificate EdgeCertificateArn={arn} is for {', '.join(sorted(names))}, not for"
            f" EdgeDomain={domain}.",
        )
    else:
        yield Finding(GOOD, f"The certificate of {domain} is issued")


def _covers(name: str, domain: str) -> bool:
    """Return whether a name of a certificate is a domain's; a star is one label."""
    return name.count(".") == domain.count(".") and fnmatch(domain, name)


def check_web_acl(account: Account) -> Findings:
    """Find a web ACL that does not exist."""
    arn = account.parameter("EdgeWebAclArn")
    if not arn:
        return
    name, id_ = arn.split("/")[-2:]
    waf = account.client("wafv2", EDGE_REGION)
    if _found(waf.get_web_acl, Name=name, Id=id_, Scope="CLOUDFRONT") is None:
        yield Finding(STOPS, f"The web ACL EdgeWebAclArn={arn} does not exist.")


def check_table(account: Account) -> Findings:
    """Find an existing table that the functions could not use, and one that is not warm enough."""
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
    warm = [one.get("WarmThroughput") for one in (table, *table.get("GlobalSecondaryIndexes", []))]
    units = [int(one["WriteUnitsPerSecond"]) for one in warm if one]
    yield from _warmth(account, min(units, default=NEW_TABLE_UNITS))


def _problems_of(table: Mapping[str, Any], stream: str) -> Findings:
    """Yield in what a table differs from the one that the stack would make."""
    name = table["TableName"]
    expected = read_template()["Resources"][TABLE_RESOURCE]["Properties"]
    if table["KeySchema"] != expected["KeySchema"]:
        yield Finding(STOPS, f"The table {name} has other keys than the record of a stack.")
    indexes = {one["IndexName"]: one for one in table.get("GlobalSecondaryIndexes", [])}
    for index in expected["GlobalSecondaryIndexes"]:
        there = indexes.get(index["IndexName"])
        needed = set(index["Projection"]["NonKeyAttributes"])
        if there is None or there["KeySchema"] != index["KeySchema"]:
            yield Finding(STOPS, f"The table {name} has no index {index['IndexName']} as it needs.")
        elif missing := needed - set(there["Projection"].get("NonKeyAttributes", [])):
            yield Finding(
                STOPS,
                f"The index {index['IndexName']} of {name} lacks {', '.join(sorted(missing))}.",
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
            f"The stream of {name} is {latest}, and ExistingTableStreamArn={stream or '(empty)'}.",
        )


def check_size_of_cache(account: Account) -> Findings:
    """Find a minimum that ElastiCache refuses."""
    least = int(account.parameter("RedisMinEcpuPerSecond"))
    most = int(account.parameter("RedisMaxEcpuPerSecond"))
    if least and not LEAST_ECPUS <= least <= most:
        yield Finding(
            STOPS,
            f"RedisMinEcpuPerSecond={least} must be 0, or from {LEAST_ECPUS} to"
            f" RedisMaxEcpuPerSecond={most}.",
        )


def _warmth(account: Account, has: int) -> Findings:
    """Compare what the table takes at once with what the settings let customers write."""
    asked = int(account.parameter("WarmThroughput"))
    most = int(account.parameter("MaxWriteUnitsPerSecond"))
    if 0 < asked < has:
        yield Finding(
            STOPS,
            f"The table takes {has:,} write units a second at once, and DynamoDB does not lower"
            f" this: set WarmThroughput={has} or 0.",
        )
    elif max(asked, has) < most:
        yield Finding(
            WARNS,
            f"The table takes {max(asked, has):,} write units a second until it has grown, and"
            f" answers 429 above: before a launch set WarmThroughput={most}"
            " (docs/operate/sizing.md).",
        )


def _found(call: Callable[..., Any], **arguments: str) -> dict[str, Any] | None:
    """Return what AWS answers; None if there is no such thing."""
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
