"""Tables in a local DynamoDB that answers over HTTP. Each test file creates and deletes its own
table.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import boto3

from tests.unit.tools.fakes import serving, url_of
from tools.local.dynamodb.ensure_table import ensure_table
from tools.local.dynamodb.server import Database

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@contextmanager
def local_table(name: str) -> "Iterator[DynamoDBClient]":
    with serving(Database(), in_threads=False) as server:
        ensure_table(url_of(server), name)
        with client_of(url_of(server)) as client:
            yield client


@contextmanager
def client_of(url: str) -> "Iterator[DynamoDBClient]":
    client = boto3.client(
        "dynamodb",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )
    try:
        yield client
    finally:
        client.close()


def key(name: str) -> dict[str, Any]:
    return {"pk": {"S": name}, "sk": {"S": "RECORD"}}


def item(client: "DynamoDBClient", table: str, name: str) -> dict[str, Any] | None:
    found = client.get_item(TableName=table, Key=key(name), ConsistentRead=True).get("Item")
    return dict(found) if found else None
