"""Tests for the `renew` operation.

If an admission was recorded late, the operation restarts the customer's pass, provided that there
is still room inside.
"""

from collections.abc import Callable
from typing import Any

import pytest

from tests.queue.behaviour.admitting import admit, admitted, enter, is_due, policy
from tests.support.line import Answer, Line, accepted

PEOPLE = ["ann", "bob", "eve"]
PASS_SECONDS = 3600
TOKEN = "0" * 40


def admit_without_offer(line: Line, max_inside: int | None = 1) -> dict[str, int]:
    policy(line, max_inside=max_inside, acceptance="automatic")
    tickets = {one["name"]: one["ticket"] for one in signed_up(line)}
    assert admitted(line, count=1) == ["ann"]
    return tickets


def signed_up(line: Line) -> list[Answer]:
    answers = line.all_sign_up(PEOPLE)
    return [{**answer, "name": name} for name, answer in zip(PEOPLE, answers, strict=True)]


def renew(line: Line, name: str, ticket: int, **fields: object) -> Answer:
    return line.send("renew", entry_id=line.id_of(name), ticket=ticket, **fields)


def let_pass_expire(line: Line) -> dict[str, int]:
    tickets = admit_without_offer(line)
    line.clock.advance(seconds=PASS_SECONDS)
    assert admitted(line) == ["bob"]
    return tickets


def end_of_pass(line: Line) -> int:
    return line.clock.millis + PASS_SECONDS * 1000


def test_the_time_inside_begins_at_the_renewal(line: Line) -> None:
    """The renewed pass lasts as long as a new one, no matter how little time it had left (promise
    P3).
    """
    tickets = admit_without_offer(line)
    line.clock.advance(seconds=PASS_SECONDS - 1)
    renewed = accepted(renew(line, "ann", tickets["ann"]))
    assert (renewed["outcome"], renewed["inside_until_millis"]) == ("renewed", end_of_pass(line))
    line.clock.advance(seconds=PASS_SECONDS - 1)
    assert (admitted(line), line.stats()["inside"]) == ([], 1)
    line.clock.advance(seconds=1)
    assert admitted(line) == ["bob"]


def test_a_place_that_no_other_customer_has_got_is_renewed(line: Line) -> None:
    """If a pass has ended but nobody else has entered since, it can be renewed (promise P4)."""
    tickets = admit_without_offer(line)
    line.clock.advance(seconds=2 * PASS_SECONDS)
    assert renew(line, "ann", tickets["ann"])["inside_until_millis"] == end_of_pass(line)
    assert admitted(line) == []


@pytest.mark.parametrize("max_inside", [2, None])
def test_a_customer_whose_time_was_over_comes_inside_where_there_is_room(
    line: Line, max_inside: int | None
) -> None:
    tickets = admit_without_offer(line, max_inside)
    line.clock.advance(seconds=PASS_SECONDS)
    assert admitted(line, count=1) == ["bob"]
    assert renew(line, "ann", tickets["ann"])["inside_until_millis"] == end_of_pass(line)
    assert line.stats()["inside"] == 2


def test_no_more_are_inside_than_there_is_room(line: Line) -> None:
    """If a pass has ended and another customer has taken the place inside, the pass is not renewed
    (promise P4).
    """
    tickets = let_pass_expire(line)
    for _ in range(2):
        assert renew(line, "ann", tickets["ann"])["code"] == "inside_full"
        assert line.stats()["inside"] == 1


def test_the_next_place_that_becomes_free_is_kept(line: Line) -> None:
    """If a customer's pass cannot be renewed because there is no room inside, the next place that
    becomes free is kept for this customer (promise P1).
    """
    tickets = let_pass_expire(line)
    renew(line, "ann", tickets["ann"])
    line.send("exit", entry_id=line.id_of("bob"))
    assert admitted(line) == []
    line.clock.advance(seconds=5)
    assert renew(line, "ann", tickets["ann"])["inside_until_millis"] == end_of_pass(line)
    assert admitted(line) == []
    line.clock.advance(seconds=PASS_SECONDS)
    assert admitted(line) == ["eve"]


def test_kept_places_do_not_keep_each_other_waiting(line: Line) -> None:
    """Two passes could not be renewed because there was no room inside.

    When somebody exits, one of the two can be renewed.
    """
    policy(line, max_inside=2, acceptance="automatic")
    tickets = {one["name"]: one["ticket"] for one in signed_up(line)}
    assert admitted(line, count=2) == ["ann", "bob"]
    line.clock.advance(seconds=PASS_SECONDS)
    policy(line, version=2, max_inside=1, acceptance="automatic")
    assert admitted(line) == ["eve"]
    for name in ("ann", "bob"):
        assert renew(line, name, tickets[name])["code"] == "inside_full"
    line.send("exit", entry_id=line.id_of("eve"))
    assert renew(line, "bob", tickets["bob"])["outcome"] == "renewed"
    assert renew(line, "ann", tickets["ann"])["code"] == "inside_full"
    assert line.stats()["inside"] == 1


def test_a_look_triggers_no_run_before_a_kept_place_is_free(line: Line) -> None:
    """P9"""
    tickets = let_pass_expire(line)
    renew(line, "ann", tickets["ann"])
    admit(line)
    assert not is_due(line, "eve")
    line.clock.advance(seconds=PASS_SECONDS - 1)
    assert not is_due(line, "eve")
    line.clock.advance(seconds=1)
    assert is_due(line, "eve")


def end_of(line: Line, name: str) -> None:
    line.drop(name)
    line.settle(name, line.dirty()[name]["seen_stamp"])


def settled(line: Line, name: str) -> None:
    line.settle(name, line.dirty()[name]["seen_stamp"])


@pytest.mark.parametrize("end", [end_of, settled])
def test_a_place_is_not_kept_for_an_admission_that_is_gone(
    line: Line, end: Callable[[Line, str], None]
) -> None:
    tickets = let_pass_expire(line)
    renew(line, "ann", tickets["ann"])
    end(line, "ann")
    line.send("exit", entry_id=line.id_of("bob"))
    assert admitted(line) == ["eve"]


@pytest.mark.parametrize("end", ["leave", "erase", "rejoin"])
def test_a_place_is_not_kept_for_a_stay_that_has_ended(line: Line, end: str) -> None:
    tickets = let_pass_expire(line)
    renew(line, "ann", tickets["ann"])
    if end == "leave":
        line.leave("ann")
    elif end == "erase":
        line.drop("ann", is_erased=True)
    else:
        end_of(line, "ann")
        accepted(line.signup("ann", stay=2))
    line.send("exit", entry_id=line.id_of("bob"))
    assert admitted(line) == ["eve"]


def test_an_operators_claim_is_renewed_without_room(line: Line) -> None:
    """If an operator has admitted a customer with a claim, the customer's pass is renewed even if
    `max_inside` has been reached.
    """
    policy(line, max_inside=1)
    tickets = {one["name"]: one["ticket"] for one in signed_up(line)}
    line.complete("ann", line.claimed()["ann"]["token"])
    line.clock.advance(seconds=PASS_SECONDS)
    assert admitted(line) == ["bob"]
    accepted(enter(line, "bob"))
    assert renew(line, "ann", tickets["ann"])["code"] == "inside_full"
    assert renew(line, "ann", tickets["ann"], is_claim=True)["inside_until_millis"] == end_of_pass(
        line
    )


def test_a_shorter_time_of_newer_settings_ends_no_pass_early(line: Line) -> None:
    """If an operator has shortened passes in the meantime, renewing a customer's pass does not make
    it end earlier.
    """
    tickets = admit_without_offer(line)
    before = end_of_pass(line)
    line.init(version=2, admission=True, pass_seconds=60, acceptance="automatic")
    assert renew(line, "ann", tickets["ann"])["inside_until_millis"] == before


def test_a_list_without_passes_has_no_time_inside(line: Line) -> None:
    line.init()
    (ann, *_) = signed_up(line)
    line.complete("ann", line.claimed()["ann"]["token"])
    assert renew(line, "ann", ann["ticket"])["inside_until_millis"] == 0
    assert line.stats()["inside"] == 0


def test_a_renewal_is_of_one_admission(line: Line) -> None:
    """A late renewal changes nothing if the entry belongs to another signup, is still waiting, or
    was already recorded as admitted (promise P2).
    """
    tickets = admit_without_offer(line)
    before = line.contents()
    assert renew(line, "ann", tickets["ann"] + 1)["outcome"] == "absent"
    assert renew(line, "bob", tickets["bob"])["outcome"] == "absent"
    assert line.contents() == before
    settled(line, "ann")
    before = line.contents()
    assert renew(line, "ann", tickets["ann"])["outcome"] == "absent"
    assert line.contents() == before


def test_maintenance_sets_the_recorded_end_after_a_late_renewal(line: Line) -> None:
    """A late renewal may move the end of a pass in Redis. Maintenance then restores the end that
    DynamoDB has recorded (promise P3).
    """
    tickets = admit_without_offer(line)
    recorded = end_of_pass(line)
    line.clock.advance(seconds=60)
    renew(line, "ann", tickets["ann"])
    line.drop("ann", ticket=tickets["ann"], inside_until_millis=recorded)
    assert line.send("inspect", entry_id=line.id_of("ann"))["time_millis"] == recorded


def test_maintenance_ends_a_time_that_a_late_renewal_has_begun_after_an_exit(line: Line) -> None:
    tickets = admit_without_offer(line)
    line.send("exit", entry_id=line.id_of("ann"), ticket=tickets["ann"])
    assert renew(line, "ann", tickets["ann"])["outcome"] == "renewed"
    line.drop("ann", ticket=tickets["ann"], inside_until_millis=0)
    assert admitted(line) == ["bob"]


def test_a_late_renewal_does_not_undo_an_exit_during_a_rebuild(line: Line) -> None:
    line.init(mode="open", admission=True, pass_seconds=PASS_SECONDS)
    line.restore(
        "ann", rank=1, ticket=1, state="offered", token=TOKEN, time_millis=end_of_pass(line)
    )
    accepted(enter(line, "ann"))
    line.send("exit", entry_id=line.id_of("ann"), ticket=1)
    assert renew(line, "ann", 1)["outcome"] == "absent"
    assert line.stats()["inside"] == 0


def test_a_time_that_was_over_does_not_begin_again_during_a_rebuild(line: Line) -> None:
    """During a rebuild, Redis does not know how many customers are inside, so it renews no pass
    that has ended (promise P7).
    """
    line.init(mode="open")
    line.restore("ann", rank=1, ticket=1, state="held", token=TOKEN, time_millis=end_of_pass(line))
    accepted(line.complete("ann", TOKEN))
    settings: dict[str, Any] = {"admission": True, "pass_seconds": PASS_SECONDS, "max_inside": 5}
    line.init(mode="open", version=2, **settings)
    assert renew(line, "ann", 1)["code"] == "inside_full"
    line.init(version=2, **settings)
    assert renew(line, "ann", 1)["outcome"] == "renewed"
