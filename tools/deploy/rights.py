"""Check the permissions of the stack's roles against the calls that are made with them.

Some of the calls are made by the code of the functions (`Use`). The other calls are made by the
services that assume a role, and the comments below name the sources.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from tools.deploy.iam import ALLOW, Call, Rule, is_allowed, rules
from tools.deploy.stack import ACCOUNT, PARTITION, Stack

# These are AWS's managed policies AWSLambdaBasicExecutionRole, AWSLambdaVPCAccessExecutionRole and
# AWSXRayDaemonWriteAccess. The sampling rules of X-Ray are left out, because Lambda itself fetches
# them.
LOG_ACTIONS = ("logs:CreateLogStream", "logs:PutLogEvents")
NETWORK_ACTIONS = (
    "ec2:AssignPrivateIpAddresses",
    "ec2:CreateNetworkInterface",
    "ec2:DeleteNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSubnets",
    "ec2:UnassignPrivateIpAddresses",
)
TRACE_ACTIONS = ("xray:PutTelemetryRecords", "xray:PutTraceSegments")
# These are the actions of AWSCodeDeployRoleForLambdaLimited, except for the actions that hooks and
# an AppSpec in S3 need. For the first two actions, the service authorization reference names
# functions as resources, and Lambda's guide also names their aliases.
ALIAS_ACTIONS = ("lambda:GetAlias", "lambda:UpdateAlias")
PROVISIONED_ACTION = "lambda:GetProvisionedConcurrencyConfig"
ALARM_ACTION = "cloudwatch:DescribeAlarms"
# These are the actions of AWSLambdaDynamoDBExecutionRole, except for its log actions.
STREAM_ACTIONS = ("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator")
LIST_STREAMS = "dynamodb:ListStreams"
# These are the actions of AWSLambdaSQSQueueExecutionRole, except for its log actions.
QUEUE_ACTIONS = ("sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage")
# Only calls of the function's own code contain this condition key. If a service uses the function's
# role, its calls do not contain the key.
OF_CODE = "lambda:SourceFunctionArn"
ITSELF = "its own alias"
# This resource in docs/operate/policies/github-oidc-role.yaml is the permissions boundary.
BOUNDARY = "Boundary"


@dataclass(frozen=True, order=True)
class Use:
    """A call that the code of a function makes.

    The environment variable `variable` of the function contains the name of the resource.
    """

    function: str
    action: str
    variable: str
    index: str = ""


@dataclass(frozen=True)
class Need:
    """A call that a role must be allowed to make. `role` is the logical id of the role."""

    role: str
    call: Call

    def __str__(self) -> str:
        return f"{self.role}: {self.call.action} on {self.call.resource}"


class Roles:
    """The roles of a stack. If a permissions boundary limits them, the boundary is included."""

    def __init__(self, stack: Stack, boundary: Stack | None = None) -> None:
        self.stack = stack
        self.own = {
            role: [
                rule
                for policy in properties.get("Policies", [])
                for rule in rules(role, policy["PolicyName"], policy["PolicyDocument"])
            ]
            for role, properties in stack.of_type("AWS::IAM::Role").items()
        }
        for name, attached in stack.of_type("AWS::IAM::Policy").items():
            for role in stack.made[name]["Properties"]["Roles"]:
                self.own[role["Ref"]] += rules(role["Ref"], name, attached["PolicyDocument"])
        self.keys = {
            stack.attribute(key, "Arn"): list(rules(key, "KeyPolicy", properties["KeyPolicy"]))
            for key, properties in stack.of_type("AWS::KMS::Key").items()
        }
        self.boundary: list[Rule] | None = None
        if boundary is not None:
            policy = boundary.resources[BOUNDARY]["Properties"]
            self.boundary = list(rules(BOUNDARY, "PolicyDocument", policy["PolicyDocument"]))

    def allow(self, need: Need, without: Collection[Rule] = ()) -> bool:
        """Return whether a call is allowed if the rules in `without` are removed."""
        of_key = self.keys.get(need.call.resource)
        return is_allowed(
            need.call,
            _but(self.own[need.role], without),
            boundary=None if self.boundary is None else _but(self.boundary, without),
            of_key=None if of_key is None else _but(of_key, without),
            role_arn=self.stack.attribute(need.role, "Arn"),
        )

    def rights(self) -> Iterator[tuple[str, list[Rule]]]:
        """Yield everything that could be removed from a role, with its name. Only whole actions can
        be removed from a boundary.

        Rules of a key policy that apply to the account are left out, because they belong to no
        role.
        """
        for rule in chain(*self.own.values(), *self.keys.values()):
            if rule.effect == ALLOW and not rule.principal.endswith(":root"):
                yield rule.name, [rule]
        bounds = [rule for rule in self.boundary or () if rule.effect == ALLOW]
        for action in sorted({rule.action for rule in bounds}):
            yield f"the boundary: {action}", [rule for rule in bounds if rule.action == action]

    def is_idle(self, right: Collection[Rule], asked: Iterable[Need]) -> bool:
        """Return whether every call is still allowed if this right is removed."""
        return all(
            self.allow(need, right)
            for need in asked
            if any(rule.covers(need.call) for rule in right)
        )


def _but(found: list[Rule], without: Collection[Rule]) -> list[Rule]:
    return [rule for rule in found if rule not in without]


def needs(stack: Stack, uses: Iterable[Use]) -> list[Need]:
    """Return the calls that the roles of a stack must be allowed to make."""
    return [
        *needs_of_code(stack, uses),
        *_of_redis(stack),
        *_of_lambda(stack),
        *_of_code_deploy(stack),
        *_of_mappings(stack),
    ]


def needs_of_code(stack: Stack, uses: Iterable[Use]) -> Iterator[Need]:
    for use in sorted(uses):
        if use.function not in stack.resources:
            # Skip this call, because the parameters switch off the feature of its function.
            continue
        code = {OF_CODE: stack.attribute(use.function, "Arn")}
        for resource in _resources(stack, use):
            context = code | tags_of(stack, resource) | _sender_of(stack, use)
            yield Need(_role(stack, use.function), Call(use.action, resource, context))


def _resources(stack: Stack, use: Use) -> list[str]:
    """Return the ARNs of the resources that a function's code uses through a variable."""
    if use.variable == ITSELF:
        return [alias_of(stack, use.function)]
    value = variables(stack, use.function)[use.variable]
    match use.action.partition(":")[0]:
        case "dynamodb":
            return [_arn(stack, "dynamodb", f"table/{value}{use.index}")]
        case "kms":
            keys: list[str] = value.split(",")
            return keys[:1] if use.action == "kms:Sign" else keys
        case "secretsmanager":
            return [arn for arn in value.split(",") if arn]
        case "sqs":
            # The URL of an SQS queue ends with the name of the queue.
            return [_arn(stack, "sqs", value.rpartition("/")[2])] if value else []
        case "ses":
            names = ["identity/example.com", f"configuration-set/{value}"] if value else []
            return [_arn(stack, "ses", name) for name in names]
        case "events":
            return [_arn(stack, "events", f"event-bus/{value}")]
        case "sms-voice":
            return [_arn(stack, "sms-voice", f"sender-id/{value}/DE")] if value else []
    # If the parameters switch a feature off, its variable is empty.
    return [value] if value else []


def _sender_of(stack: Stack, use: Use) -> dict[str, str]:
    """Return the condition key for the sender address, which IAM compares when an email is sent."""
    if not use.action.startswith("ses:"):
        return {}
    return {"ses:FromAddress": variables(stack, use.function)["MAIL_FROM"]}


def tags_of(stack: Stack, resource: str) -> dict[str, str]:
    """Return the tags of a key or a secret, in the form in which conditions name them.

    CloudFormation adds its own tag to secrets, but not to keys (`cloudFormationSystemTags` in the
    schemas).
    """
    if resource.split(":")[2] == "secretsmanager":
        return {"aws:ResourceTag/aws:cloudformation:stack-name": stack.name}
    return {
        f"aws:ResourceTag/{tag['Key']}": tag["Value"]
        for key, properties in stack.of_type("AWS::KMS::Key").items()
        if stack.attribute(key, "Arn") == resource
        for tag in properties["Tags"]
    }


def variables(stack: Stack, function: str) -> dict[str, str]:
    """Return the environment variables of a function."""
    found: dict[str, str] = stack.resources[function]["Properties"]["Environment"]["Variables"]
    return found


def alias_of(stack: Stack, function: str) -> str:
    """Return the ARN of the alias through which a function is called."""
    return f"{stack.attribute(function, 'Arn')}:live"


def _of_redis(stack: Stack) -> Iterator[Need]:
    """Yield the permissions that the private function needs to log in to ElastiCache with a
    token.
    """
    given = variables(stack, "PrivateFn")
    if user := given["REDIS_IAM_USER"]:
        context = {OF_CODE: stack.attribute("PrivateFn", "Arn")}
        of_user = _arn(stack, "elasticache", f"user:{user}")
        for resource in (given["REDIS_IAM_CACHE_ARN"], of_user):
            yield Need(_role(stack, "PrivateFn"), Call("elasticache:Connect", resource, context))


def _of_lambda(stack: Stack) -> Iterator[Need]:
    for function, properties in stack.of_type("AWS::Lambda::Function").items():
        role = _role(stack, function)
        group = properties["LoggingConfig"]["LogGroup"]
        stream = _arn(stack, "logs", f"log-group:{group}:log-stream:2026/01/01/[1]abc")
        for action in LOG_ACTIONS:
            yield Need(role, Call(action, stream))
        # Lambda requires that the role allows these actions for all resources.
        for action in NETWORK_ACTIONS if "VpcConfig" in properties else ():
            yield Need(role, Call(action, "*"))
        for action in TRACE_ACTIONS if properties["TracingConfig"]["Mode"] == "Active" else ():
            yield Need(role, Call(action, "*"))


def _of_code_deploy(stack: Stack) -> Iterator[Need]:
    for alias, resource in stack.made.items():
        if resource["Type"] != "AWS::Lambda::Alias" or "UpdatePolicy" not in resource:
            continue
        update = resource["UpdatePolicy"]["CodeDeployLambdaAliasUpdate"]
        group = update["DeploymentGroupName"]["Ref"]
        role = _named(stack, group, "ServiceRoleArn")
        function = stack.attribute(resource["Properties"]["FunctionName"]["Ref"], "Arn")
        live = f"{function}:{stack.resources[alias]['Properties']['Name']}"
        for action in ALIAS_ACTIONS:
            yield Need(role, Call(action, function))
            yield Need(role, Call(action, live))
        # CodeDeploy makes calls about the alias, the old version and the new version.
        for qualified in (live, f"{function}:7", f"{function}:8"):
            yield Need(role, Call(PROVISIONED_ACTION, qualified))
        alarms = stack.resources[group]["Properties"]["AlarmConfiguration"]["Alarms"]
        for alarm in alarms:
            yield Need(
                role, Call(ALARM_ACTION, _arn(stack, "cloudwatch", f"alarm:{alarm['Name']}"))
            )


def _of_mappings(stack: Stack) -> Iterator[Need]:
    """Yield the permissions that Lambda needs to read a queue or a stream for a function."""
    for mapping, properties in stack.of_type("AWS::Lambda::EventSourceMapping").items():
        function = stack.made[mapping]["Properties"]["FunctionName"]["Ref"].partition("Alias")[0]
        role, source = _role(stack, function), properties["EventSourceArn"]
        is_stream = source.split(":")[2] == "dynamodb"
        for action in STREAM_ACTIONS if is_stream else QUEUE_ACTIONS:
            yield Need(role, Call(action, source))
        if is_stream:
            yield Need(role, Call(LIST_STREAMS, "*"))
        if failed := properties.get("DestinationConfig", {}).get("OnFailure"):
            yield Need(role, Call("sqs:SendMessage", failed["Destination"]))


def _role(stack: Stack, function: str) -> str:
    return _named(stack, function, "Role")


def _named(stack: Stack, resource: str, field: str) -> str:
    """Return the logical id of the role to which a property refers."""
    logical_id, _arn = stack.made[resource]["Properties"][field]["Fn::GetAtt"]
    return str(logical_id)


def _arn(stack: Stack, service: str, resource: str) -> str:
    return f"arn:{PARTITION}:{service}:{stack.region}:{ACCOUNT}:{resource}"
