"""The AWS clients: short time-outs, few retries, so that the caller gets an answer in time."""

from typing import Any

import boto3
from botocore.config import Config as ClientConfig

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


def dynamodb_client() -> Any:
    """Return a DynamoDB client."""
    return boto3.client("dynamodb", config=DYNAMODB)


def lambda_client() -> Any:
    """Return a Lambda client; every message of the contract may be sent twice."""
    return boto3.client("lambda", config=LAMBDA)
