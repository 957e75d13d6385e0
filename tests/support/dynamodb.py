"""DynamoDB for tests: moto in this process, or AWS's DynamoDB Local if one is started."""

import logging
import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, ClassVar

import boto3
from botocore.config import Config
from moto import mock_aws

from tools.local.table import create_table_request

TABLE = "waitlist-test"
# The URL of the DynamoDB Local that `make test-dynamodb` has started; otherwise not set.
URL_VARIABLE = "DYNAMODB_LOCAL_URL"
ACCESS: dict[str, Any] = {"region_name": "us-east-1", "aws_secret_access_key": "test"}


class OneAtATime:
    """A client whose calls do not overlap: DynamoDB is atomic per item, moto is not."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)

        def call(**arguments: Any) -> Any:
            with self._lock:
                return method(**arguments)

        return call


class RealTable:
    """A client of DynamoDB Local with its own database, which is deleted with this object.

    DynamoDB Local keeps a database, and four threads, for each access key, so later objects reuse
    the keys.
    """

    _free_keys: ClassVar[list[str]] = []
    _made: ClassVar[int] = 0

    def __init__(self, url: str) -> None:
        if not RealTable._free_keys:
            RealTable._made += 1
            RealTable._free_keys.append(f"test{os.getpid()}x{RealTable._made}")
        access_key = RealTable._free_keys.pop()
        # One attempt: a test that expects a refusal must not wait for retries.
        config = Config(proxies={}, retries={"total_max_attempts": 1}, max_pool_connections=32)
        self._client = _session().client(
            "dynamodb",
            endpoint_url=url,
            aws_access_key_id=access_key,
            config=config,
            **ACCESS,
        )
        self._client.create_table(**create_table_request(TABLE))
        # At DEBUG, botocore logs whole requests, but tests read the service's own log.
        logging.getLogger("botocore").setLevel(logging.INFO)
        weakref.finalize(self, _give_back, self._client, access_key)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def scan(self, **request: Any) -> dict[str, Any]:
        """Return all items; like the table in memory, it needs no name."""
        whole = {"TableName": TABLE, "ConsistentRead": True} | request
        return {"Items": self._client.scan(**whole)["Items"]}


@contextmanager
def dynamodb(*, streamed: bool = False) -> Iterator[Any]:
    """Yield a client of an empty table as the template declares it; in moto, `streamed` or not.

    Moto copies the whole stream for each transaction, to take it back if the transaction fails.
    """
    url = os.environ.get(URL_VARIABLE)
    if url:
        yield RealTable(url)
        return
    with mock_aws():
        client = _session().client("dynamodb", aws_access_key_id="test", **ACCESS)
        request = create_table_request(TABLE)
        if not streamed:
            del request["StreamSpecification"]
        client.create_table(**request)
        yield OneAtATime(client)


def _give_back(client: Any, access_key: str) -> None:
    client.delete_table(TableName=TABLE)
    client.close()
    RealTable._free_keys.append(access_key)


@cache
def _session() -> Any:
    """Return a session that outlives moto's mocks, as it reads the description of DynamoDB once."""
    return boto3.Session()
