"""What a cancelled transaction means: a condition, a busy table, or a defect of the service.

A caller repeats what is throttled, and would repeat for ever what DynamoDB never takes.
"""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.support.dynamodb import TABLE
from tests.support.tables import items_of, new_table
from waitlist_api.errors import Throttled
from waitlist_api.records.table import ConditionFailed, Table

KEY = {"pk": "one", "sk": "RECORD"}
OTHER = {"pk": "two", "sk": "RECORD"}
NEARLY_FULL = "x" * (400 * 1024 - 100)


class Cancelling:
    """A client that cancels each transaction for these reasons."""

    def __init__(self, *codes: str) -> None:
        self._reasons = [{"Code": code} for code in codes]

    def transact_write_items(self, **_: Any) -> Any:
        response: Any = {
            "Error": {"Code": "TransactionCanceledException", "Message": "cancelled"},
            "CancellationReasons": self._reasons,
        }
        raise ClientError(response, "TransactWriteItems")


def cancelled(*codes: str) -> None:
    Table(Cancelling(*codes), TABLE).transact([])


@pytest.mark.parametrize("code", ["ValidationError", "ItemCollectionSizeLimitExceeded"])
@pytest.mark.parametrize("other", ["None", "TransactionConflict", "ThrottlingError"])
def test_a_write_that_dynamodb_never_takes_is_raised(code: str, other: str) -> None:
    with pytest.raises(ClientError) as error:
        cancelled(other, code)
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
def test_a_busy_table_is_answered_as_throttled(code: str) -> None:
    with pytest.raises(Throttled):
        cancelled("None", code)


@pytest.mark.parametrize("other", ["ValidationError", "TransactionConflict"])
def test_a_condition_that_did_not_hold_comes_first(other: str) -> None:
    with pytest.raises(ConditionFailed) as error:
        cancelled(other, "ConditionalCheckFailed")
    assert error.value.item is None


def test_an_item_that_grows_too_large_in_a_transaction_is_no_throttling() -> None:
    """The same on DynamoDB Local: `make test-dynamodb`."""
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
