"""These tests need AWS's DynamoDB Local, which only `make test-dynamodb` starts."""

import os
from typing import Any

import pytest

from tests.support.dynamodb import URL_VARIABLE, RealTable


@pytest.fixture
def real_table() -> Any:
    """A client of an empty table on DynamoDB Local."""
    url = os.environ.get(URL_VARIABLE)
    return RealTable(url) if url else pytest.fail("these tests run by `make test-dynamodb`")
