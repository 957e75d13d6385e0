"""Entries as items of the table."""

from typing import Any

import pytest

from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.intents import intent_item, rejoining


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


def stay(profile: dict[str, str], attributes: dict[str, str], **fields: Any) -> EntryRecord:
    return EntryRecord(
        waitlist_id="bakery",
        entry_id="aaaa",
        customer_id="ann",
        join_id="00000001",
        created_millis=1,
        updated_millis=1,
        profile=profile,
        attributes=attributes,
        **fields,
    )


@pytest.mark.parametrize("profile", [{}, {"name": "Ann"}, {"name": "Ann B."}])
@pytest.mark.parametrize("attributes", [{}, {"language": "English"}])
def test_an_intent_to_join_again_has_each_profile_once(
    profile: dict[str, str], attributes: dict[str, str]
) -> None:
    """P3: the former stay is put back as it was, if the signup is refused."""
    former = stay({"name": "Ann"}, {"language": "English"}, status="left", ticket=8)
    intent = rejoining(stay(profile, attributes, status="joining"), former)
    item = intent_item(intent)
    assert not {"profile", "attributes"} & set(item["previous"])
    assert ("former_profile" in item) == (profile != former.profile)
    assert ("former_attributes" in item) == (attributes != former.attributes)
    read = EntryRecord.from_item(item)
    assert read.former == former
    assert (read.profile, read.attributes) == (profile, attributes)


def test_an_intent_of_an_earlier_version_has_the_profile_in_the_former_stay() -> None:
    """P3: it is finished or taken back by this version."""
    former = stay({"name": "Ann"}, {}, status="left", ticket=8)
    intent = stay({"name": "Ann B."}, {}, status="joining", previous=former.values())
    assert EntryRecord.from_item(intent_item(intent)).former == former


def test_a_former_profile_that_an_earlier_version_left_goes_with_the_next_signup() -> None:
    left = stay({"name": "Ann"}, {}, status="left", ticket=8, former_profile='{"name": "A"}')
    item = intent_item(rejoining(stay({"name": "Ann"}, {}, status="joining"), left))
    assert "former_profile" not in item
    assert "former_profile" not in item["previous"]
