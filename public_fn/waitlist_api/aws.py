"""The AWS clients: short time-outs, few retries, so that the caller gets an answer in time."""

from collections.abc import Callable
from typing import Any

import boto3
from botocore.config import Config as ClientConfig
from botocore.exceptions import BotoCoreError, ClientError

from waitlist_api.token_keys import SecretUnavailable

# API Gateway waits 30 s, the public function runs 10 s, the private one 3 s, Redis gets under 2.
DYNAMODB = ClientConfig(
    connect_timeout=1,
    read_timeout=2,
    retries={"mode": "standard", "total_max_attempts": 3},
    max_pool_connections=64,
)
LAMBDA = ClientConfig(
    connect_timeout=1,
    read_timeout=3.5,
    retries={"mode": "standard", "total_max_attempts": 2},
    max_pool_connections=64,
)

SECRETS = ClientConfig(
    connect_timeout=1, read_timeout=2, retries={"mode": "standard", "total_max_attempts": 2}
)


def dynamodb_client() -> Any:
    """Return a DynamoDB client."""
    return boto3.client("dynamodb", config=DYNAMODB)


def lambda_client() -> Any:
    """Return a Lambda client; every message of the contract may be sent twice."""
    return boto3.client("lambda", config=LAMBDA)


def secret_reader(arn: str) -> Callable[[], str]:
    """Return what reads a secret of Secrets Manager; it raises SecretUnavailable."""
    client = boto3.client("secretsmanager", config=SECRETS)

    def read() -> str:
        try:
            return str(client.get_secret_value(SecretId=arn)["SecretString"])
        except (BotoCoreError, ClientError) as error:
            raise SecretUnavailable from error

    return read
