"""The public function: wires the API to DynamoDB and to the private function."""

import os
from collections.abc import Callable
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger

from waitlist_api.api import Api
from waitlist_api.auth import EntryTokens
from waitlist_api.aws import dynamodb_client, lambda_client, secret_reader
from waitlist_api.config import Config, ConfigError
from waitlist_api.services import Services


def lambda_handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Answer one request of the HTTP API."""
    return api().handle(event, context)


@cache
def api() -> Api:
    """Compose the API once per process, from the environment."""
    config = Config.from_env(os.environ)
    services = Services.on(config, dynamodb_client(), lambda_client())
    tokens = None if config.jwt_issuer else EntryTokens(_secret(config))
    return Api(services, tokens, Logger(level=config.log_level))


def _secret(config: Config) -> str | Callable[[], str]:
    if config.entry_token_secret:
        return config.entry_token_secret
    if not config.entry_token_secret_arn:
        raise ConfigError("ENTRY_TOKEN_SECRET_ARN (or ENTRY_TOKEN_SECRET) must be set")
    return secret_reader(config.entry_token_secret_arn)
