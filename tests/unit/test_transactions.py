"""DynamoDB cancels a transaction if a condition fails, the table is busy or a write is invalid.

Callers retry the transaction only if the table is busy.
"""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.support.dynamodb import TABLE
from tests.support.tables import items_of, new_table
from waitlist_api.records.table import ConditionFailed, Table
from waitlist_shared.errors import Throttled

KEY = {"pk": "one", "sk": "RECORD"}
OTHER = {"pk": "two", "sk": "RECORD"}
NEARLY_FULL = "x" * (400 * 1024 - 100)


class Cancelling:
    """A DynamoDB client that cancels every transaction for the given reasons."""

    def __init__(self, *codes: str) -> None:
        self._reasons = [{"Code": code} for code in codes]

    def transact_write_items(self, **_: Any) -> Any:
        response: Any = {
            "Error": {"Code": "TransactionCanceledException", "Message": "cancelled"},
            "CancellationReasons": self._reasons,
        }
        raise ClientError(response, "TransactWriteItems")


def transact(*codes: str) -> None:
    Table(Cancelling(*codes), TABLE).transact([])


@pytest.mark.parametrize("code", ["ValidationError", "ItemCollectionSizeLimitExceeded"])
@pytest.mark.parametrize("other", ["None", "TransactionConflict", "ThrottlingError"])
def test_a_write_that_dynamodb_always_refuses_is_raised(code: str, other: str) -> None:
    with pytest.raises(ClientError) as error:
        transact(other, code)
    assert error.value.response["Error"]["Code"] == "TransactionCanceledException"


@pytest.mark.parametrize(
    "code",
    [
        "TransactionConflict",
        "ThrottlingError",
        "ProvisionedThroughputExceeded",
        "RequestLimitExceeded",
        "InternalServerError",
    ],
)
def test_a_busy_table_raises_throttled(code: str) -> None:
    with pytest.raises(Throttled):
        transact("None", code)


@pytest.mark.parametrize("other", ["ValidationError", "TransactionConflict"])
def test_a_failed_condition_is_reported_before_other_reasons(other: str) -> None:
    with pytest.raises(ConditionFailed) as error:
        transact(other, "ConditionalCheckFailed")
    assert error.value.item is None


def test_an_item_that_becomes_too_large_is_not_reported_as_throttled() -> None:
    """DynamoDB reports an item that is too large among the reasons for cancelling a transaction.

    The service must not mistake this for throttling, because a retry would not help. `make
    test-dynamodb` runs the same check with DynamoDB Local.
    """
    client = new_table()
    table = Table(client, TABLE)
    table.transact([table.put_write({**KEY, "text": NEARLY_FULL})])
    growing = table.update_write(
        KEY, "SET #more = :more", "attribute_exists(#pk)", {"more": "y" * 200}
    )
    with pytest.raises(ClientError) as error:
        table.transact([table.put_write({**OTHER, "text": "small"}), growing])
    reasons: Any = error.value.response["CancellationReasons"]
    assert [reason["Code"] for reason in reasons] == ["None", "ValidationError"]
    assert [item["pk"]["S"] for item in items_of(client)] == ["one"], "nothing is written"
