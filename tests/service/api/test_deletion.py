"""Tests for deleting a waitlist. The waitlist disappears at once, and its entries are erased soon
after.
"""

import json

import pytest

from tests.service.api.refusing import nothing_changes, refused
from tests.support.people import People


@pytest.fixture
def deleted(people: People) -> People:
    People(people.world, "florist").configure()
    people.all_sign_up("ada", "bob", "cyd")
    people.leave("cyd")
    assert people.delete_waitlist().status == 204
    return people


def test_nothing_can_be_done_on_a_list_that_is_being_deleted(deleted: People) -> None:
    """P5"""
    world = deleted.world
    with nothing_changes(world):
        refused(world.request("GET", deleted.path), 404, "waitlist_not_found")
        refused(deleted.sign_up("dan"), 404, "waitlist_not_found")
        refused(deleted.poll("ada"), 404, "waitlist_not_found")
        refused(deleted.bump("ada", to="front"), 404, "waitlist_not_found")
        refused(deleted.page(), 404, "waitlist_not_found")
        refused(deleted.stats(), 404, "waitlist_not_found")
        path = deleted.admin_path
        refused(world.request("GET", path, operator=True), 404, "waitlist_not_found")
    listed = world.request("GET", "/v1/admin/waitlists", operator=True).json
    assert [waitlist["waitlist_id"] for waitlist in listed["waitlists"]] == ["florist"]
    assert not [key for key in world.redis.keys("*") if "bakery" in key]


def test_the_id_of_a_deleted_waitlist_is_taken_until_everybody_is_erased(deleted: People) -> None:
    with nothing_changes(deleted.world):
        refused(deleted.configure(), 409, "waitlist_deleting")
    deleted.world.maintain()
    assert deleted.configure().status == 201


def test_maintenance_is_asked_to_erase_its_people_at_once(deleted: People) -> None:
    assert deleted.world.lambda_.started[-1] == {"waitlist_id": "bakery"}
    deleted.world.maintenance.run_one("bakery")
    assert "ENTRY#" not in json.dumps(deleted.world.dynamodb.scan()["Items"])


def test_maintenance_removes_everything_of_a_deleted_waitlist(deleted: People) -> None:
    """P8"""
    neighbour = People(deleted.world, "florist")
    neighbour.all_sign_up("ada")
    deleted.world.maintain()
    items = deleted.world.dynamodb.scan()["Items"]
    # The journal is left out here, because it contains only ids and its items expire after a few
    # days.
    kept = [item for item in items if not item["pk"]["S"].startswith("JOURNAL#")]
    assert "bakery" not in json.dumps(kept)
    assert not [key for key in deleted.world.redis.keys("*") if "bakery" in key]
    assert neighbour.order() == ["ada"]
    refused(deleted.delete_waitlist(), 404, "waitlist_not_found")


def test_a_repeated_deletion_answers_the_same(deleted: People) -> None:
    """P2"""
    assert deleted.delete_waitlist().status == 204


def test_a_waitlist_that_is_created_again_with_the_same_id_begins_empty(deleted: People) -> None:
    """If a waitlist is deleted and created again with the same id, old tokens and old idempotency
    keys give nobody a place on it (promises P4 and P6).
    """
    deleted.world.maintain()
    deleted.configure(name="Bakery again")
    assert deleted.stats().json["signed_up"] == 0
    refused(deleted.poll("ada"), 404, "entry_not_found")
    again = deleted.sign_up("bob", key="signup-bob")
    assert (again.status, again.json["position"]) == (201, 1)
    assert deleted.events("bob") == ["joined"]
    assert deleted.order() == ["bob"]


def test_a_customer_bumped_on_a_deleted_list_joins_the_next_without_priority(
    people: People,
) -> None:
    people.all_sign_up("ada", "bob")
    people.bump("bob", priority=9)
    people.delete_waitlist()
    people.world.maintain()
    people.configure()
    people.all_sign_up("ada", "bob")
    assert people.order() == ["ada", "bob"]
    assert people.poll("bob").json["priority"] == 0
