"""Sizes and names that AWS refuses at a deployment, and that no schema of a resource type has.

Each check yields what is over its limit. Sources: the quota pages of CloudFormation, IAM, Lambda,
DynamoDB, API Gateway, CloudFront, CloudWatch and EventBridge Pipes in AWS's documentation.
"""

import json
from collections.abc import Iterator
from typing import Any

from tools.deploy.stack import Stack

TEMPLATE_BYTES = 1_000_000
RESOURCES = 500
OUTPUTS = 200
PARAMETERS = 200
ROLE_INLINE_CHARACTERS = 10_240
MANAGED_POLICY_CHARACTERS = 6_144
TRUST_CHARACTERS = 2_048
FUNCTION_POLICY_BYTES = 20_480
KEY_POLICY_BYTES = 32_768
ENVIRONMENT_BYTES = 4_096
NON_KEY_ATTRIBUTES = 20
ROUTES = 300
DASHBOARD_METRICS = 500
ALARM_METRICS = 10
FILTER_CHARACTERS = 4_096
INPUT_TEMPLATE_CHARACTERS = 8_192
CACHE_BEHAVIORS = 25
CACHE_KEY_HEADERS = 10
# Longest values of properties: resource type, property, characters.
LONGEST = (
    ("AWS::IAM::Role", "RoleName", 64),
    ("AWS::Lambda::Function", "FunctionName", 64),
    ("AWS::Lambda::Function", "Description", 256),
    ("AWS::Lambda::LayerVersion", "LayerName", 140),
    ("AWS::ElastiCache::ServerlessCache", "ServerlessCacheName", 40),
    ("AWS::ElastiCache::ServerlessCache", "Description", 255),
    ("AWS::ElastiCache::User", "UserId", 40),
    ("AWS::ElastiCache::UserGroup", "UserGroupId", 40),
    ("AWS::CloudWatch::Alarm", "AlarmName", 255),
    ("AWS::CloudWatch::Alarm", "AlarmDescription", 1_024),
    ("AWS::CloudWatch::Dashboard", "DashboardName", 255),
    ("AWS::Events::EventBus", "Name", 256),
    ("AWS::Events::EventBus", "Description", 512),
    ("AWS::Logs::LogGroup", "LogGroupName", 512),
    ("AWS::SecretsManager::Secret", "Description", 2_048),
    ("AWS::EC2::SecurityGroup", "GroupDescription", 255),
)


def over_the_limits(stack: Stack, template: dict[str, Any]) -> Iterator[str]:
    """Yield each size of the stack, or of its translated template, that AWS would refuse."""
    yield from _over("the template, in bytes", len(json.dumps(template)), TEMPLATE_BYTES)
    yield from _over("resources", len(stack.resources), RESOURCES)
    yield from _over("outputs", len(stack.outputs), OUTPUTS)
    yield from _over("parameters", len(template.get("Parameters", {})), PARAMETERS)
    for check in (_names, _policies, _functions, _table, _api, _telemetry, _pipes, _edge):
        yield from check(stack)


def _over(what: str, size: int, limit: int) -> Iterator[str]:
    if size > limit:
        yield f"{what}: {size:,}, and AWS allows {limit:,}"


def _length(value: Any) -> int:
    """Return the characters that IAM counts of a policy, which are all but white space."""
    return len("".join(json.dumps(value, separators=(",", ":")).split()))


def _names(stack: Stack) -> Iterator[str]:
    for resource_type, name, limit in LONGEST:
        for logical_id, properties in stack.of_type(resource_type).items():
            yield from _over(f"{logical_id}.{name}", len(properties.get(name, "")), limit)


def _policies(stack: Stack) -> Iterator[str]:
    roles = stack.of_type("AWS::IAM::Role")
    inline = {
        logical_id: [policy["PolicyDocument"] for policy in role.get("Policies", [])]
        for logical_id, role in roles.items()
    }
    for policy in stack.made.values():
        if policy["Type"] == "AWS::IAM::Policy":
            for role in policy["Properties"].get("Roles", []):
                inline[role["Ref"]].append(policy["Properties"]["PolicyDocument"])
    for logical_id, documents in inline.items():
        size = sum(map(_length, documents))
        yield from _over(f"{logical_id}, inline policies", size, ROLE_INLINE_CHARACTERS)
        trust = _length(roles[logical_id]["AssumeRolePolicyDocument"])
        yield from _over(f"{logical_id}, trust policy", trust, TRUST_CHARACTERS)
    for logical_id, managed in stack.of_type("AWS::IAM::ManagedPolicy").items():
        size = _length(managed["PolicyDocument"])
        yield from _over(logical_id, size, MANAGED_POLICY_CHARACTERS)
    for logical_id, key in stack.of_type("AWS::KMS::Key").items():
        yield from _over(f"{logical_id}, key policy", _length(key["KeyPolicy"]), KEY_POLICY_BYTES)


def _functions(stack: Stack) -> Iterator[str]:
    for logical_id, function in stack.of_type("AWS::Lambda::Function").items():
        variables = function.get("Environment", {}).get("Variables", {})
        size = sum(len(f"{name}{value}".encode()) for name, value in variables.items())
        yield from _over(f"{logical_id}, environment", size, ENVIRONMENT_BYTES)
    policies: dict[str, int] = {}
    for logical_id, permission in stack.of_type("AWS::Lambda::Permission").items():
        # The statement that Lambda writes, with the name that CloudFormation gives it.
        statement = {
            "Sid": f"{stack.name}-{logical_id}-1A2B3C4D5E6F",
            "Effect": "Allow",
            "Principal": {"Service": permission["Principal"]},
            "Action": permission["Action"],
            "Resource": permission["FunctionName"],
            "Condition": {"ArnLike": {"AWS:SourceArn": permission.get("SourceArn", "")}},
        }
        called = permission["FunctionName"]
        policies[called] = policies.get(called, 0) + _length(statement)
    for called, size in policies.items():
        yield from _over(f"the policy of {called}", size, FUNCTION_POLICY_BYTES)


def _table(stack: Stack) -> Iterator[str]:
    for logical_id, table in stack.of_type("AWS::DynamoDB::Table").items():
        for index in table.get("GlobalSecondaryIndexes", []):
            size = len(index["Projection"].get("NonKeyAttributes", []))
            what = f"{logical_id}, attributes of {index['IndexName']}"
            yield from _over(what, size, NON_KEY_ATTRIBUTES)


def _api(stack: Stack) -> Iterator[str]:
    for logical_id, api in stack.of_type("AWS::ApiGatewayV2::Api").items():
        routes = {
            f"{method.upper()} {path}"
            for path, item in api["Body"]["paths"].items()
            for method in item
        }
        yield from _over(f"{logical_id}, routes", len(routes), ROUTES)
        for name, stage in stack.of_type("AWS::ApiGatewayV2::Stage").items():
            for route in stage.get("RouteSettings", {}).keys() - routes:
                yield f"{name} limits {route}, which is no route of the API"


def _telemetry(stack: Stack) -> Iterator[str]:
    alarms = stack.of_type("AWS::CloudWatch::Alarm")
    for logical_id, alarm in alarms.items():
        yield from _over(f"{logical_id}, metrics", len(alarm.get("Metrics", [])), ALARM_METRICS)
        for dimension in _dimensions(alarm):
            if not dimension["Value"]:
                yield f"{logical_id}: the dimension {dimension['Name']} is empty"
    # CodeDeploy accepts any name, and stops at a deployment if there is no such alarm.
    names = {alarm.get("AlarmName") for alarm in alarms.values()}
    for logical_id, group in stack.of_type("AWS::CodeDeploy::DeploymentGroup").items():
        for alarm in group.get("AlarmConfiguration", {}).get("Alarms", []):
            if alarm["Name"] not in names:
                yield f"{logical_id} watches {alarm['Name']}, which is no alarm of the stack"
    for logical_id, dashboard in stack.of_type("AWS::CloudWatch::Dashboard").items():
        try:
            widgets = json.loads(dashboard["DashboardBody"])["widgets"]
        except ValueError as error:
            yield f"{logical_id} is not JSON: {error}"
            continue
        metrics = [one for widget in widgets for one in widget["properties"].get("metrics", [])]
        yield from _over(f"{logical_id}, metrics", len(metrics), DASHBOARD_METRICS)
        yield from (
            f"{logical_id}: an empty dimension in {metric}" for metric in metrics if "" in metric
        )


def _dimensions(alarm: dict[str, Any]) -> Iterator[dict[str, str]]:
    yield from alarm.get("Dimensions", [])
    for metric in alarm.get("Metrics", []):
        yield from metric.get("MetricStat", {}).get("Metric", {}).get("Dimensions", [])


def _pipes(stack: Stack) -> Iterator[str]:
    for logical_id, pipe in stack.of_type("AWS::Pipes::Pipe").items():
        for one in pipe["SourceParameters"]["FilterCriteria"]["Filters"]:
            yield from _over(f"{logical_id}, filter", len(one["Pattern"]), FILTER_CHARACTERS)
            try:
                json.loads(one["Pattern"])
            except ValueError as error:
                yield f"{logical_id}: the filter is not JSON: {error}"
        written = len(pipe["TargetParameters"]["InputTemplate"])
        yield from _over(f"{logical_id}, input template", written, INPUT_TEMPLATE_CHARACTERS)


def _edge(stack: Stack) -> Iterator[str]:
    for logical_id, found in stack.of_type("AWS::CloudFront::Distribution").items():
        config = found["DistributionConfig"]
        yield from _over(f"{logical_id}.Comment", len(config["Comment"]), 128)
        yield from _over(f"{logical_id}, behaviors", len(config["CacheBehaviors"]), CACHE_BEHAVIORS)
    for logical_id, policy in stack.of_type("AWS::CloudFront::CachePolicy").items():
        config = policy["CachePolicyConfig"]
        yield from _over(f"{logical_id}.Name", len(config["Name"]), 128)
        yield from _over(f"{logical_id}.Comment", len(config["Comment"]), 128)
        key = config["ParametersInCacheKeyAndForwardedToOrigin"]["HeadersConfig"]
        headers = len(key.get("Headers", []))
        yield from _over(f"{logical_id}, headers", headers, CACHE_KEY_HEADERS)
