"""Creates the table in the in-memory DynamoDB, or in another local DynamoDB."""

from contextlib import suppress
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from tools.local.aws import ACCESS_KEY, REGION, SECRET_KEY
from tools.local.table import create_table_request


class DynamoDbUnreachableError(Exception):
    pass


def dynamodb_client(endpoint_url: str) -> Any:
    return boto3.client(
        "dynamodb",
        endpoint_url=endpoint_url,
        region_name=REGION,
        aws_access_key_id=ACCESS_KEY,
        aws_secret_access_key=SECRET_KEY,
        config=Config(
            connect_timeout=2, read_timeout=5, retries={"total_max_attempts": 1}, proxies={}
        ),
    )


def ensure_table(endpoint_url: str, table_name: str) -> None:
    """Raise DynamoDbUnreachableError if DynamoDB does not answer."""
    client = dynamodb_client(endpoint_url)
    try:
        with suppress(client.exceptions.ResourceInUseException):
            client.create_table(**create_table_request(table_name))
        client.get_waiter("table_exists").wait(
            TableName=table_name, WaiterConfig={"Delay": 1, "MaxAttempts": 20}
        )
    except (BotoCoreError, ClientError) as error:
        raise DynamoDbUnreachableError(str(error)) from error
