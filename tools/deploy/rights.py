"""Check that a stack's roles allow all necessary calls and no others.

The functions' code makes some of the calls, and AWS services make the rest when they use a role.
The comments in this module name the documentation of these calls.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from tools.deploy.iam import ALLOW, Call, Rule, is_allowed, rules
from tools.deploy.stack import ACCOUNT, PARTITION, Stack

# The actions in AWS's managed policies AWSLambdaBasicExecutionRole, AWSLambdaVPCAccessExecutionRole
# and AWSXRayDaemonWriteAccess. The actions for X-Ray's sampling rules are left out, because Lambda
# itself reads these rules.
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
# The actions in AWS's managed policy AWSCodeDeployRoleForLambdaLimited, except those for hooks and
# for an AppSpec in S3. The service authorization reference says that the first two are checked on
# functions. According to Lambda's guide, they are also checked on aliases, so CodeDeploy may use
# both.
ALIAS_ACTIONS = ("lambda:GetAlias", "lambda:UpdateAlias")
PROVISIONED_ACTION = "lambda:GetProvisionedConcurrencyConfig"
ALARM_ACTION = "cloudwatch:DescribeAlarms"
# The actions in AWS's managed policy AWSLambdaDynamoDBExecutionRole, except those for log groups
# and streams.
STREAM_ACTIONS = ("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator")
LIST_STREAMS = "dynamodb:ListStreams"
# The actions in AWS's managed policy AWSLambdaSQSQueueExecutionRole, except those for log groups
# and streams.
QUEUE_ACTIONS = ("sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage")
# The condition key that Lambda adds to calls by a function's code, but not to calls by a service
# that uses the function's role.
OF_CODE = "lambda:SourceFunctionArn"
ITSELF = "its own alias"
# The logical id of the permissions boundary in docs/operate/policies/github-oidc-role.yaml.
BOUNDARY = "Boundary"


@dataclass(frozen=True, order=True)
class Use:
    """A call made by a function's code. `variable` is the environment variable that names the
    resource.
    """

    function: str
    action: str
    variable: str
    index: str = ""


@dataclass(frozen=True)
class Need:
    """`role` is the logical id of the role that must allow the call."""

    role: str
    call: Call

    def __str__(self) -> str:
        return f"{self.role}: {self.call.action} on {self.call.resource}"


class Roles:
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
        of_key = self.keys.get(need.call.resource)
        return is_allowed(
            need.call,
            _but(self.own[need.role], without),
            boundary=None if self.boundary is None else _but(self.boundary, without),
            of_key=None if of_key is None else _but(of_key, without),
            role_arn=self.stack.attribute(need.role, "Arn"),
        )

    def rights(self) -> Iterator[tuple[str, list[Rule]]]:
        """Yield each permission with its name, so that a caller can find out whether it is
        necessary.

        A boundary's permissions are grouped by action. A key's rule for the whole account is left
        out, because it is not a role's permission.
        """
        for rule in chain(*self.own.values(), *self.keys.values()):
            if rule.effect == ALLOW and not rule.principal.endswith(":root"):
                yield rule.name, [rule]
        bounds = [rule for rule in self.boundary or () if rule.effect == ALLOW]
        for action in sorted({rule.action for rule in bounds}):
            yield f"the boundary: {action}", [rule for rule in bounds if rule.action == action]

    def is_idle(self, right: Collection[Rule], asked: Iterable[Need]) -> bool:
        return all(
            self.allow(need, right)
            for need in asked
            if any(rule.covers(need.call) for rule in right)
        )


def _but(found: list[Rule], without: Collection[Rule]) -> list[Rule]:
    return [rule for rule in found if rule not in without]


def needs(stack: Stack, uses: Iterable[Use]) -> list[Need]:
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
            # These parameters turn the function's feature off, so the function never makes the
            # call.
            continue
        code = {OF_CODE: stack.attribute(use.function, "Arn")}
        for resource in _resources(stack, use):
            context = code | tags_of(stack, resource) | _sender_of(stack, use)
            yield Need(_role(stack, use.function), Call(use.action, resource, context))


def _resources(stack: Stack, use: Use) -> list[str]:
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
            # An SQS queue's URL ends with the queue's name.
            return [_arn(stack, "sqs", value.rpartition("/")[2])] if value else []
        case "ses":
            names = ["identity/example.com", f"configuration-set/{value}"] if value else []
            return [_arn(stack, "ses", name) for name in names]
        case "events":
            return [_arn(stack, "events", f"event-bus/{value}")]
        case "sms-voice":
            return [_arn(stack, "sms-voice", f"sender-id/{value}/DE")] if value else []
    # An empty variable turns the feature off.
    return [value] if value else []


def _sender_of(stack: Stack, use: Use) -> dict[str, str]:
    """When a function sends an email, IAM compares the sender's address."""
    if not use.action.startswith("ses:"):
        return {}
    return {"ses:FromAddress": variables(stack, use.function)["MAIL_FROM"]}


def tags_of(stack: Stack, resource: str) -> dict[str, str]:
    """CloudFormation adds its own tag to secrets, but not to keys. Its schemas declare this in
    `cloudFormationSystemTags`.
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
    found: dict[str, str] = stack.resources[function]["Properties"]["Environment"]["Variables"]
    return found


def alias_of(stack: Stack, function: str) -> str:
    """Functions are called through their alias `live`."""
    return f"{stack.attribute(function, 'Arn')}:live"


def _of_redis(stack: Stack) -> Iterator[Need]:
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
        # Lambda requires the role to allow these actions on all resources.
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
        # CodeDeploy needs these actions on three resources: a function's alias, its old version and
        # its new version.
        for qualified in (live, f"{function}:7", f"{function}:8"):
            yield Need(role, Call(PROVISIONED_ACTION, qualified))
        alarms = stack.resources[group]["Properties"]["AlarmConfiguration"]["Alarms"]
        for alarm in alarms:
            yield Need(
                role, Call(ALARM_ACTION, _arn(stack, "cloudwatch", f"alarm:{alarm['Name']}"))
            )


def _of_mappings(stack: Stack) -> Iterator[Need]:
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
    logical_id, _arn = stack.made[resource]["Properties"][field]["Fn::GetAtt"]
    return str(logical_id)


def _arn(stack: Stack, service: str, resource: str) -> str:
    return f"arn:{PARTITION}:{service}:{stack.region}:{ACCOUNT}:{resource}"
