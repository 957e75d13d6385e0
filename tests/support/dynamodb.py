"""Connects the tests to AWS's DynamoDB Local, which `make test-dynamodb` starts."""

import logging
import os
import weakref
from functools import cache
from typing import Any, ClassVar

import boto3
from botocore.config import Config

from tools.local.table import create_table_request

TABLE = "waitlist-test"
# The environment variable for DynamoDB Local's URL. Only `make test-dynamodb` sets it.
URL_VARIABLE = "DYNAMODB_LOCAL_URL"
ACCESS: dict[str, Any] = {"region_name": "us-east-1", "aws_secret_access_key": "test"}


class RealTable:
    """A client of DynamoDB Local with its own database.

    DynamoDB Local keeps a database for each access key and never frees it, so a deleted client's
    access key is used again.
    """

    _free_keys: ClassVar[list[str]] = []
    _made: ClassVar[int] = 0

    def __init__(self, url: str) -> None:
        if not RealTable._free_keys:
            RealTable._made += 1
            RealTable._free_keys.append(f"test{os.getpid()}x{RealTable._made}")
        access_key = RealTable._free_keys.pop()
        # botocore makes only one attempt, so that tests that expect an error do not wait.
        config = Config(proxies={}, retries={"total_max_attempts": 1}, max_pool_connections=32)
        self._access: dict[str, Any] = {
            "endpoint_url": url,
            "aws_access_key_id": access_key,
            "config": config,
            **ACCESS,
        }
        self._client = _session().client("dynamodb", **self._access)
        self._client.create_table(**create_table_request(TABLE))
        # At level DEBUG, botocore logs whole requests. Some tests read the log and expect no such
        # lines.
        logging.getLogger("botocore").setLevel(logging.INFO)
        weakref.finalize(self, _give_back, self._client, access_key)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    @property
    def items(self) -> dict[tuple[str, str], dict[str, Any]]:
        return {(item["pk"]["S"], item["sk"]["S"]): item for item in self.scan()["Items"]}

    def scan(self, **request: Any) -> dict[str, Any]:
        """Return all items. As with the in-memory table, the caller need not name the table."""
        whole = {"TableName": TABLE, "ConsistentRead": True} | request
        return {"Items": self._client.scan(**whole)["Items"]}

    def stream_records(self) -> list[dict[str, Any]]:
        streams = _session().client("dynamodbstreams", **self._access)
        arn = self._client.describe_table(TableName=TABLE)["Table"]["LatestStreamArn"]
        records: list[dict[str, Any]] = []
        for shard in streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]:
            iterator = streams.get_shard_iterator(
                StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
            )["ShardIterator"]
            while iterator:
                page = streams.get_records(ShardIterator=iterator)
                if not page["Records"]:
                    break
                records += page["Records"]
                iterator = page.get("NextShardIterator")
        return records


def _give_back(client: Any, access_key: str) -> None:
    client.delete_table(TableName=TABLE)
    client.close()
    RealTable._free_keys.append(access_key)


@cache
def _session() -> Any:
    """Return the boto3 session that all clients share.

    A new session would read DynamoDB's API description again, which is slow.
    """
    return boto3.Session()
