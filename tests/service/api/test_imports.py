"""Tests what an import returns, and where imported people end up in the queue."""

from typing import Any

import pytest

from tests.service.api.conftest import new_list
from tests.support.gateway import OPERATOR_ARN, Answer
from tests.support.people import People
from tests.support.world import START_MILLIS, RedisClock
from waitlist_api.clock import iso
from waitlist_api.queue.messages import drop_of
from waitlist_queue import keys
from waitlist_shared.limits import MAX_BATCH

TIME = "2021-05-01T12:00:00Z"


def row(name: str, joined_at: str | None = None, **fields: Any) -> dict[str, Any]:
    times = {} if joined_at is None else {"joined_at": joined_at}
    return {"customer_id": name, **times, **fields}


def outcomes(answer: Answer) -> list[str]:
    assert answer.status == 200, answer.text
    results = answer.json["results"]
    assert [one["row"] for one in results] == list(range(len(results)))
    words = [one["outcome"] for one in results]
    counts = {name: words.count(name) for name in ("joined", "already", "ended", "refused")}
    assert counts == {name: answer.json[name] for name in counts}
    return words


def codes(answer: Answer) -> list[str | None]:
    outcomes(answer)
    return [one["code"] for one in answer.json["results"]]


def test_rows_stand_behind_everybody_in_their_order(people: People) -> None:
    """P1"""
    people.all_sign_up("ada")
    answer = people.bring("bob", "cyd", row("dan", profile={"name": "Dan"}))
    assert outcomes(answer) == ["joined"] * 3
    assert [one["entry_id"] for one in answer.json["results"]] == [
        people.id_of(name) for name in ("bob", "cyd", "dan")
    ]
    people.all_sign_up("eve")
    assert people.order() == ["ada", "bob", "cyd", "dan", "eve"]
    assert people.person("dan").json["profile"] == {"name": "Dan"}
    assert people.stats().json["signed_up"] == 5


def test_rows_with_a_time_stand_where_they_would_had_they_signed_up_then(people: People) -> None:
    """P6"""
    people.all_sign_up("ada")
    times = {"bob": "2022-01-01T00:00:00Z", "cyd": TIME, "dan": "2021-05-01T12:00:00.001+00:00"}
    people.bring(*(row(name, time) for name, time in times.items()), "eve")
    assert people.order() == ["cyd", "dan", "bob", "ada", "eve"]
    assert people.poll("cyd").json["joined_at"] == "2021-05-01T12:00:00.000Z"
    assert people.poll("dan").json["joined_at"] == "2021-05-01T12:00:00.001Z"
    assert people.poll("cyd").json["position"] == 1


def test_rows_of_one_time_keep_their_order_also_across_calls(people: People) -> None:
    people.bring(*(row(name, TIME) for name in ("ada", "bob")))
    people.bring(*(row(name, TIME) for name in ("cyd", "dan")))
    people.leave("ada")
    people.bring(row("eve", TIME))
    assert people.order() == ["bob", "cyd", "dan", "eve"]


def test_the_first_millisecond_of_all_has_its_places(people: People) -> None:
    times = ["2020-01-01T00:00:00Z", "2020-01-01T00:00:00.000Z"]
    assert outcomes(people.bring(row("ada", times[0], priority=255), row("bob", times[1]))) == [
        "joined",
        "joined",
    ]
    assert people.order() == ["ada", "bob"]
    assert people.person("ada").json["joined_at"] == "2020-01-01T00:00:00.000Z"
    people.leave("bob")
    assert outcomes(people.bring(row("bob", times[1]), ended="rejoin")) == ["joined"]


def test_a_priority_is_the_operators_to_give(people: People) -> None:
    people.bring("ada", row("bob", priority=7), row("cyd", TIME, priority=7))
    assert people.order() == ["cyd", "bob", "ada"]
    assert people.person("bob").json["priority"] == 7


def test_a_repeat_changes_nothing(people: People) -> None:
    """P2"""
    rows = [row("ada", TIME), row("bob"), row("cyd", TIME, priority=3)]
    people.bring(*rows)
    people.bump("bob", priority=9)
    before = people.order()
    changed = [{**one, "profile": {"new": True}, "priority": 1} for one in rows]
    assert outcomes(people.bring(*changed)) == ["already"] * 3
    assert people.order() == before
    assert people.person("ada").json["profile"] == {}
    assert people.stats().json["signed_up"] == 3


def test_an_import_keeps_waiting_held_and_parked_entries_as_they_are(people: People) -> None:
    """P4"""
    people.all_sign_up("ada", "bob", "cyd")
    claims = f"{people.admin_path}/claims"
    given = people.world.request("POST", claims, body={"count": 2}, operator=True).json["claims"]
    token = {"claim_token": given[1]["claim_token"]}
    path = f"{claims}/{given[1]['entry_id']}/park"
    assert people.world.request("POST", path, body=token, operator=True).status == 200
    assert outcomes(people.bring(row("ada", TIME), row("bob", TIME), "cyd")) == ["already"] * 3
    statuses = [people.person(name).json["status"] for name in ("ada", "bob", "cyd")]
    assert statuses == ["offered", "parked", "waiting"]


def test_a_customer_who_is_named_twice_stands_once(people: People) -> None:
    """If several rows name the same customer, the first accepted row decides their place (promise
    P2).
    """
    answer = people.bring(row("ada"), row("ada", TIME), row("bob", "2031-01-01T00:00:00Z"), "bob")
    assert outcomes(answer) == ["joined", "already", "refused", "joined"]
    assert people.order() == ["ada", "bob"]
    ids = [one["entry_id"] for one in answer.json["results"]]
    assert ids == [people.id_of(name) for name in ("ada", "ada", "bob", "bob")]


def test_a_bad_row_refuses_that_row_only(people: People) -> None:
    """P5"""
    wrong: list[Any] = [5, None, {}, row("b d"), row("cyd", status="admitted"), row("dan", "never")]
    answer = people.bring("ada", *wrong, "eve")
    assert outcomes(answer) == ["joined", *["refused"] * len(wrong), "joined"]
    assert set(codes(answer)) == {None, "invalid_request"}
    fields = [[one["field"] for one in result["errors"] or ()] for result in answer.json["results"]]
    assert fields[1:7] == [
        ["body"],
        ["body"],
        ["body.customer_id"],
        ["body.customer_id"],
        ["body.status"],
        ["body.joined_at"],
    ]
    assert people.order() == ["ada", "eve"]
    assert people.stats().json["signed_up"] == 2


def test_an_import_with_only_bad_rows_is_answered(people: People) -> None:
    assert outcomes(people.bring(5, row("ada", "2031-01-01T00:00:00Z"))) == ["refused"] * 2


def test_a_time_before_tickets_began_or_in_the_future_is_refused_saying_so(people: People) -> None:
    """P5"""
    answer = people.bring(
        row("ada", "2019-12-31T23:59:59.999Z"),
        row("bob", iso(START_MILLIS + 1)),
        row("cyd", iso(START_MILLIS)),
    )
    assert outcomes(answer) == ["refused", "refused", "joined"]
    early, late, _ = answer.json["results"]
    assert "2020-01-01" in early["detail"]
    assert "in the future" in late["detail"]
    assert early["errors"][0]["field"] == late["errors"][0]["field"] == "body.joined_at"


def test_rows_of_this_moment_are_ahead_of_later_signups(people: People) -> None:
    """Imported people stay ahead of people who sign up later, even if many rows share a signup time
    and Redis' clock is behind (promise P1).
    """
    people.world.redis_clock.micros = RedisClock.standing(START_MILLIS - 1000).micros
    names = [f"person-{number}" for number in range(50)]
    people.bring(*(row(name, iso(START_MILLIS)) for name in names))
    people.all_sign_up("ada", "bob")
    assert people.order() == [*names, "ada", "bob"]


def test_a_closed_and_paused_list_takes_imports(people: People) -> None:
    people.configure(open=False, paused=True)
    assert people.sign_up("ada").code == "waitlist_closed"
    assert outcomes(people.bring("ada", row("bob", TIME))) == ["joined"] * 2
    assert people.order() == ["bob", "ada"]


def test_capacity_holds(people: People) -> None:
    people.configure(capacity=3)
    people.all_sign_up("ada")
    answer = people.bring("ada", "bob", "cyd", "dan", "dan")
    assert outcomes(answer) == ["already", "joined", "joined", "refused", "refused"]
    assert codes(answer)[3:] == ["waitlist_full"] * 2
    assert people.order() == ["ada", "bob", "cyd"]
    assert people.person("dan").status == 404
    people.leave("ada")
    assert outcomes(people.bring("ada", "dan", ended="rejoin")) == ["joined", "refused"]
    left = people.person("dan")
    assert (left.status, people.events("ada")) == (404, ["joined", "left", "joined"])


@pytest.mark.parametrize("rejoin", ["never", "after_leaving", "always"])
def test_an_import_brings_back_ended_stays_by_option(people: People, rejoin: str) -> None:
    """By default, an import does not bring back customers who have left or were admitted (promise
    P2).
    """
    people.configure(rejoin=rejoin)
    people.all_sign_up("ada", "bob")
    claim = {"count": 1, "complete": True}
    people.world.request("POST", f"{people.admin_path}/claims", body=claim, operator=True)
    people.leave("bob")
    rows = ("ada", row("bob", TIME), "cyd", "ada")
    answer = people.bring(*rows)
    assert outcomes(answer) == ["ended", "ended", "joined", "ended"]
    assert codes(answer) == [None] * 4
    assert (people.order(), people.events("bob")) == (["cyd"], ["joined", "left"])
    again = people.bring(*rows, ended="rejoin")
    assert outcomes(again) == ["joined", "joined", "already", "already"]
    assert people.order() == ["bob", "cyd", "ada"]
    assert people.events("ada") == ["joined", "admitted", "joined"]
    stats = people.stats().json
    assert (stats["signed_up"], stats["admitted"], stats["left"]) == (5, 1, 1)


def test_a_late_removal_of_the_first_import_does_not_remove_the_second(people: People) -> None:
    """Ada leaves and is imported again with the same signup time. A late message about her first
    signup must not remove the second one (promise P2).
    """
    people.bring(row("ada", TIME))
    first = people.world.services.entries.get(people.waitlist_id, people.id_of("ada"))
    assert first is not None
    people.leave("ada")
    # Redis forgets an ended signup after a while. The test deletes its keys instead of waiting.
    people.world.redis.delete(
        keys.shared_milliseconds(people.waitlist_id), keys.tombstones(people.waitlist_id)
    )
    people.bring(row("ada", TIME), ended="rejoin")
    people.world.services.queue.send(drop_of(first))
    assert people.order() == ["ada"]
    assert people.stats().json["signed_up"] == 2
    assert people.person("ada").json["joined_at"] == "2021-05-01T12:00:00.000Z"


def test_a_repeated_row_is_joined_by_its_key_alone(people: People) -> None:
    """A repeated import changes nothing, and the customer is counted only once (promise P2)."""
    keyed = row("ada", idempotency_key="run-1")
    assert outcomes(people.bring(keyed, "bob")) == ["joined", "joined"]
    assert outcomes(people.bring(keyed, row("bob", idempotency_key="run-2"))) == [
        "joined",
        "already",
    ]
    assert outcomes(people.bring(row("ada", idempotency_key="run-3"), keyed)) == ["already"] * 2
    assert outcomes(people.bring(keyed, keyed)) == ["joined", "already"]
    assert people.stats().json["signed_up"] == 2
    people.leave("ada")
    assert outcomes(people.bring(keyed)) == ["ended"]


def test_a_guest_cannot_use_the_idempotency_key_of_an_imported_row(people: People) -> None:
    """A guest who guesses an imported row's idempotency key must not get the entry token (promise
    P5).
    """
    key = "0123456789abcdef-1"
    people.bring(row("ada", idempotency_key=key))
    assert people.sign_up("ada", key=key).code == "already_on_list"


def test_the_history_has_actor_and_time_of_an_import(people: People) -> None:
    people.bring(row("ada", TIME), "bob")
    people.bump("ada", priority=2)
    joined, bumped = people.person("ada").json["history"]
    assert joined == {
        "event": "joined",
        "at": joined["at"],
        "by": OPERATOR_ARN,
        "reason": "",
        "detail": {"position": 1},
    }
    # The history says when the person was imported, not when they joined the earlier waitlist.
    assert "2021" not in joined["at"]
    assert joined["at"] <= bumped["at"]
    assert people.person("bob").json["history"][0]["by"] == OPERATOR_ARN


def test_imports_stand_in_their_segments() -> None:
    people = new_list(segments=[["language"]])
    people.bring(
        row("ada", attributes={"language": "Spanish"}),
        row("bob", TIME, attributes={"language": ["Spanish", "English"]}),
        row("cyd", attributes={"age": "9"}),
        row("dan", attributes={"Language": "Spanish"}),
    )
    claim = {"count": 2, "filter": {"language": "Spanish"}}
    path = f"{people.admin_path}/claims"
    given = people.world.request("POST", path, body=claim, operator=True).json["claims"]
    assert [one["entry_id"] for one in given] == [people.id_of("bob"), people.id_of("ada")]
    assert people.order() == ["cyd"]


def test_attributes_of_too_many_combinations_refuse_their_row() -> None:
    """P9"""
    people = new_list(segments=[["a", "b"]])
    many = {name: [str(number) for number in range(9)] for name in ("a", "b")}
    answer = people.bring(row("ada", attributes=many), "bob")
    assert codes(answer) == ["invalid_request", None]
    assert answer.json["results"][0]["errors"][0]["field"] == "body.attributes"


def test_five_hundred_rows_stand_in_their_order(people: People) -> None:
    """P9"""
    names = [f"person-{number}" for number in range(MAX_BATCH)]
    answer = people.bring(*names)
    assert outcomes(answer) == ["joined"] * MAX_BATCH
    first = people.page().json
    assert [people.names[one["entry_id"]] for one in first["entries"]] == names[:100]
    assert people.poll(names[-1]).json["position"] == MAX_BATCH
    assert outcomes(people.bring(*names)) == ["already"] * MAX_BATCH


@pytest.mark.parametrize("state", ["lost", "being rebuilt"])
def test_without_an_order_an_import_is_to_be_repeated(people: People, state: str) -> None:
    """P7"""
    people.all_sign_up("ada")
    people.world.redis.flushall()
    if state == "being rebuilt":
        people.sign_up("zoe", key="k")
    answer = people.bring(row("bob", TIME))
    assert (answer.status, answer.code) == (503, "rebuilding")
    assert "retry-after" in answer.headers
    people.world.maintain()
    assert outcomes(people.bring(row("bob", TIME))) == ["joined"]
    assert people.order()[:2] == ["bob", "ada"]


def test_a_signup_of_an_imported_customer_is_a_strangers(people: People) -> None:
    """Anyone who signs up with an imported customer's id may be a stranger, so they get no entry
    token.
    """
    people.bring("ada")
    assert people.sign_up("ada", key="k").code == "already_on_list"
    assert people.poll("ada").json["position"] == 1


@pytest.mark.parametrize("priority", [0, 1, 255])
def test_ahead_of_an_import_of_the_first_moment_there_is_room(
    people: People, priority: int
) -> None:
    """Other entries can be moved ahead of an imported entry, even if it has the earliest allowed
    signup time (promise P1).
    """
    people.bring(row("old", "2020-01-01T00:00:00Z", priority=priority))
    people.all_sign_up("ann", "bob")
    for name in ("ann", "bob"):
        people.bump(name, priority=priority)
    for name in ("ann", "bob", "ann", "bob"):
        moved = people.bump(name, to="front")
        assert (moved.status, moved.json["position"]) == (200, 1)
        assert moved.json["priority"] == priority
    assert people.order() == ["bob", "ann", "old"]
    assert people.bump("bob", priority=priority).json["position"] == 3
    people.bump("bob", priority=0)
    people.sign_up("zoe")
    assert people.order() == ["ann", "old", "bob", "zoe"]
