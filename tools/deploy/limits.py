"""Finds sizes, values and names that AWS refuses during a deployment, although no schema excludes
them.

Each check yields what AWS would refuse. The sources are the quota pages in the documentation of
CloudFormation, IAM, Lambda, DynamoDB, API Gateway, CloudFront and CloudWatch.
"""

import json
import re
from collections.abc import Iterable, Iterator
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
FILTERS = 5
FILTER_CHARACTERS = 4_096
CACHE_BEHAVIORS = 25
CACHE_KEY_HEADERS = 10
CONFIG = "DistributionConfig"
METHOD = r"GET|HEAD|OPTIONS|PUT|PATCH|POST|DELETE"
# The maximum lengths of some properties. Each row contains the resource type, the property, and the
# number of characters.
LONGEST = (
    ("AWS::IAM::Role", "RoleName", 64),
    ("AWS::Lambda::Function", "FunctionName", 64),
    ("AWS::Lambda::Function", "Description", 256),
    ("AWS::Lambda::LayerVersion", "LayerName", 140),
    ("AWS::CloudFront::Function", "FunctionCode", 10_240),
    ("AWS::CloudFront::Function", "Name", 64),
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
    ("AWS::SQS::Queue", "QueueName", 80),
)
POLICY_NAME_CHARACTERS = 128
# The allowed values of some properties. Each row contains the resource type, the property, and a
# pattern.
STATISTIC = r"SampleCount|Average|Sum|Minimum|Maximum|p\d{1,2}(\.\d{1,2})?"
VALUES = (
    ("AWS::ElastiCache::ServerlessCache", "Engine", r"redis|valkey|memcached"),
    ("AWS::CloudWatch::Alarm", "ExtendedStatistic", STATISTIC),
    ("AWS::CloudWatch::Alarm", "EvaluateLowSampleCountPercentile", r"evaluate|ignore"),
    ("AWS::CloudWatch::Alarm", "Metrics/MetricStat/Stat", STATISTIC),
    ("AWS::CloudFront::Distribution", f"{CONFIG}/CacheBehaviors/AllowedMethods", METHOD),
    ("AWS::CloudFront::Distribution", f"{CONFIG}/DefaultCacheBehavior/AllowedMethods", METHOD),
    (
        "AWS::CloudFront::Distribution",
        f"{CONFIG}/Origins/CustomOriginConfig/OriginSSLProtocols",
        r"SSLv3|TLSv1|TLSv1\.1|TLSv1\.2",
    ),
    ("AWS::ApiGatewayV2::Stage", "StageName", r"\$default"),
)
# The services that use the roles. Each row contains the resource type that refers to a role, the
# property, and the service.
TAKEN_BY = (
    ("AWS::Lambda::Function", "Role", "lambda"),
    ("AWS::CodeDeploy::DeploymentGroup", "ServiceRoleArn", "codedeploy"),
)
# The services that call functions. The keys are their names in ARNs.
CALLERS = {"execute-api": "apigateway.amazonaws.com", "events": "events.amazonaws.com"}
HTTP_API_MILLIS = 30_000


def over_the_limits(stack: Stack, template: dict[str, Any]) -> Iterator[str]:
    yield from _over("the template, in bytes", len(json.dumps(template)), TEMPLATE_BYTES)
    yield from _over("resources", len(stack.resources), RESOURCES)
    yield from _over("outputs", len(stack.outputs), OUTPUTS)
    yield from _over("parameters", len(template.get("Parameters", {})), PARAMETERS)
    for check in (
        names_over,
        _values,
        _roles,
        _policies,
        _functions,
        _table,
        _api,
        _telemetry,
        _mappings,
        _edge,
    ):
        yield from check(stack)


def _over(what: str, size: int, limit: int) -> Iterator[str]:
    if size > limit:
        yield f"{what}: {size:,}, but AWS allows at most {limit:,}"


def _length(value: Any) -> int:
    """Return a policy's size in characters. As in IAM, white space does not count."""
    return len("".join(json.dumps(value, separators=(",", ":")).split()))


def names_over(stack: Stack) -> Iterator[str]:
    for resource_type, name, limit in LONGEST:
        for logical_id, properties in stack.of_type(resource_type).items():
            yield from _over(f"{logical_id}.{name}", len(properties.get(name, "")), limit)


def _values(stack: Stack) -> Iterator[str]:
    for resource_type, path, pattern in VALUES:
        for logical_id, properties in stack.of_type(resource_type).items():
            for value in _at(properties, path.split("/")):
                if not re.fullmatch(pattern, str(value)):
                    yield f"{logical_id} {path}: {value!r} does not match {pattern}"


def _at(value: Any, path: list[str]) -> Iterator[Any]:
    """Yield the values at a path. If the path leads to a list, follow the path in each item."""
    if isinstance(value, list):
        for inner in value:
            yield from _at(inner, path)
    elif not path:
        yield value
    elif path[0] in value:
        yield from _at(value[path[0]], path[1:])


def _roles(stack: Stack) -> Iterator[str]:
    trusted = {
        stack.attribute(logical_id, "Arn"): [
            service
            for statement in role["AssumeRolePolicyDocument"]["Statement"]
            for service in _at(statement, ["Principal", "Service"])
        ]
        for logical_id, role in stack.of_type("AWS::IAM::Role").items()
    }
    for resource_type, name, service in TAKEN_BY:
        for logical_id, properties in stack.of_type(resource_type).items():
            if f"{service}.amazonaws.com" not in trusted.get(properties[name], []):
                yield f"{logical_id}: {service} may not assume the role {properties[name]}"
    for logical_id, permission in stack.of_type("AWS::Lambda::Permission").items():
        source = permission["SourceArn"].split(":")[2]
        if permission["Principal"] != CALLERS.get(source):
            yield f"{logical_id}: {permission['Principal']} is not the service of {source}"


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
    for logical_id, role in roles.items():
        for name in _at(role, ["Policies", "PolicyName"]):
            yield from _over(f"{logical_id}, policy {name}", len(name), POLICY_NAME_CHARACTERS)
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
        # Lambda adds this statement to the function's policy. CloudFormation chooses the
        # statement's name.
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
        aliases = {f"{alias['FunctionName']}:{alias['Name']}" for alias in _aliases(stack)}
        for path, item in api["Body"]["paths"].items():
            for method, operation in item.items():
                for problem in _integration(operation, aliases):
                    yield f"{logical_id} {method} {path}: {problem}"
        for name, stage in stack.of_type("AWS::ApiGatewayV2::Stage").items():
            for route in stage.get("RouteSettings", {}).keys() - routes:
                yield f"{name} limits {route}, but the API has no such route"


def _aliases(stack: Stack) -> Iterable[dict[str, Any]]:
    return stack.of_type("AWS::Lambda::Alias").values()


def _integration(operation: dict[str, Any], aliases: set[str]) -> Iterator[str]:
    integration = operation["x-amazon-apigateway-integration"]
    form = (integration["type"], integration["httpMethod"], integration["payloadFormatVersion"])
    if form != ("aws_proxy", "POST", "2.0"):
        yield f"{form} is not the integration of a function"
    yield from _over("timeoutInMillis", integration["timeoutInMillis"], HTTP_API_MILLIS)
    function = re.search(r":function:([^/]+)/invocations$", integration["uri"])
    if not function or function[1] not in aliases:
        yield f"{integration['uri']} does not call an alias of the stack"


def _telemetry(stack: Stack) -> Iterator[str]:
    alarms = stack.of_type("AWS::CloudWatch::Alarm")
    for logical_id, alarm in alarms.items():
        yield from _over(f"{logical_id}, metrics", len(alarm.get("Metrics", [])), ALARM_METRICS)
        for dimension in _dimensions(alarm):
            if not dimension["Value"]:
                yield f"{logical_id}: the dimension {dimension['Name']} is empty"
    # CodeDeploy accepts names of alarms that do not exist, but the deployment then stops.
    names = {alarm.get("AlarmName") for alarm in alarms.values()}
    for logical_id, group in stack.of_type("AWS::CodeDeploy::DeploymentGroup").items():
        for alarm in group.get("AlarmConfiguration", {}).get("Alarms", []):
            if alarm["Name"] not in names:
                yield f"{logical_id} watches {alarm['Name']}, but the stack has no such alarm"
    for logical_id, dashboard in stack.of_type("AWS::CloudWatch::Dashboard").items():
        try:
            widgets = json.loads(dashboard["DashboardBody"])["widgets"]
        except ValueError as error:
            yield f"{logical_id} is not JSON: {error}"
            continue
        metrics = [
            metric for widget in widgets for metric in widget["properties"].get("metrics", [])
        ]
        yield from _over(f"{logical_id}, metrics", len(metrics), DASHBOARD_METRICS)
        yield from (
            f"{logical_id}: {metric} has an empty dimension" for metric in metrics if "" in metric
        )


def _dimensions(alarm: dict[str, Any]) -> Iterator[dict[str, str]]:
    yield from alarm.get("Dimensions", [])
    for metric in alarm.get("Metrics", []):
        yield from metric.get("MetricStat", {}).get("Metric", {}).get("Dimensions", [])


def _mappings(stack: Stack) -> Iterator[str]:
    for logical_id, mapping in stack.of_type("AWS::Lambda::EventSourceMapping").items():
        filters = mapping.get("FilterCriteria", {}).get("Filters", [])
        yield from _over(f"{logical_id}, filters", len(filters), FILTERS)
        for one in filters:
            yield from _over(f"{logical_id}, filter", len(one["Pattern"]), FILTER_CHARACTERS)
            try:
                json.loads(one["Pattern"])
            except ValueError as error:
                yield f"{logical_id}: the filter is not JSON: {error}"


def _edge(stack: Stack) -> Iterator[str]:
    for logical_id, found in stack.of_type("AWS::CloudFront::Distribution").items():
        config = found[CONFIG]
        origins = {origin["Id"] for origin in config["Origins"]}
        for behavior in (config["DefaultCacheBehavior"], *config["CacheBehaviors"]):
            if behavior["TargetOriginId"] not in origins:
                yield f"{logical_id}: {behavior['TargetOriginId']} is not one of its origins"
        yield from _over(f"{logical_id}.Comment", len(config["Comment"]), 128)
        yield from _over(f"{logical_id}, behaviors", len(config["CacheBehaviors"]), CACHE_BEHAVIORS)
    for logical_id, policy in stack.of_type("AWS::CloudFront::CachePolicy").items():
        config = policy["CachePolicyConfig"]
        yield from _over(f"{logical_id}.Name", len(config["Name"]), 128)
        yield from _over(f"{logical_id}.Comment", len(config["Comment"]), 128)
        key = config["ParametersInCacheKeyAndForwardedToOrigin"]["HeadersConfig"]
        headers = len(key.get("Headers", []))
        yield from _over(f"{logical_id}, headers", headers, CACHE_KEY_HEADERS)
