"""Tests that operators see which people no message can reach. Only a person's current signup
counts, even after the entry was reinstated.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.service.messages.stage import Stage, staged
from tests.service.messages.stand_ins import SENT, Answer, error
from tests.service.messages.test_unsubscribing import click, joined, own
from tests.support.faults import Crash, crash_before
from waitlist_api.records.recipients import unreached_key

WHICH = ("unreachable", "messages_off")


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with staged(monkeypatch) as made:
        yield made


def names_on_all_pages(stage: Stage, which: str, **query: str) -> list[str]:
    names, more = [], ""
    for _ in range(100):
        asked = f"status={which}&limit=1{more}"
        path = f"{stage.people.admin_path}/entries"
        page = stage.world.request("GET", path, query=asked, operator=True).json
        names += [stage.people.names[one["entry_id"]] for one in page["entries"]]
        if page["cursor"] is None:
            break
        more = f"&cursor={page['cursor']}"
    assert stage.people.stats().json[which] == len(names)
    return names


def test_people_who_get_no_messages_are_listed_and_counted(stage: Stage) -> None:
    ada = joined(stage, "ada")
    joined(stage, "bob")
    joined(stage, "cyd")
    assert [names_on_all_pages(stage, which) for which in WHICH] == [[], []]
    click(stage, ada)
    stage.send(stage.bounce("bob"))
    stage.world.advance(1)
    stage.send(stage.bounce("cyd"), stage.bounce("cyd"))
    assert [names_on_all_pages(stage, which) for which in WHICH] == [["bob", "cyd"], ["ada"]]
    own(stage, "ada", messages="on")
    assert names_on_all_pages(stage, "messages_off") == []
    click(stage, ada)
    stage.people.leave("ada")
    stage.people.leave("bob")
    assert [names_on_all_pages(stage, which) for which in WHICH] == [["cyd"], []]
    stage.world.advance(7200)
    joined(stage, "bob")
    click(stage, ada)
    assert [names_on_all_pages(stage, which) for which in WHICH] == [["cyd"], []]
    assert not in_index(stage, "bob"), "it belongs to the earlier signup, so it was deleted"
    assert in_index(stage, "ada")
    stage.people.reinstate("ada")
    stage.world.advance(7200)
    assert [names_on_all_pages(stage, which) for which in WHICH] == [["cyd"], ["ada"]]
    own(stage, "ada", messages="on")
    assert names_on_all_pages(stage, "messages_off") == []


def in_index(stage: Stage, name: str) -> bool:
    key = unreached_key("bakery", stage.people.id_of(name))
    return (key["pk"], key["sk"]) in stage.table.items


def test_a_mark_that_was_cut_off_is_not_listed(stage: Stage) -> None:
    joined(stage, "ada")
    bounce = stage.bounce("ada")
    # The function writes the bounce to the index and crashes before it writes the record.
    stage.wire.arm(3, crash_before)
    with pytest.raises(Crash):
        stage.send(bounce)
    stage.wire.disarm()
    assert stage.people.stats().json["unreachable"] == 0
    assert in_index(stage, "ada"), "the function may still be about to write the record"
    stage.world.advance(7200)
    assert names_on_all_pages(stage, "unreachable") == []
    assert stage.people.stats().json["unreachable"] == 0
    assert not in_index(stage, "ada")
    stage.send(bounce)
    assert names_on_all_pages(stage, "unreachable") == ["ada"]
    stage.world.request("DELETE", stage.people.admin_entry("ada"), operator=True)
    assert not in_index(stage, "ada"), "erased with the entry"
    stage.send(bounce)
    assert not in_index(stage, "ada"), "late"


def test_another_address_is_reachable_again(stage: Stage) -> None:
    joined(stage, "ada")
    stage.send(stage.bounce("ada"))
    path, body = stage.people.admin_entry("ada"), {"profile": {"email": "ada@example.net"}}
    assert stage.world.request("PATCH", path, body=body, operator=True).status == 200
    assert names_on_all_pages(stage, "unreachable") == []
    stage.people.admit(1)
    assert stage.send_news() == []
    assert stage.stand_ins.to()[-1] == "ada@example.net"


def test_a_late_bounce_of_the_old_address_does_not_make_the_new_one_unreachable(
    stage: Stage,
) -> None:
    joined(stage, "ada")
    stage.world.advance(1)
    path, body = stage.people.admin_entry("ada"), {"profile": {"email": "ada@example.net"}}
    assert stage.world.request("PATCH", path, body=body, operator=True).status == 200
    assert stage.send(stage.bounce("ada")) == []
    assert names_on_all_pages(stage, "unreachable") == []
    stage.people.admit(1)
    assert stage.send_news() == []
    assert stage.stand_ins.to()[-1] == "ada@example.net"


@pytest.mark.parametrize("answer", [error(400, "BadRequestException"), SENT])
def test_a_late_failure_at_the_old_address_leaves_the_new_address_reachable(
    stage: Stage, answer: Answer
) -> None:
    """A customer's address changes while an email to the old address is being sent. If that email
    is refused or bounces, the service must not conclude that the new address is unreachable.
    """
    stage.joins("ada")
    news = stage.news()

    def failing(_: Any) -> Answer:
        stage.stand_ins.failing = lambda _: SENT
        stage.world.advance(1)
        path, body = stage.people.admin_entry("ada"), {"profile": {"email": "ada@example.net"}}
        assert stage.world.request("PATCH", path, body=body, operator=True).status == 200
        stage.world.advance(1)
        return answer

    stage.stand_ins.failing = failing
    assert stage.send(*news) == []
    if answer is SENT:
        assert stage.send(stage.bounce("ada")) == []
    assert names_on_all_pages(stage, "unreachable") == []
    stage.people.admit(1)
    assert stage.send_news() == []
    assert stage.stand_ins.to()[-1] == "ada@example.net"


def test_a_list_without_messages_counts_none(stage: Stage) -> None:
    joined(stage, "ada")
    stage.send(stage.bounce("ada"))
    stage.configure(messages=None)
    stats = stage.people.stats().json
    assert [stats[which] for which in WHICH] == [None, None]
