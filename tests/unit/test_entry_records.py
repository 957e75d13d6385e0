"""Entries as items of the table."""

from waitlist_api.records.entry import EntryRecord


def test_the_attributes_of_an_import_keep_their_stored_names() -> None:
    """P1: an intent of an earlier version is finished with the ticket that it stored."""
    record = EntryRecord(
        waitlist_id="bakery",
        entry_id="aaaa",
        customer_id="ann",
        status="joining",
        join_id="00000001",
        created_millis=1,
        updated_millis=1,
        requested_ticket=8,
        requested_priority=2,
        allocated_stamp=9,
    )
    item = record.to_item("INTENT#0", 1)
    assert (item["wanted"], item["wanted_priority"], item["drawn"]) == (8, 2, 9)
    assert EntryRecord.from_item(item) == record
