"""Tables for tests.

They are in memory, or in DynamoDB Local if `make test-dynamodb` runs the tests.
"""

import os
from collections.abc import Iterable
from typing import Any

from tests.support.dynamodb import TABLE, URL_VARIABLE, RealTable
from tools.local.dynamodb.memory_table import MemoryTable

Item = dict[str, Any]


def new_table(items: Iterable[Item] = ()) -> Any:
    url = os.environ.get(URL_VARIABLE)
    client: Any = RealTable(url) if url else MemoryTable()
    for item in items:
        client.put_item(TableName=TABLE, Item=item)
    return client


def items_of(client: Any) -> list[Item]:
    """Return all items of a small table. A larger table would need more than one scan."""
    items: list[Item] = client.scan(TableName=TABLE, ConsistentRead=True)["Items"]
    return items
