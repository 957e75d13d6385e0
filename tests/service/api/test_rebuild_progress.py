"""Tests that operators can follow the progress of a rebuild after Redis has lost a queue."""

from typing import Any

import pytest

from tests.support.people import People
from waitlist_api.maintenance.rebuild import STOP_MILLIS
from waitlist_api.records import places

NAMES = ("ada", "bob", "cyd", "dan", "eve")


@pytest.fixture(autouse=True)
def _one_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "PAGE", 1)


def shown(people: People) -> Any:
    answer = people.world.request("GET", people.admin_path, operator=True)
    assert answer.status == 200
    return answer.json["rebuild"]


def run(people: People, left_millis: int) -> None:
    people.world.maintenance.run_one(people.waitlist_id, lambda: left_millis)


def test_progress_is_shown_while_an_order_is_rebuilt(people: People) -> None:
    """A rebuild's total is the number of entries before the loss, as maintenance last counted them
    (promise P7).
    """
    people.all_sign_up(*NAMES)
    people.leave("eve")
    people.world.maintain()
    assert shown(people) is None
    people.world.redis.flushall()
    run(people, STOP_MILLIS - 1)
    progress = shown(people)
    assert progress["total"] == len(NAMES) - 1
    assert 0 < progress["done"] <= progress["total"]
    listed = people.world.request("GET", "/v1/admin/waitlists", operator=True).json
    assert [one["rebuild"] for one in listed["waitlists"]] == [progress]
    assert people.poll("ada").code == "rebuilding"
    run(people, STOP_MILLIS)
    assert shown(people) is None
    assert people.poll("ada").json["position"] == 1


def test_the_total_of_a_rebuild_grows_if_entries_were_never_counted(people: People) -> None:
    """If maintenance never counted the entries, a rebuild's total is the number of entries restored
    so far.
    """
    people.all_sign_up(*NAMES)
    people.world.redis.flushall()
    run(people, STOP_MILLIS - 1)
    progress = shown(people)
    assert progress["total"] == progress["done"] > 0
    run(people, STOP_MILLIS)
    assert shown(people) is None


def test_a_configuration_has_no_progress_of_a_rebuild(people: People) -> None:
    """P5"""
    answer = people.configure(rebuild={"done": 1, "total": 1})
    assert (answer.status, answer.code) == (422, "invalid_request")
    assert shown(people) is None


def test_a_change_of_the_configuration_leaves_the_progress(people: People) -> None:
    people.all_sign_up(*NAMES)
    people.world.redis.flushall()
    run(people, STOP_MILLIS - 1)
    progress = shown(people)
    assert people.configure(hide_counts=True).json["rebuild"] == progress
    run(people, STOP_MILLIS)
    assert shown(people) is None
