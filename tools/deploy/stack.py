"""A stack as CloudFormation would create it, after SAM's transform and with given parameters.

Names, ids and ARNs that AWS would choose are invented, in AWS's format. They belong to the account
123456789012.
"""

import ipaddress
import json
import logging
import os
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any

from tools.local.table import read_template

ACCOUNT = "123456789012"
PARTITION = "aws"
ZONES = ("a", "b", "c")
STACK_UUID = "0a1b2c3d-4e5f-11ef-8a9b-0c1d2e3f4a5b"
# A generated name ends with 12 random characters.
RANDOM = "1A2B3C4D5E6F"
# The maximum lengths of generated names, by resource type. The names of all other types are always
# short enough.
LONGEST_NAMES = {
    "AWS::Lambda::Function": 64,
    "AWS::IAM::Role": 64,
    "AWS::Events::Rule": 64,
    "AWS::SQS::Queue": 80,
    "AWS::CodeDeploy::Application": 100,
    "AWS::CodeDeploy::DeploymentGroup": 100,
}

# The property that contains a resource's name. For all other types, it is the type's last word
# followed by `Name`, such as `FunctionName`.
NAMED_BY = {
    "AWS::CloudFront::Function": "Name",
    "AWS::ElastiCache::User": "UserId",
    "AWS::ElastiCache::UserGroup": "UserGroupId",
    "AWS::Events::EventBus": "Name",
    "AWS::Events::Rule": "Name",
    "AWS::Lambda::LayerVersion": "LayerName",
    "AWS::IAM::ManagedPolicy": "ManagedPolicyName",
}

# Hide the warnings about SAM's own settings and metrics, which SAM gives at each translation.
logging.getLogger("samtranslator").setLevel(logging.ERROR)

# The parameter whose value SAM's transform needs.
DEPLOYMENT = "Deployment"
Parameters = Mapping[str, str]
Resource = dict[str, Any]
NOTHING = object()


class Unresolved(Exception):
    """The template refers to something that the stack lacks, or calls an unknown function."""


@dataclass(frozen=True)
class Stack:
    """A stack whose parts are stored by logical id.

    The resources in `made` contain references to each other. In `resources` and `outputs`, each
    reference is replaced with its value. `attribute` returns the value of `GetAtt` for a logical id
    and an attribute.
    """

    name: str
    region: str
    made: dict[str, Resource]
    resources: dict[str, Resource]
    outputs: dict[str, Any]
    attribute: Callable[[str, str], Any]

    def of_type(self, resource_type: str) -> dict[str, dict[str, Any]]:
        return {
            name: resource.get("Properties", {})
            for name, resource in self.resources.items()
            if resource["Type"] == resource_type
        }


class _NoManagedPolicies:
    def load(self) -> dict[str, str]:
        return {}


@cache
def _translated_for_all(deployment: str) -> dict[str, Any]:
    """Return the project's template after SAM's transform, for all stacks with this `Deployment`.

    SAM needs the value of `Deployment`. The default values of all parameters are removed, so SAM
    keeps the references to the other parameters, and the result does not depend on their values.
    """
    template = _prepared()
    declared = template["Parameters"]
    template["Parameters"] = {
        name: {key: value for key, value in one.items() if key != "Default"}
        for name, one in declared.items()
    }
    return {**expanded(template, {DEPLOYMENT: deployment}), "Parameters": declared}


@cache
def _translated(given: str) -> dict[str, Any]:
    return expanded(_prepared(), json.loads(given))


def _prepared() -> dict[str, Any]:
    # SAM changes the template, so it gets a copy. A YAML alias puts the same object in several
    # places, but the copy contains a separate object for each place.
    template: dict[str, Any] = json.loads(json.dumps(read_template()))
    for resource in template["Resources"].values():
        for name in {"CodeUri", "ContentUri"} & resource.get("Properties", {}).keys():
            # SAM's transform accepts no local folders. `sam deploy` also replaces them with
            # addresses in S3.
            resource["Properties"][name] = "s3://bucket/key"
    return template


def expanded(template: dict[str, Any], parameters: Parameters) -> dict[str, Any]:
    """Return a template after SAM's transform, which depends on some of the parameters."""
    # Import SAM only when it is needed, because the import takes a second.
    from samtranslator.translator.transform import transform

    # SAM's transform needs a region, although it calls no AWS service.
    os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")
    found: dict[str, Any] = transform(template, dict(parameters), _NoManagedPolicies())
    return found


def translated(parameters: Parameters | None = None) -> dict[str, Any]:
    """Return the project's template after SAM's transform, as CloudFormation receives it."""
    return deepcopy(_translated(json.dumps(dict(parameters or {}), sort_keys=True)))


def make(
    parameters: Parameters | None = None,
    name: str = "waitlist",
    region: str = "us-east-1",
    template: dict[str, Any] | None = None,
) -> Stack:
    """Return the stack that CloudFormation makes from a translated template.

    Raise Unresolved if the template refers to something that the stack does not have.
    """
    given = dict(parameters or {})
    if template is None:
        default = read_template()["Parameters"][DEPLOYMENT]["Default"]
        template = _translated_for_all(given.get(DEPLOYMENT, default))
    resolver = _Resolver(template, given, name, region)
    made = {
        logical_id: resolver.decided(resource)
        for logical_id, resource in template["Resources"].items()
        if resolver.has(resource)
    }
    resolver.made = made
    return Stack(
        name=name,
        region=region,
        made=made,
        resources={logical_id: resolver.resource(logical_id) for logical_id in made},
        outputs={
            output: resolver.value(resolver.decided(found["Value"]))
            for output, found in template.get("Outputs", {}).items()
            if resolver.has(found)
        },
        attribute=resolver.attribute,
    )


class _Resolver:
    def __init__(
        self, template: dict[str, Any], parameters: dict[str, str], name: str, region: str
    ) -> None:
        declared = template.get("Parameters", {})
        if unknown := parameters.keys() - declared.keys():
            raise Unresolved(f"the template has no parameter {', '.join(sorted(unknown))}")
        self.declared = declared
        self.conditions: dict[str, Any] = template.get("Conditions", {})
        self.stack_name = name
        self.region = region
        self.made: dict[str, Resource] = {}
        self.parameters = {
            key: str(parameters.get(key, one.get("Default", ""))) for key, one in declared.items()
        } | {
            "AWS::AccountId": ACCOUNT,
            "AWS::Partition": PARTITION,
            "AWS::Region": region,
            "AWS::StackId": f"arn:aws:cloudformation:{region}:{ACCOUNT}:stack/{name}/{STACK_UUID}",
            "AWS::StackName": name,
            "AWS::URLSuffix": "amazonaws.com",
        }

    # The following methods evaluate conditions.

    def has(self, found: Mapping[str, Any]) -> bool:
        return "Condition" not in found or self.holds({"Condition": found["Condition"]})

    def holds(self, expression: Any) -> bool:
        ((function, operands),) = expression.items()
        match function:
            case "Condition":
                return self.holds(self.conditions[operands])
            case "Fn::Not":
                return not self.holds(operands[0])
            case "Fn::And":
                return all(map(self.holds, operands))
            case "Fn::Or":
                return any(map(self.holds, operands))
            case "Fn::Equals":
                left, right = (str(self.value(operand)) for operand in operands)
                return left == right
        raise Unresolved(f"the condition function {function} is not supported")

    def decided(self, value: Any) -> Any:
        if isinstance(value, list):
            return [item for inner in value if (item := self.decided(inner)) is not NOTHING]
        if not isinstance(value, dict):
            return value
        if value == {"Ref": "AWS::NoValue"}:
            return NOTHING
        if "Fn::If" in value:
            condition, then, otherwise = value["Fn::If"]
            return self.decided(then if self.holds({"Condition": condition}) else otherwise)
        decided = {key: self.decided(inner) for key, inner in value.items()}
        return {key: inner for key, inner in decided.items() if inner is not NOTHING}

    # The following methods resolve values.

    def resource(self, logical_id: str) -> Resource:
        resource = self.made[logical_id]
        return {
            key: self.value(inner) if key in ("Properties", "UpdatePolicy") else inner
            for key, inner in resource.items()
            if key not in ("Condition", "Metadata")
        }

    def value(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            ((function, operand),) = value.items()
            if function in ("Ref", "Condition") or function.startswith("Fn::"):
                return self._call(function, operand)
        return {key: self.value(inner) for key, inner in value.items()}

    def _call(self, function: str, operand: Any) -> Any:
        match function:
            case "Ref":
                return self.ref(operand)
            case "Fn::GetAtt":
                logical_id, attribute = operand if isinstance(operand, list) else operand.split(".")
                return self.attribute(logical_id, attribute)
            case "Fn::Sub":
                text, values = operand if isinstance(operand, list) else (operand, {})
                return re.sub(r"\$\{([^!}]+)\}", lambda found: self._named(found[1], values), text)
            case "Fn::Join":
                return operand[0].join(map(str, self.value(operand[1])))
            case "Fn::Split":
                return self.value(operand[1]).split(operand[0])
            case "Fn::Select":
                return self.value(operand[1])[int(operand[0])]
            case "Fn::GetAZs":
                return [f"{self.region}{zone}" for zone in ZONES]
            case "Fn::Cidr":
                block, count, bits = (self.value(item) for item in operand)
                network = ipaddress.ip_network(block)
                return [str(subnet) for subnet in network.subnets(new_prefix=32 - bits)][:count]
        raise Unresolved(f"the function {function} is not supported")

    def _named(self, name: str, values: Mapping[str, Any]) -> str:
        if name in values:
            return str(self.value(values[name]))
        logical_id, _, attribute = name.partition(".")
        return str(self.attribute(logical_id, attribute) if attribute else self.ref(name))

    def ref(self, name: str) -> Any:
        if name in self.parameters:
            value = self.parameters[name]
            is_number = self.declared.get(name, {}).get("Type") == "Number"
            return int(value) if is_number else value
        identity = self._identity(name)
        return identity.get("Ref", identity["Name"])

    def attribute(self, logical_id: str, attribute: str) -> Any:
        identity = self._identity(logical_id)
        if attribute not in identity:
            raise Unresolved(f"the attribute {logical_id}.{attribute} is unknown")
        return identity[attribute]

    def _identity(self, logical_id: str) -> dict[str, str]:
        """Return a resource's `Ref` and `GetAtt` values.

        If `Ref` is the same as `Name`, the result contains no `Ref` key.
        """
        if logical_id not in self.made:
            raise Unresolved(f"this stack has no {logical_id}")
        resource = self.made[logical_id]
        properties = resource.get("Properties", {})
        name = self._name(logical_id, resource["Type"], properties)
        match resource["Type"]:
            case "AWS::Lambda::Function":
                return {"Name": name, "Arn": self._arn("lambda", f"function:{name}")}
            case "AWS::Lambda::Version":
                function = self.value(properties["FunctionName"])
                return {"Name": self._arn("lambda", f"function:{function}:1"), "Version": "1"}
            case "AWS::Lambda::Alias":
                function = self.value(properties["FunctionName"])
                return {
                    "Name": self._arn("lambda", f"function:{function}:{properties['Name']}"),
                }
            case "AWS::Lambda::EventSourceMapping":
                return {"Name": name, "Id": f"{_hex(logical_id, 8)}-1234-1234-1234-123456789012"}
            case "AWS::Lambda::LayerVersion":
                return {"Name": self._arn("lambda", f"layer:{name}:1")}
            case "AWS::IAM::Role":
                return {"Name": name, "Arn": self._arn("iam", f"role/{name}", region="")}
            case "AWS::IAM::ManagedPolicy":
                return {"Name": name, "Ref": self._arn("iam", f"policy/{name}", region="")}
            case "AWS::S3::Bucket":
                bucket = name.lower()
                return {"Name": bucket, "Arn": f"arn:{PARTITION}:s3:::{bucket}"}
            case "AWS::Logs::LogGroup":
                return {"Name": name, "Arn": self._arn("logs", f"log-group:{name}:*")}
            case "AWS::CloudWatch::Alarm":
                return {"Name": name, "Arn": self._arn("cloudwatch", f"alarm:{name}")}
            case "AWS::DynamoDB::Table":
                arn = self._arn("dynamodb", f"table/{name}")
                stream = f"{arn}/stream/2026-01-01T00:00:00.000"
                return {"Name": name, "Arn": arn, "StreamArn": stream}
            case "AWS::SecretsManager::Secret":
                return {"Name": self._arn("secretsmanager", f"secret:{logical_id}-{RANDOM}-AbCdEf")}
            case "AWS::KMS::Key":
                key = f"{_hex(logical_id, 8)}-1234-1234-1234-123456789012"
                return {"Name": key, "Arn": self._arn("kms", f"key/{key}")}
            case "AWS::Events::EventBus":
                return {"Name": name, "Arn": self._arn("events", f"event-bus/{name}")}
            case "AWS::Events::Rule":
                return {"Name": name, "Arn": self._arn("events", f"rule/{name}")}
            case "AWS::SQS::Queue":
                url = f"https://sqs.{self.region}.amazonaws.com/{ACCOUNT}/{name}"
                return {"Name": name, "Ref": url, "QueueName": name, "Arn": self._arn("sqs", name)}
            case "AWS::EC2::VPC":
                return {"Name": f"vpc-{_hex(logical_id, 17)}"}
            case "AWS::EC2::Subnet":
                return {"Name": f"subnet-{_hex(logical_id, 17)}"}
            case "AWS::EC2::SecurityGroup":
                group = f"sg-{_hex(logical_id, 17)}"
                return {"Name": group, "GroupId": group}
            case "AWS::ElastiCache::ServerlessCache":
                return {
                    "Name": name,
                    "ARN": self._arn("elasticache", f"serverlesscache:{name}"),
                    "Endpoint.Address": f"{name}-abc123.serverless.use1.cache.amazonaws.com",
                    "Endpoint.Port": "6379",
                }
            case "AWS::ElastiCache::User":
                return {"Name": name, "Arn": self._arn("elasticache", f"user:{name}")}
            case "AWS::ElastiCache::UserGroup":
                return {"Name": name, "Arn": self._arn("elasticache", f"usergroup:{name}")}
            case "AWS::ApiGatewayV2::Api":
                return {"Name": _hex(logical_id, 10)}
            case "AWS::CloudFront::Distribution":
                return {"Name": "E1A2B3C4D5E6F7", "DomainName": "d111111abcdef8.cloudfront.net"}
            case "AWS::CloudFront::Function":
                arn = self._arn("cloudfront", f"function/{name}", region="")
                return {"Name": name, "Ref": arn, "FunctionARN": arn}
            case "AWS::CloudFront::CachePolicy":
                return {"Name": f"{_hex(logical_id, 8)}-1234-1234-1234-123456789012"}
        return {"Name": name}

    def _name(self, logical_id: str, resource_type: str, properties: Mapping[str, Any]) -> str:
        own = NAMED_BY.get(resource_type, f"{resource_type.split('::')[-1]}Name")
        if own in properties:
            return str(self.value(properties[own]))
        return generated_name(self.stack_name, logical_id, LONGEST_NAMES.get(resource_type, 255))

    def _arn(self, service: str, resource: str, region: str | None = None) -> str:
        where = self.region if region is None else region
        return f"arn:{PARTITION}:{service}:{where}:{ACCOUNT}:{resource}"


def generated_name(stack_name: str, logical_id: str, longest: int) -> str:
    """Return a name as CloudFormation generates it, with at most `longest` characters.

    The stack's name and the logical id share the available characters. If both are too long, each
    gets half (IdentifierUtils in CloudFormation's provider library).
    """
    room = longest - len(RANDOM) - 2
    stack_room = max(room // 2, room - len(logical_id))
    stack_part = stack_name[:stack_room]
    return f"{stack_part}-{logical_id[: room - len(stack_part)]}-{RANDOM}"


def _hex(text: str, digits: int) -> str:
    return f"{int.from_bytes(text.encode(), 'big'):x}".zfill(digits)[-digits:]
