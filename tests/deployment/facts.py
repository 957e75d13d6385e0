"""Checks that must hold for every stack, whatever its parameters are.

Each function returns a list of violations. The tables' recovery and the access logs are left to
checkov.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

from tests.deployment.template import as_list
from tools.deploy.rights import LIST_STREAMS, NETWORK_ACTIONS, TRACE_ACTIONS
from waitlist_api.config import Config, ConfigError, EventsConfig, MessagesConfig, WebhookConfig

Resources = dict[str, dict[str, Any]]
Fact = Callable[[Resources], list[str]]

# The suffix of an ARN that matches every version of a function, as in `${PublicFn.Arn}:*`.
VERSIONS = ".Arn}:*"
# The actions that IAM cannot restrict to specific resources. A policy can allow them only for "*".
WITHOUT_RESOURCE = {*NETWORK_ACTIONS, *TRACE_ACTIONS, LIST_STREAMS}
# The actions that use the account's email identities and phone numbers, whose ARNs the stack does
# not know. For emails, a condition restricts the sender instead.
OF_THE_ACCOUNT = {"ses:SendEmail", "ses:SendRawEmail", "sms-voice:SendTextMessage"}
RESOURCE_POLICIES = (
    "AWS::SQS::QueuePolicy",
    "AWS::SNS::TopicPolicy",
    "AWS::S3::BucketPolicy",
    "AWS::Events::EventBusPolicy",
    "AWS::SecretsManager::ResourcePolicy",
    "AWS::Logs::ResourcePolicy",
)
ANYWHERE = ("0.0.0.0/0", "::/0")
# The class that reads each function's configuration. The private function is left out, because its
# configuration contains the URL of a Redis cache, which only AWS knows.
CONFIGURATIONS: dict[str, Any] = {
    "PublicFn": Config,
    "MaintenanceFn": Config,
    "EventsFn": EventsConfig,
    "WebhookFn": WebhookConfig,
    "MessagesFn": MessagesConfig,
}
NAMES_OF_SECRETS = ("SECRET", "PASSWORD", "TOKEN", "CREDENTIAL", "API_KEY")


def only_the_private_function_is_in_the_network(resources: Resources) -> list[str]:
    inside = [
        name for name, function in of_type(resources, "Lambda::Function") if "VpcConfig" in function
    ]
    return [] if inside == ["PrivateFn"] else [f"in the network: {inside}"]


def roles_name_actions_and_resources(resources: Resources) -> list[str]:
    found = []
    for name, statement in allowing(resources):
        # A policy statement with `NotAction` or `NotResource` allows everything except the listed
        # values.
        found += [f"{name}: {key}" for key in ("NotAction", "NotResource") if key in statement]
        actions = as_list(statement.get("Action", []))
        found += [f"{name}: {action}" for action in actions if "*" in action]
        if "*" in json.dumps(statement.get("Resource")).replace(VERSIONS, "}"):
            open_ = set(actions) - WITHOUT_RESOURCE - OF_THE_ACCOUNT
            found += [f"{name}: {action} on *" for action in sorted(open_)]
    return found


def roles_trust_one_service_each(resources: Resources) -> list[str]:
    found = []
    for name, role in of_type(resources, "IAM::Role"):
        for statement in role["AssumeRolePolicyDocument"]["Statement"]:
            principal = statement["Principal"]
            service = principal.get("Service") if isinstance(principal, dict) else None
            if list(principal) != ["Service"] or not isinstance(service, str):
                found.append(f"{name} trusts {principal}")
    return found


def roles_have_no_policies_of_others(resources: Resources) -> list[str]:
    return [
        f"{name} has managed policies"
        for name, role in of_type(resources, "IAM::Role")
        if role.get("ManagedPolicyArns")
    ]


def tables_are_encrypted_and_kept(resources: Resources) -> list[str]:
    found = []
    for name, table in of_type(resources, "DynamoDB::Table"):
        kept = {resources[name].get(key) for key in ("DeletionPolicy", "UpdateReplacePolicy")}
        holds = {
            "encrypted": table.get("SSESpecification", {}).get("SSEEnabled") is True,
            "protected": table.get("DeletionProtectionEnabled") is True,
            "kept": kept == {"Retain"},
        }
        found += [f"{name} is not {fact}" for fact, is_so in holds.items() if not is_so]
    return found


def what_is_queued_or_stored_is_encrypted(resources: Resources) -> list[str]:
    keys = {
        "SQS::Queue": ("SqsManagedSseEnabled", "KmsMasterKeyId"),
        "SNS::Topic": ("KmsMasterKeyId",),
        "S3::Bucket": ("BucketEncryption",),
        "Kinesis::Stream": ("StreamEncryption",),
        "ElastiCache::ReplicationGroup": ("AtRestEncryptionEnabled",),
    }
    return [
        f"{name} is not encrypted"
        for kind, ways in keys.items()
        for name, one in of_type(resources, kind)
        if not any(one.get(way) for way in ways)
    ]


def functions_log_to_groups_of_the_stack(resources: Resources) -> list[str]:
    groups = {name for name, _ in of_type(resources, "Logs::LogGroup")}
    return [
        f"{name} logs to a group of its own, which never expires"
        for name, one in of_type(resources, "Lambda::Function")
        if one.get("LoggingConfig", {}).get("LogGroup", {}).get("Ref") not in groups
    ]


def logs_are_kept_for_the_days_that_are_asked_for(resources: Resources) -> list[str]:
    return [
        f"{name} never expires"
        for name, one in of_type(resources, "Logs::LogGroup")
        if one.get("RetentionInDays") != {"Ref": "LogRetentionDays"}
    ]


def callers_of_functions_are_named(resources: Resources) -> list[str]:
    found = []
    for name, one in of_type(resources, "Lambda::Permission"):
        # The source ARN of a permission must contain an account id. Otherwise, other AWS accounts
        # could call the function.
        source = json.dumps(one.get("SourceArn", ""))
        names_it = "AWS::AccountId" in source or "Fn::GetAtt" in source or '"Ref"' in source
        if "*" in str(one.get("Principal", "*")) or not names_it:
            found.append(f"{name} lets any account of {one.get('Principal')} call")
    found += [f"{name} has an address without IAM" for name, _ in of_type(resources, "Lambda::Url")]
    return found


def resource_policies_have_conditions(resources: Resources) -> list[str]:
    found = []
    for name, resource in resources.items():
        if resource["Type"] in RESOURCE_POLICIES:
            document = resource["Properties"].get("PolicyDocument", {"Statement": []})
            for statement in as_list(document["Statement"]):
                is_bound = "Condition" in statement
                if statement["Effect"] == "Allow" and not is_bound:
                    found.append(f"{name} lets {statement['Principal']} in unconditionally")
    return found


def the_network_is_closed(resources: Resources) -> list[str]:
    open_ = [
        f"{name} is open to {address}"
        for name, one in resources.items()
        if one["Type"].startswith("AWS::EC2::SecurityGroup")
        for address in ANYWHERE
        if f'"{address}"' in json.dumps(one)
    ]
    return open_ + [
        f"{name} gives public addresses"
        for name, one in of_type(resources, "EC2::Subnet")
        if one.get("MapPublicIpOnLaunch")
    ]


def redis_is_called_with_tls(resources: Resources) -> list[str]:
    url = resources["PrivateFn"]["Properties"]["Environment"]["Variables"]["REDIS_URL"]
    is_made_here = any(of_type(resources, "ElastiCache::ServerlessCache"))
    if is_made_here and not str(url.get("Fn::Sub", "")).startswith("rediss://"):
        return [f"Redis is called at {url}"]
    return [] if is_made_here or url == {"Ref": "ExistingRedisUrl"} else [f"Redis is at {url}"]


def functions_accept_their_variables(resources: Resources) -> list[str]:
    found = []
    for name, function in of_type(resources, "Lambda::Function"):
        if name in CONFIGURATIONS:
            variables = function["Environment"]["Variables"].items()
            # Some values are known only after the deployment, so the template refers to them with
            # an intrinsic function. The test uses "1" for each of them, because some must be
            # numbers.
            known = {
                key: "1" if isinstance(value, dict) else str(value) for key, value in variables
            }
            try:
                CONFIGURATIONS[name].from_env(known)
            except ConfigError as error:
                found.append(f"{name} does not start: {error}")
    return found


def secrets_are_in_no_variable(resources: Resources) -> list[str]:
    return [
        f"{name} has {variable} in its environment"
        for name, one in of_type(resources, "Lambda::Function")
        for variable, value in one.get("Environment", {}).get("Variables", {}).items()
        if "{{resolve:" in json.dumps(value)
        or (any(word in variable for word in NAMES_OF_SECRETS) and not variable.endswith("_ARN"))
    ]


def secrets_are_made_by_aws(resources: Resources) -> list[str]:
    return [
        f"{name} stands in the template"
        for name, one in of_type(resources, "SecretsManager::Secret")
        if "SecretString" in one or "GenerateSecretString" not in one
    ]


def operators_routes_are_iams(resources: Resources) -> list[str]:
    return [
        f"{method} {path} is open"
        for _, api in of_type(resources, "ApiGatewayV2::Api")
        for path, item in api["Body"]["paths"].items()
        for method, operation in item.items()
        if path.startswith("/v1/admin") and operation.get("security") != [{"AWS_IAM": []}]
    ]


FACTS: tuple[Fact, ...] = (
    only_the_private_function_is_in_the_network,
    roles_name_actions_and_resources,
    roles_trust_one_service_each,
    roles_have_no_policies_of_others,
    tables_are_encrypted_and_kept,
    what_is_queued_or_stored_is_encrypted,
    functions_log_to_groups_of_the_stack,
    logs_are_kept_for_the_days_that_are_asked_for,
    callers_of_functions_are_named,
    resource_policies_have_conditions,
    the_network_is_closed,
    redis_is_called_with_tls,
    functions_accept_their_variables,
    secrets_are_in_no_variable,
    secrets_are_made_by_aws,
    operators_routes_are_iams,
)


def of_type(resources: Resources, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, resource in resources.items():
        if resource["Type"] == f"AWS::{kind}":
            yield name, resource.get("Properties", {})


def allowing(resources: Resources) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, role in of_type(resources, "IAM::Role"):
        for policy in role.get("Policies", []):
            yield from _allowing(name, policy["PolicyDocument"])
    for kind in ("IAM::Policy", "IAM::ManagedPolicy", "IAM::RolePolicy"):
        for name, policy in of_type(resources, kind):
            yield from _allowing(name, policy["PolicyDocument"])


def _allowing(name: str, document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for statement in as_list(document["Statement"]):
        if statement["Effect"] == "Allow":
            yield name, statement
