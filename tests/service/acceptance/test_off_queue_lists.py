"""Tests for the lists of offered and parked entries that operators see, with their pages, counts
and histories.
"""

from itertools import chain
from typing import Any

from tests.service.acceptance.terms import LEASE_SECONDS, Waitlist
from tests.support.counters import NO_OFFERS
from tests.support.gateway import OPERATOR_ARN
from tests.support.world import START_MILLIS, World
from waitlist_api.clock import iso

MANY = tuple(f"person-{number:02}" for number in range(25))


def names_by_page(people: Any, status: str, limit: int) -> list[list[str]]:
    found = []
    cursor = ""
    while True:
        answer = people.page(f"status={status}&limit={limit}{cursor}").json
        found.append([people.names[entry["entry_id"]] for entry in answer["entries"]])
        if answer["cursor"] is None:
            return found
        cursor = f"&cursor={answer['cursor']}"


def test_the_offered_are_listed_by_deadline(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob", "cyd")
    for seconds in (30, 10, 20):
        people.claim(lease_seconds=seconds)
    assert people.listed("offered") == ["bob", "cyd", "ann"]
    first = people.page("status=offered").json["entries"][0]
    assert (first["status"], first["position"]) == ("offered", None)
    assert first["claimed_until"] == iso(START_MILLIS + 10_000)
    people.extend("bob", lease_seconds=40)
    assert people.listed("offered") == ["cyd", "ann", "bob"]


def test_the_parked_are_listed_by_time(waitlist: Waitlist, world: World) -> None:
    people = waitlist("ann", "bob", "cyd")
    people.claim(3)
    for name in ("cyd", "ann", "bob"):
        people.park(name, reason=f"why {name}")
        world.advance(1)
    assert people.listed("parked") == ["cyd", "ann", "bob"]
    (first, *_) = people.page("status=parked").json["entries"]
    assert (first["park_reason"], first["parked_at"]) == ("why cyd", iso(START_MILLIS))


def test_pages_of_one_deadline_list_every_entry_once(waitlist: Waitlist) -> None:
    """25 claims end at the same time. An operator who reads them in pages of ten sees each entry
    once (promise P9).
    """
    people = waitlist(*MANY)
    people.claim(25)
    read = names_by_page(people, "offered", 10)
    assert [len(page) for page in read] == [10, 10, 5]
    assert sorted(chain(*read)) == list(MANY)
    assert [*chain(*read)] == people.listed("offered")


def test_the_next_page_is_complete_although_the_last_claim_on_a_page_has_ended(
    waitlist: Waitlist, world: World
) -> None:
    """If the last claim on a page is extended or completed before the next page is read, the next
    page shows all remaining claims (promise P9).
    """
    people = waitlist(*MANY[:6])
    for seconds in range(10, 16):
        people.claim(lease_seconds=seconds)
    for act in (people.extend, people.complete):
        answer = people.page("status=offered&limit=2").json
        *_, last = [people.names[entry["entry_id"]] for entry in answer["entries"]]
        act(last)
        rest = people.page(f"status=offered&limit=9&cursor={answer['cursor']}").json["entries"]
        seen = {people.names[entry["entry_id"]] for entry in rest}
        everybody = {people.names[entry["entry_id"]] for entry in answer["entries"]} | seen
        assert set(people.listed("offered")) <= everybody


def test_the_stats_count_everybody_once(waitlist: Waitlist, world: World) -> None:
    people = waitlist("ann", "bob", "cyd", "dan", "eve", "fay")
    people.claim(4)
    people.complete("ann")
    world.advance(10)
    people.park("bob")
    people.remove("cyd")
    world.advance(20)
    stats = people.stats().json
    assert stats == {
        "line": "open",
        "waiting": 2,
        "offered": 1,
        "parked": 1,
        "quota": 0,
        "not_ready": 0,
        "unverified": 0,
        "asked": 0,
        "away": 0,
        "quota_open": 0,
        "quota_entered": 0,
        "quota_since": None,
        "admitted": 1,
        "left": 1,
        "signed_up": 6,
        "oldest_waiting_seconds": 29,
        "oldest_parked_seconds": 20,
        # The fifth person has waited longest, and each person signed up half a millisecond after
        # the previous one.
        "oldest_joined_at": iso(START_MILLIS + 2),
        "admitted_today": 1,
        "joined_last_hour": 6,
        "admitted_last_hour": 1,
        "left_last_hour": 1,
        **NO_OFFERS,
        **{f"{name}_last_hour": 0 for name in NO_OFFERS},
        "inside": 0,
        "sources": None,
        "messages": None,
        "unreachable": None,
        "messages_off": None,
        "estimated_wait": None,
        "estimate_unavailable": "unknown",
    }
    people.claim(2)
    people.redrive("bob")
    people.claim()
    stats = people.stats().json
    assert (stats["oldest_waiting_seconds"], stats["oldest_parked_seconds"]) == (None, None)


def test_the_history_has_a_whole_life(waitlist: Waitlist, world: World) -> None:
    """An entry goes through every kind of event. Each event says who caused it and why."""
    people = waitlist("zoe", "ann")
    people.bump("ann", to="front", reason="a friend")
    people.claim()
    world.advance(1)
    people.release("ann", reason="not yet")
    people.claim()
    world.advance(LEASE_SECONDS)
    world.maintenance.run_all()
    world.advance(60)
    world.maintenance.run_all()
    people.claim()
    people.park("ann", reason="no show")
    people.redrive("ann", reason="called back")
    people.claim()
    world.advance(5)
    people.complete("ann", reason="at the door")
    history = people.person("ann").json["history"]
    operator = OPERATOR_ARN
    assert [(one["event"], one["by"], one["reason"]) for one in history] == [
        ("joined", "customer", ""),
        ("bumped", operator, "a friend"),
        ("offered", operator, ""),
        ("released", operator, "not yet"),
        ("offered", operator, ""),
        ("expired", "maintenance", ""),
        ("offered", operator, ""),
        ("parked", operator, "no show"),
        ("redriven", operator, "called back"),
        ("offered", operator, ""),
        ("admitted", operator, "at the door"),
    ]
    expired, admitted = history[5], history[-1]
    assert expired["at"] == iso(START_MILLIS + (1 + LEASE_SECONDS) * 1000)
    assert admitted["at"] == iso(START_MILLIS + (1 + LEASE_SECONDS + 60 + 5) * 1000)
