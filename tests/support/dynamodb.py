"""DynamoDB for tests: moto in this process, one call at a time."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3
from moto import mock_aws

from local.table import create_table_request

TABLE = "waitlist-test"


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


@contextmanager
def dynamodb() -> Iterator[Any]:
    """Yield a client of an empty table as the template declares it."""
    with mock_aws():
        client = boto3.client(
            "dynamodb",
            region_name="us-east-1",
            aws_access_key_id="test",
            aws_secret_access_key="test",
        )
        client.create_table(**create_table_request(TABLE))
        yield OneAtATime(client)
