"""The Lambda handler for the public HTTP API."""

import logging
import os
import random
from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

from aws_lambda_powertools import Logger

from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.auth.passes import KmsKeys, Passes
from waitlist_api.auth.secret import SecretUnavailable, secret_reader
from waitlist_api.aws.clients import (
    ANSWER_SECONDS,
    dynamodb_client,
    kms_client,
    lambda_client,
    secrets_client,
    sqs_client,
)
from waitlist_api.aws.deadline import Deadline
from waitlist_api.bots.check import BotCheck, SecretUnreadable
from waitlist_api.bots.providers import PROVIDERS
from waitlist_api.bots.siteverify import SiteVerify
from waitlist_api.config import Config, ConfigError
from waitlist_api.errors import NotReady
from waitlist_api.http.api import Api, as_lambda_response
from waitlist_api.http.errors import problem
from waitlist_api.http.request_log import RequestLog
from waitlist_api.http.routing import import_routes
from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.observability.setup import set_up_telemetry
from waitlist_api.services import Services
from waitlist_api.webhooks.replay import Replays
from waitlist_shared.correlation import Correlation

if os.environ.get("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand") != "on-demand":
    # With SnapStart or provisioned concurrency, Lambda imports the routes here before the first
    # request arrives, so no request has to wait for the imports.
    import_routes()
DEADLINE = Deadline()
CORRELATION = Correlation()
METRICS = MetricsCollector()
logger = logging.getLogger(__name__)


class Context(Protocol):
    """The part of a Lambda context that this module uses."""

    aws_request_id: str

    def get_remaining_time_in_millis(self) -> int: ...


def lambda_handler(event: dict[str, Any], context: Context) -> dict[str, Any]:
    """Answer an HTTP request before Lambda's timeout ends the call."""
    seconds = context.get_remaining_time_in_millis() / 1000 - ANSWER_SECONDS
    with DEADLINE.limited_to(seconds):
        return request_log().respond(event, context.aws_request_id, lambda: _answer(event, context))


def _answer(event: dict[str, Any], context: Context) -> dict[str, Any]:
    try:
        return api().handle(event, context)
    except NotReady as error:
        logger.warning("not ready: %r", error.__cause__)
        return as_lambda_response(problem(error))


@cache
def request_log() -> RequestLog:
    """Create the request log from the environment variables, once per process."""
    telemetry = set_up_telemetry("public", os.environ, CORRELATION)
    return RequestLog(telemetry, CORRELATION, METRICS)


@cache
def api() -> Api:
    """Create the API from the environment variables at the first request, once per process."""
    # Lambda SnapStart copies a process after its modules are imported. That is why connections,
    # keys and random numbers must not be created during the import.
    random.seed()  # otherwise all copies of a snapshot would use the same random pauses
    config = Config.from_env(os.environ)
    services = Services.on(
        config,
        dynamodb_client(DEADLINE),
        lambda_client(DEADLINE),
        correlation=CORRELATION,
        metrics=METRICS,
    )
    # Only the public function has these services. If the bot check is None, guests can sign up
    # without passing a bot check.
    for_routes = {
        Passes: Passes(KmsKeys(config.pass_key_arns, kms), config.pass_issuer),
        Replays: Replays(sqs, config.webhook_queue_url, config.webhook_dead_letters_url),
        BotCheck | None: _bot_check(config),
    }
    services = services.replaced(for_routes)
    try:
        tokens = None if config.jwt_issuer else EntryTokens(_secret(config))
        # The secrets that contain CloudFront's keys never change, because a new key is stored in a
        # new secret. That is why each secret is read only once.
        edge_keys = [secret_reader(arn, secrets_client(DEADLINE))() for arn in config.edge_key_arns]
    except SecretUnavailable as error:
        if not error.is_temporary:
            raise
        raise NotReady from error
    logger = Logger(level=config.log_level)
    # If customers sign in with JWTs from an issuer, only the links in emails need the signing keys,
    # so read their secret when the first link is needed.
    code_keys = cache(lambda: _code_keys(config))
    return Api(services, tokens, logger, config.cors_origins, edge_keys, code_keys)


def _code_keys(config: Config) -> EntryTokens:
    try:
        return EntryTokens(_secret(config))
    except SecretUnavailable as error:
        raise NotReady from error


@cache
def kms() -> Any:
    """Create the KMS client on first use, because most requests do not need it."""
    return kms_client(DEADLINE)


@cache
def sqs() -> Any:
    """Create the SQS client on first use, because only webhook replays need it."""
    return sqs_client(DEADLINE)


def _bot_check(config: Config) -> BotCheck | None:
    if not config.bot_check:
        return None
    if config.bot_check not in PROVIDERS:
        raise ConfigError(f"BOT_CHECK={config.bot_check} must be one of {', '.join(PROVIDERS)}")
    provider = PROVIDERS[config.bot_check]
    provider = provider.at(config.bot_check_url, config.bot_check_script_url)
    return BotCheck(
        provider,
        config.bot_check_site_key,
        SiteVerify(provider.verify_url, DEADLINE).ask,
        lambda: _bot_check_secret(config),
        config.cors_origins,
        METRICS,
    )


def _bot_check_secret(config: Config) -> str:
    if config.bot_check_secret:
        return config.bot_check_secret
    try:
        return secret_reader(config.bot_check_secret_arn, secrets_client(DEADLINE))()
    except SecretUnavailable as error:
        logger.warning("the bot check's secret cannot be read: %r", error.__cause__)
        raise SecretUnreadable from error


def _secret(config: Config) -> str | Callable[[], str]:
    if config.entry_token_secret:
        return config.entry_token_secret
    if not config.entry_token_secret_arn:
        raise ConfigError("ENTRY_TOKEN_SECRET_ARN (or ENTRY_TOKEN_SECRET) must be set")
    return secret_reader(config.entry_token_secret_arn, secrets_client(DEADLINE))
