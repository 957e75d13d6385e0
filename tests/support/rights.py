"""AWS clients that refuse every call that the function's IAM role does not allow."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.support.dynamodb import TABLE
from tests.support.lambdas import MAINTENANCE, MESSAGES, PRIVATE
from tools.deploy.rights import ITSELF, Roles, Use, needs_of_code, variables
from tools.deploy.stack import make
from tools.local.kms import KEY_ARN

SECRET_ARN = "arn:aws:secretsmanager:us-east-1:123456789012:secret:entry-tokens-AbCdEf"
EDGE_KEY_ARN = "arn:aws:secretsmanager:us-east-1:123456789012:secret:edge-key-AbCdEf"
WEBHOOK_SECRET_ARN = "arn:aws:secretsmanager:us-east-1:123456789012:secret:webhook-AbCdEf"
WEBHOOK_QUEUE = "https://sqs.us-east-1.amazonaws.com/123456789012/webhook"
WEBHOOK_DEAD_LETTERS = "https://sqs.us-east-1.amazonaws.com/123456789012/dead"
BOT_CHECK_ARN = "arn:aws:secretsmanager:us-east-1:123456789012:secret:bots-AbCdEf"
MESSAGES_QUEUE = "https://sqs.us-east-1.amazonaws.com/123456789012/messages"
MAIL_SET = "mails-of-waitlist"
SMS_FROM = "BAKERY"
BUS = "waitlist-events"
# Tests use fixed names for resources. In a deployed stack, the functions read the names from these
# environment variables.
VARIABLES = {
    TABLE: "TABLE_NAME",
    PRIVATE: "PRIVATE_FUNCTION_NAME",
    MAINTENANCE: "MAINTENANCE_FUNCTION_NAME",
    MESSAGES: "MESSAGES_FUNCTION_NAME",
    KEY_ARN: "PASS_KEY_ARNS",
    SECRET_ARN: "ENTRY_TOKEN_SECRET_ARN",
    EDGE_KEY_ARN: "EDGE_KEY_ARNS",
    WEBHOOK_SECRET_ARN: "WEBHOOK_SECRET_ARN",
    WEBHOOK_QUEUE: "WEBHOOK_QUEUE_URL",
    WEBHOOK_DEAD_LETTERS: "WEBHOOK_DEAD_LETTERS_URL",
    BOT_CHECK_ARN: "BOT_CHECK_SECRET_ARN",
    MESSAGES_QUEUE: "MESSAGES_QUEUE_URL",
    MAIL_SET: "MAIL_CONFIGURATION_SET",
    SMS_FROM: "SMS_FROM",
    BUS: "EVENT_BUS_NAME",
}
ITEM_ACTIONS = {
    "ConditionCheck": "ConditionCheckItem",
    "Delete": "DeleteItem",
    "Put": "PutItem",
    "Update": "UpdateItem",
}
# All calls that guarded clients have made in this process.
MADE: set[Use] = set()


class NotAllowed(AssertionError):
    """A function has made a call that its role does not allow.

    This is not one of the AWS errors, because the functions handle AWS errors and the test would
    not fail.
    """


def forget_calls() -> None:
    MADE.clear()
    _check.cache_clear()


def guarded(function: str, client: Any) -> Any:
    """Return a boto3 client that raises NotAllowed if the function's role does not allow a call."""
    return _Guarded(function, client)


class _Guarded:
    def __init__(self, function: str, client: Any) -> None:
        self._function = function
        self._client = client

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)

        def call(**arguments: Any) -> Any:
            for action, resource, index in _uses(self._function, name, arguments):
                _check(self._function, action, resource, index)
            return method(**arguments)

        return call


def _uses(function: str, method: str, arguments: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield each IAM action that AWS checks for a call, with the resource's name and, if a query
    uses an index, the index's part of the ARN.
    """
    match operation := _operation(method):
        case "TransactWriteItems":
            # IAM checks each item in a transaction as an action of its own.
            for item in arguments["TransactItems"]:
                ((kind, write),) = item.items()
                yield f"dynamodb:{ITEM_ACTIONS[kind]}", write["TableName"], ""
        case "BatchGetItem" | "BatchWriteItem":
            for table in arguments["RequestItems"]:
                yield f"dynamodb:{operation}", table, ""
        case "Query" if "IndexName" in arguments:
            index = f"/index/{arguments['IndexName']}"
            yield "dynamodb:Query", arguments["TableName"], index
        case "DeleteItem" | "GetItem" | "PutItem" | "Query" | "UpdateItem":
            yield f"dynamodb:{operation}", arguments["TableName"], ""
        case "Invoke":
            yield "lambda:InvokeFunction", arguments["FunctionName"], ""
        case "GetPublicKey" | "Sign":
            yield f"kms:{operation}", arguments["KeyId"], ""
        case (
            "ChangeMessageVisibility"
            | "ChangeMessageVisibilityBatch"
            | "DeleteMessageBatch"
            | "ReceiveMessage"
            | "SendMessage"
            | "SendMessageBatch"
        ):
            # IAM has no actions for batches of messages. It checks the action for a single message
            # instead.
            action = operation.removesuffix("Batch")
            yield f"sqs:{action}", arguments["QueueUrl"], ""
        case "SendEmail":
            # A raw email needs the second action too.
            for action in ("ses:SendEmail", "ses:SendRawEmail"):
                yield action, arguments["ConfigurationSetName"], ""
        case "PutEvents":
            for entry in arguments["Entries"]:
                yield "events:PutEvents", entry["EventBusName"], ""
        case "SendTextMessage":
            yield "sms-voice:SendTextMessage", arguments["OriginationIdentity"], ""
        case "GetSecretValue":
            yield f"secretsmanager:{operation}", arguments["SecretId"], ""
        case _:
            raise NotAllowed(f"{function} calls {operation}, whose IAM actions are unknown actions")


@cache
def _operation(method: str) -> str:
    return method.title().replace("_", "")


@cache
def _check(function: str, action: str, name: str, index: str) -> None:
    """Raise NotAllowed if the function's role does not allow the action.

    Tests make the same calls thousands of times, so an allowed call is checked only once.
    """
    if name not in VARIABLES:
        raise NotAllowed(f"{function} calls {action} on {name}, which no variable names")
    is_itself = (function, name) == ("MaintenanceFn", MAINTENANCE)
    use = Use(function, action, ITSELF if is_itself else VARIABLES[name], index)
    if not _is_allowed(use):
        raise NotAllowed(f"{use.function} lacks {use.action} on {use.variable}{use.index}")
    MADE.add(use)


@cache
def _roles() -> Roles:
    # A stack without these parameters has no functions for webhooks and messages.
    senders = {"MailFrom": "line@example.com", "SmsFrom": "LINE"}
    return Roles(make({"WebhookUrl": "https://example.com/hook", **senders}))


def _is_allowed(use: Use) -> bool:
    roles = _roles()
    if use.variable != ITSELF and use.variable not in variables(roles.stack, use.function):
        return False
    return all(map(roles.allow, needs_of_code(roles.stack, [use])))
