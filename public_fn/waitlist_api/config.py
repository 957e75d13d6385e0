"""The configuration of the Lambda functions, read from environment variables."""

from collections.abc import Mapping
from typing import Self

from msgspec import Struct

# The defaults of the `MailsPerDay` and `SmsPartsPerDay` stack parameters.
MAILS_PER_DAY, SMS_PARTS_PER_DAY = 50_000, 1_000


class ConfigError(ValueError):
    """An environment variable is missing or invalid. The error message names the variable."""


class Config(Struct, frozen=True):
    """The configuration of the public function and the maintenance function.

    `pass_key_arns` lists the keys for passes, the first of which signs new passes. If `jwt_issuer`
    is empty, customers use entry tokens, so `entry_token_secret` or `entry_token_secret_arn` is
    required.
    """

    table_name: str
    private_function_name: str
    maintenance_function_name: str
    entry_token_secret: str
    entry_token_secret_arn: str
    log_level: str
    jwt_issuer: str = ""
    pass_key_arns: tuple[str, ...] = ()
    pass_issuer: str = ""
    metrics_namespace: str = ""
    cors_origins: tuple[str, ...] = ()
    edge_key_arns: tuple[str, ...] = ()
    webhook_queue_url: str = ""
    webhook_dead_letters_url: str = ""
    messages_function_name: str = ""
    message_channels: tuple[str, ...] = ()
    bot_check: str = ""
    bot_check_site_key: str = ""
    bot_check_secret: str = ""
    bot_check_secret_arn: str = ""
    bot_check_url: str = ""
    bot_check_script_url: str = ""

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Self:
        """Read the configuration. Raise ConfigError if a required variable is missing."""
        return cls(
            table_name=_required(environ, "TABLE_NAME"),
            private_function_name=_required(environ, "PRIVATE_FUNCTION_NAME"),
            maintenance_function_name=environ.get("MAINTENANCE_FUNCTION_NAME", ""),
            entry_token_secret=environ.get("ENTRY_TOKEN_SECRET", ""),
            entry_token_secret_arn=environ.get("ENTRY_TOKEN_SECRET_ARN", ""),
            log_level=environ.get("LOG_LEVEL", "INFO").upper(),
            jwt_issuer=environ.get("JWT_ISSUER", ""),
            pass_key_arns=_listed(environ, "PASS_KEY_ARNS"),
            pass_issuer=environ.get("PASS_ISSUER", ""),
            metrics_namespace=environ.get("METRICS_NAMESPACE", ""),
            cors_origins=_listed(environ, "CORS_ORIGINS"),
            edge_key_arns=_listed(environ, "EDGE_KEY_ARNS"),
            webhook_queue_url=environ.get("WEBHOOK_QUEUE_URL", ""),
            webhook_dead_letters_url=environ.get("WEBHOOK_DEAD_LETTERS_URL", ""),
            messages_function_name=environ.get("MESSAGES_FUNCTION_NAME", ""),
            message_channels=_listed(environ, "MESSAGE_CHANNELS"),
            bot_check=environ.get("BOT_CHECK", ""),
            bot_check_site_key=environ.get("BOT_CHECK_SITE_KEY", ""),
            bot_check_secret=environ.get("BOT_CHECK_SECRET", ""),
            bot_check_secret_arn=environ.get("BOT_CHECK_SECRET_ARN", ""),
            bot_check_url=environ.get("BOT_CHECK_URL", ""),
            bot_check_script_url=environ.get("BOT_CHECK_SCRIPT_URL", ""),
        )


class WebhookConfig(Struct, frozen=True):
    """The configuration of the webhook function.

    `secret_arn` is the ARN of the webhook secrets. In local runs, `secret` contains the secrets
    instead.
    """

    table_name: str
    url: str
    queue_url: str
    dead_letters_url: str
    secret_arn: str = ""
    secret: str = ""
    only_loopback: bool = False
    log_level: str = "INFO"
    metrics_namespace: str = ""

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Self:
        """Read the configuration. Raise ConfigError if a variable is missing or invalid."""
        if not (environ.get("WEBHOOK_SECRET") or environ.get("WEBHOOK_SECRET_ARN")):
            raise ConfigError("WEBHOOK_SECRET_ARN (or WEBHOOK_SECRET) must be set")
        return cls(
            table_name=_required(environ, "TABLE_NAME"),
            url=_required(environ, "WEBHOOK_URL"),
            queue_url=_required(environ, "WEBHOOK_QUEUE_URL"),
            dead_letters_url=_required(environ, "WEBHOOK_DEAD_LETTERS_URL"),
            secret_arn=environ.get("WEBHOOK_SECRET_ARN", ""),
            secret=environ.get("WEBHOOK_SECRET", ""),
            only_loopback=environ.get("WEBHOOK_ONLY_LOOPBACK") == "true",
            log_level=environ.get("LOG_LEVEL", "INFO").upper(),
            metrics_namespace=environ.get("METRICS_NAMESPACE", ""),
        )


class MessagesConfig(Struct, frozen=True, kw_only=True):
    """The configuration of the messages function.

    Daily limits are counted per UTC day. If `mail_from` is empty, the stack sends no email. If
    `sms_from` is empty, it sends no SMS messages.
    """

    table_name: str
    queue_url: str
    base_url: str
    entry_token_secret: str = ""
    entry_token_secret_arn: str = ""
    has_accounts: bool = False
    mail_from: str = ""
    mail_configuration_set: str = ""
    sms_from: str = ""
    mails_per_day: int = MAILS_PER_DAY
    sms_parts_per_day: int = SMS_PARTS_PER_DAY
    log_level: str = "INFO"
    metrics_namespace: str = ""

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Self:
        """Read the configuration. Raise ConfigError if a variable is missing or invalid."""
        return cls(
            table_name=_required(environ, "TABLE_NAME"),
            queue_url=_required(environ, "MESSAGES_QUEUE_URL"),
            base_url=_required(environ, "BASE_URL"),
            entry_token_secret=environ.get("ENTRY_TOKEN_SECRET", ""),
            entry_token_secret_arn=environ.get("ENTRY_TOKEN_SECRET_ARN", ""),
            has_accounts=bool(environ.get("JWT_ISSUER")),
            mail_from=environ.get("MAIL_FROM", ""),
            mail_configuration_set=environ.get("MAIL_CONFIGURATION_SET", ""),
            sms_from=environ.get("SMS_FROM", ""),
            mails_per_day=_number(environ, "MAILS_PER_DAY", MAILS_PER_DAY),
            sms_parts_per_day=_number(environ, "SMS_PARTS_PER_DAY", SMS_PARTS_PER_DAY),
            log_level=environ.get("LOG_LEVEL", "INFO").upper(),
            metrics_namespace=environ.get("METRICS_NAMESPACE", ""),
        )


class EventsConfig(Struct, frozen=True):
    """The configuration of the events function."""

    bus_name: str
    source: str
    log_level: str = "INFO"

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Self:
        """Read the configuration. Raise ConfigError if a variable is missing."""
        return cls(
            bus_name=_required(environ, "EVENT_BUS_NAME"),
            source=_required(environ, "EVENT_SOURCE"),
            log_level=environ.get("LOG_LEVEL", "INFO").upper(),
        )


def _listed(environ: Mapping[str, str], name: str) -> tuple[str, ...]:
    return tuple(filter(None, environ.get(name, "").split(",")))


def _number(environ: Mapping[str, str], name: str, default: int) -> int:
    value = environ.get(name) or str(default)
    if not value.isdecimal() or int(value) < 1:
        raise ConfigError(f"{name} must be a whole number of at least 1")
    return int(value)


def _required(environ: Mapping[str, str], name: str) -> str:
    value = environ.get(name, "")
    if not value:
        raise ConfigError(f"{name} must be set")
    return value
