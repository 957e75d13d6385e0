"""Tests for the `admit` operation for people whom an operator has invited."""

from typing import Any

from tests.queue.behaviour.admitting import PEOPLE, admit, enter, policy
from tests.support.line import Answer, Line, accepted, readiness_of
from waitlist_shared.ids import invitation_of

INVITATION = "019ac5f3d2a4b7c1"
DAY = 86_400


def invite(line: Line, *names: str, page: int = 0, days: float = 2, **fields: Any) -> Answer:
    tickets = {entry["entry_id"]: entry["ticket"] for entry in line.list_waiting()["entries"]}
    invitees = [[line.id_of(name), tickets.get(line.id_of(name), 0)] for name in names]
    usual = {
        "count": len(names),
        "invitees": invitees,
        "invitation": INVITATION,
        "offer_until_millis": line.clock.millis + int(days * DAY * 1000),
        "once_key": f"{page:032}",
        "once_body": "b" * 32,
    }
    return line.send("admit", **{**usual, **fields})


def invited(line: Line, *names: str, **fields: Any) -> list[str]:
    answer = accepted(invite(line, *names, **fields))
    return [line.name_of(entry["entry_id"]) for entry in answer["entries"]]


def test_each_invitee_gets_an_offer_of_the_invitation_until_its_end(line: Line) -> None:
    policy(line, rate_count=60, rate_millis=60_000)
    line.all_sign_up(PEOPLE)
    until = line.clock.millis + 2 * DAY * 1000
    answer = accepted(invite(line, PEOPLE[3], PEOPLE[1]))
    assert [line.name_of(one["entry_id"]) for one in answer["entries"]] == [PEOPLE[3], PEOPLE[1]]
    assert answer["taken"] == 2
    for one in answer["entries"]:
        assert (one["deadline_millis"], invitation_of(one["token"])) == (until, INVITATION)
    tokens = {one["token"] for one in answer["entries"]}
    assert len(tokens) == 2
    assert line.position(PEOPLE[3])["token"] in tokens
    (other,) = admit(line, count=1)["entries"]
    assert invitation_of(other["token"]) == ""


def test_only_invitees_who_are_ready_and_have_not_joined_again_are_taken(line: Line) -> None:
    line.init()
    line.all_sign_up(["ann", "bob"])
    line.insert("cyd", ticket=24, readiness=readiness_of(1, held_back=0))
    stale = [[line.id_of("ann"), 1], [line.id_of("cyd"), 24]]
    assert invited(line, "ann", invitees=stale) == []
    assert invited(line, "bob", "ann", "bob", page=1, count=3) == ["bob", "ann"]


def test_a_page_is_invited_once_and_says_how_many_it_took(line: Line) -> None:
    line.init()
    line.all_sign_up(["ann", "bob", "cyd"])
    first = accepted(invite(line, "ann", "bob"))
    assert accepted(enter(line, "ann"))
    again = accepted(invite(line, "cyd"))
    assert (again["outcome"], again["taken"], again["stamp"]) == ("repeat", 2, first["stamp"])
    assert line.position("cyd")["outcome"] == "waiting"


def test_a_next_page_leaves_out_who_has_a_pending_decision_of_the_invitation(line: Line) -> None:
    line.init()
    line.all_sign_up(["ann", "bob"])
    assert invited(line, "ann") == ["ann"]
    line.send("decline", entry_id=line.id_of("ann"), to="place", at_most=3)
    assert invited(line, "ann", "bob", page=1) == ["bob"]
    (place,) = (place for name, place in line.dirty().items() if name == "ann")
    line.settle("ann", place["seen_stamp"])
    other = "019ac5f3d2a4b7c2"
    assert invited(line, "ann", page=2, invitation=other) == ["ann"]


def test_a_page_says_whether_the_invitation_may_make_more_offers(line: Line) -> None:
    """The response says whether the invitation can make more offers.

    It cannot if there is no room left inside.
    """
    policy(line, max_inside=1)
    line.all_sign_up(["ann", "bob", "cyd"])
    gone = [[line.id_of("ann"), 1]]
    answer = accepted(invite(line, "ann", invitees=gone))
    assert (answer["taken"], answer["is_more"]) == (0, True)
    answer = accepted(invite(line, page=1, invitees=[], count=1))
    assert (answer["taken"], answer["is_more"]) == (0, True), "a page may be empty"
    answer = accepted(invite(line, "bob", page=2))
    assert (answer["taken"], answer["is_more"]) == (1, False)


def test_room_and_the_end_bound_an_invitation(line: Line) -> None:
    policy(line, max_inside=2)
    line.all_sign_up(PEOPLE)
    assert invited(line, *PEOPLE[:5], days=0) == []
    assert invited(line, *PEOPLE[:5], page=1, count=1) == PEOPLE[:1]
    assert invited(line, *PEOPLE[1:5], page=2) == PEOPLE[1:2]
    assert invited(line, *PEOPLE[2:5], page=3) == []
