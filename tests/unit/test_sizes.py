"""No transaction exceeds DynamoDB's limits of 100 writes and 4 MB."""

from typing import Any

import pytest
from boto3.dynamodb.types import TypeSerializer
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.dynamodb import TABLE
from tests.support.tables import new_table
from tools.local.dynamodb import limits
from waitlist_api.records import facets
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.imports import MAX_PLACES, ImportRecords, Intent
from waitlist_api.records.sizes import TRANSACTION_BYTES, item_bytes, transactions
from waitlist_api.records.table import Table
from waitlist_shared.contracts import SignupResult
from waitlist_shared.ids import entry_id_of

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NUMBERS = st.integers(-(10**37), 10**37)
VALUES = st.recursive(
    TEXT | NUMBERS | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
)
NOW = 1_790_000_000_000


@settings(max_examples=40)
@given(st.dictionaries(TEXT, VALUES, max_size=5))
def test_a_computed_size_is_never_below_the_size_in_dynamodb(item: dict[str, Any]) -> None:
    typed = {name: TypeSerializer().serialize(value) for name, value in item.items()}
    assert item_bytes(item) >= limits.item_bytes(typed)


@given(st.lists(st.integers(1, TRANSACTION_BYTES), min_size=1, max_size=40), st.integers(1, 10))
def test_transactions_keep_the_order_and_are_as_large_as_possible(
    sizes: list[int], most: int
) -> None:
    groups = list(transactions(sizes, most, lambda size: size))
    assert [size for group in groups for size in group] == sizes
    for group, following in zip(groups, [*groups[1:], None], strict=True):
        assert 0 < len(group) <= most
        assert sum(group) <= TRANSACTION_BYTES
        if following is not None:
            assert len(group) == most or sum(group) + following[0] > TRANSACTION_BYTES


def test_an_item_above_the_limit_is_sent_for_dynamodb_to_refuse() -> None:
    assert list(transactions([TRANSACTION_BYTES + 1, 1], 100, lambda size: size)) == [
        [TRANSACTION_BYTES + 1],
        [1],
    ]


def record_of(number: int, **fields: Any) -> EntryRecord:
    name = f"guest-{number}"
    return EntryRecord(
        waitlist_id="bakery",
        entry_id=entry_id_of("bakery", name),
        customer_id=name,
        status="joining",
        join_id=f"join-{number}",
        updated_millis=NOW,
        intent=facets.Intent(
            ticket=number + 1,
            stamp=1,
            joining_by="arn:aws:iam::123456789012:user/" + "u" * 2000,
        ),
        **fields,
    )


@pytest.mark.parametrize("profile_bytes", [10, 8 * 1024, 100 * 1024])
def test_dynamodb_accepts_each_group_of_an_import(profile_bytes: int) -> None:
    table = Table(new_table(), TABLE)
    imports = ImportRecords(table, EntryRecords(table, lambda: NOW))
    records = [record_of(number, profile={"note": "x" * profile_bytes}) for number in range(100)]
    rest = [Intent(record) for record in records]
    while rest:
        group = imports.first_of(rest)
        imports.begin(group)
        rest = rest[len(group) :]
    for placed in imports.groups_of(records, lambda record: record):
        assert len(placed) <= MAX_PLACES
        imports.finish([(record, place_of(record), "") for record in placed], NOW)


def place_of(record: EntryRecord) -> SignupResult:
    ticket = record.intent.ticket or 0
    return SignupResult(outcome="joined", rank=ticket, ticket=ticket, stamp=ticket, position=1)


def test_text_is_stored_as_utf_8() -> None:
    item = record_of(1, profile={"note": "жё"}, attributes={"city": "Київ"}).values()
    assert item["profile"] == '{"note":"жё"}'
    assert item["attributes"] == '{"city":"Київ"}'


def test_a_record_with_escaped_text_is_read() -> None:
    item = record_of(1).to_item("place", 1) | {"profile": '{"note": "\\u0436"}'}
    assert EntryRecord.from_item(item).profile == {"note": "ж"}
