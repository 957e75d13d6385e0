"""The functions in `template.yaml`, with environment variables for this computer."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tools.local import kms, sqs, webhooks
from tools.local.aws import ACCESS_KEY, REGION, SECRET_KEY
from tools.local.function import FunctionSettings
from tools.local.routes import operations

TABLE_NAME = "waitlist-local"
PRIVATE_NAME = "waitlist-local-private"
MAINTENANCE_NAME = "waitlist-local-maintenance"
PUBLIC_NAME = "waitlist-local-public"
WEBHOOK_NAME = "waitlist-local-webhook"
# There is no local function of this name. Calls to it go to the local mailbox.
MESSAGES_NAME = "waitlist-local-messages"
ENTRY_TOKEN_SECRET = "local-entry-token-secret-not-for-production"

MAX_PUBLIC_ENVIRONMENTS = 32
# All of the public function's environments may call the private function at the same time, and
# maintenance calls it from many threads.
MAX_PRIVATE_ENVIRONMENTS = 64
MAX_MAINTENANCE_ENVIRONMENTS = 4
# The public function waits for an answer one second longer than the private function may take.
PRIVATE_QUEUE_SECONDS = 1.0
MAINTENANCE_QUEUE_SECONDS = 60.0


@dataclass(frozen=True)
class Backends:
    """The local servers' addresses and the functions' settings."""

    redis_url: str
    redis_cluster: bool
    dynamodb_url: str
    api_url: str
    log_level: str
    jwt_issuer: str = ""
    cors_origins: tuple[str, ...] = ()
    webhook_url: str = ""
    webhook_secret: str = ""
    bot_check: Mapping[str, str] = field(default_factory=dict)

    def variables(self) -> dict[str, str]:
        return {
            "TABLE_NAME": TABLE_NAME,
            "PRIVATE_FUNCTION_NAME": PRIVATE_NAME,
            "MAINTENANCE_FUNCTION_NAME": MAINTENANCE_NAME,
            "MESSAGES_FUNCTION_NAME": MESSAGES_NAME,
            # The mailbox shows both emails and SMS.
            "MESSAGE_CHANNELS": "mail,sms",
            "ENTRY_TOKEN_SECRET": ENTRY_TOKEN_SECRET,
            "REDIS_URL": self.redis_url,
            "REDIS_CLUSTER": str(self.redis_cluster).lower(),
            "REDIS_HAS_RUN_IDS": "true",
            "REDIS_IAM_USER": "",
            "REDIS_IAM_CACHE_ARN": "",
            "AWS_ENDPOINT_URL_DYNAMODB": self.dynamodb_url,
            "AWS_ENDPOINT_URL_KMS": self.api_url + kms.PATH,
            "AWS_ENDPOINT_URL_LAMBDA": self.api_url,
            "PASS_KEY_ARNS": kms.KEY_ARN,
            # Without this variable, passes would name the domain in the event as their issuer, and
            # that domain contains no port.
            "PASS_ISSUER": self.api_url,
            "LOG_LEVEL": self.log_level,
            "JWT_ISSUER": self.jwt_issuer,
            "CORS_ORIGINS": ",".join(self.cors_origins),
            "WEBHOOK_URL": self.webhook_url,
            "WEBHOOK_SECRET": self.webhook_secret,
            "WEBHOOK_ONLY_LOOPBACK": "true",
            # Create the queues even if there is no webhook, so that developers can try to resend
            # failed events.
            "WEBHOOK_QUEUE_URL": f"{self.api_url}{sqs.PATH}/{webhooks.QUEUE_NAME}",
            "WEBHOOK_DEAD_LETTERS_URL": f"{self.api_url}{sqs.PATH}/{webhooks.DEAD_LETTERS_NAME}",
            "AWS_ENDPOINT_URL_SQS": self.api_url + sqs.PATH,
            **self.bot_check,
        }


@dataclass(frozen=True)
class DeclaredFunction:
    settings: FunctionSettings
    environ: dict[str, str]


def declared_functions(
    template: Mapping[str, Any],
    backends: Backends,
    inherited: Mapping[str, str],
    private_concurrency: int | None = None,
    public_concurrency: int | None = None,
) -> dict[str, DeclaredFunction]:
    """As in the template, each function receives only the environment variables that it uses."""
    declared = {}
    rooms = _rooms(template, private_concurrency, public_concurrency)
    if backends.webhook_url:
        rooms["WebhookFn"] = {"name": WEBHOOK_NAME, "environments": webhooks.CALLS}
    for resource, room in rooms.items():
        properties = template["Resources"][resource]["Properties"]
        settings = FunctionSettings(
            handler=properties["Handler"],
            timeout_seconds=properties["Timeout"],
            memory_mb=properties["MemorySize"],
            **room,
        )
        named = properties["Environment"]["Variables"]
        environ = _lambda_variables(settings, inherited) | _named(named, backends.variables())
        declared[settings.name] = DeclaredFunction(settings, environ)
    return declared


def _rooms(
    template: Mapping[str, Any], private: int | None, public: int | None
) -> dict[str, dict[str, Any]]:
    """Return each function's local name, and how many events it may handle at once."""
    return {
        "PublicFn": {
            "name": PUBLIC_NAME,
            "environments": public or MAX_PUBLIC_ENVIRONMENTS,
            "queue_seconds": _patience(template),
            "concurrency": public,
        },
        "PrivateFn": {
            "name": PRIVATE_NAME,
            "environments": private or MAX_PRIVATE_ENVIRONMENTS,
            "queue_seconds": PRIVATE_QUEUE_SECONDS,
            "concurrency": private,
        },
        "MaintenanceFn": {
            "name": MAINTENANCE_NAME,
            "environments": MAX_MAINTENANCE_ENVIRONMENTS,
            "queue_seconds": MAINTENANCE_QUEUE_SECONDS,
        },
    }


def _patience(template: Mapping[str, Any]) -> float:
    """Return how much longer API Gateway's timeout is than the public function's, in seconds."""
    integrations = (
        operation["x-amazon-apigateway-integration"] for operation in operations(template).values()
    )
    waits_millis = min(integration["timeoutInMillis"] for integration in integrations)
    return float(waits_millis / 1000 - template["Resources"]["PublicFn"]["Properties"]["Timeout"])


def _named(named: Mapping[str, Any], values: Mapping[str, str]) -> dict[str, str]:
    literals = {name: value for name, value in named.items() if isinstance(value, str)}
    return literals | {name: values[name] for name in named if name in values}


def _lambda_variables(settings: FunctionSettings, inherited: Mapping[str, str]) -> dict[str, str]:
    """Leave out the AWS configuration of the user who runs the service."""
    kept = {name: value for name, value in inherited.items() if not _is_own(name)}
    return kept | {
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_REGION": REGION,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_LAMBDA_FUNCTION_NAME": settings.name,
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(settings.memory_mb),
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        # All addresses are local, so no proxy is needed. Without this setting, a forked process
        # would ask macOS for proxies and crash.
        "no_proxy": "*",
        # `make run` sends traces and metrics nowhere.
        "POWERTOOLS_TRACE_DISABLED": "true",
        "POWERTOOLS_METRICS_DISABLED": "true",
    }


def _is_own(name: str) -> bool:
    return (
        name.startswith(("AWS_", "POWERTOOLS_", "REDIS_"))
        or name == "LOG_LEVEL"
        or name.lower().endswith("_proxy")
    )
