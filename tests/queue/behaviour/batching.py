"""Tests for the `batch` operation, which sends many requests in one message.

The requests run in order. If one of them fails, the others still run.
"""

from typing import Any

import pytest

from tests.support.line import Line, accepted


def send(line: Line, *requests: dict[str, Any]) -> dict[str, Any]:
    return line.handle({"v": 1, "op": "batch", "requests": list(requests)})


def results(line: Line, *requests: dict[str, Any]) -> list[dict[str, Any]]:
    answer = accepted(send(line, *requests))
    assert answer["outcome"] == "batch"
    found: list[dict[str, Any]] = answer["results"]
    assert len(found) == len(requests)
    return found


def words(answers: list[dict[str, Any]]) -> list[str]:
    return [answer["outcome"] if answer["ok"] else answer["code"] for answer in answers]


def test_five_hundred_requests_succeed_or_fail_each_for_itself(line: Line) -> None:
    """P1, P9"""
    line.init(capacity=275)
    names = [f"person {number}" for number in range(450)]
    requests = [line.message("signup", **line.stay(name)) for name in names]
    requests += [line.message("leave", **line.stay(name)) for name in names[:25]]
    requests += [line.message("position", entry_id=line.id_of(name)) for name in names[275:300]]
    answers = results(line, *requests)
    expected = ["joined"] * 275 + ["waitlist_full"] * 175 + ["left"] * 25 + ["absent"] * 25
    assert words(answers) == expected
    assert [answer["position"] for answer in answers[:275]] == list(range(1, 276))
    assert line.order() == names[25:275]


def test_a_person_may_be_in_a_batch_twice(line: Line) -> None:
    """If a batch contains the same person twice, they get one place and are counted once (promise
    P2).
    """
    line.init()
    names = ["ann", "bob", "ann", "eve", "bob", "ann"]
    answers = results(line, *[line.message("signup", **line.stay(name)) for name in names])
    assert words(answers) == ["joined", "joined", "already", "joined", "already", "already"]
    assert [answer["position"] for answer in answers] == [1, 2, 1, 3, 2, 1]
    assert len({answer["stamp"] for answer in answers}) == 6
    assert line.stats()["counters"]["signed_up"] == 3


def test_each_signup_of_a_batch_is_accepted_or_refused_for_itself(line: Line) -> None:
    """A batch runs consecutive signups in a single Redis script, which still accepts or refuses
    each signup separately (promises P2 and P5).
    """
    line.init(capacity=3)
    line.all_sign_up(["ann", "bob"])
    line.leave("bob")
    names = ["ann", "bob", "eve", "kim", "zoe", "ann"]
    answers = results(line, *[line.message("signup", **line.stay(name)) for name in names])
    expected = ["already", "gone", "joined", "joined", "waitlist_full", "already"]
    assert words(answers) == expected
    assert line.signup("zoe", stay=2)["code"] == "waitlist_full"
    assert line.stats()["counters"]["signed_up"] == 4


def test_each_completion_of_a_batch_is_accepted_or_refused_for_itself(line: Line) -> None:
    """A batch completes consecutive claims in a single Redis script, which still accepts or refuses
    each one separately (promises P2 and P4).
    """
    line.init()
    line.all_sign_up(["ann", "bob", "eve", "kim"])
    tokens = {name: entry["token"] for name, entry in line.claimed(3).items()}
    tries = [("ann", tokens["ann"]), ("bob", tokens["eve"]), ("kim", tokens["eve"])]
    tries += [("eve", tokens["eve"]), ("ann", tokens["ann"])]
    requests = [
        line.message("complete", entry_id=line.id_of(name), token=token) for name, token in tries
    ]
    answers = results(line, *requests)
    expected = ["completed", "claim_mismatch", "not_held", "completed", "repeat"]
    assert words(answers) == expected
    assert answers[4]["done_stamp"] == answers[0]["stamp"]
    assert line.complete("bob", tokens["bob"])["outcome"] == "completed"
    assert line.stats()["counters"]["admitted"] == 3


def test_stamps_of_completions_in_a_batch_are_all_new(line: Line) -> None:
    """Even if a single script completes several claims, each completion gets its own stamp (logical
    timestamp), and later operations get higher stamps (promises P1 and P2).
    """
    line.init()
    line.all_sign_up(f"person {number}" for number in range(70))
    held = line.claimed(70)
    answers = results(
        line,
        *[
            line.message("complete", entry_id=line.id_of(name), token=entry["token"])
            for name, entry in held.items()
        ],
    )
    drawn = [answer["stamp"] for answer in answers] + [line.signup("zoe")["stamp"]]
    assert drawn == sorted(set(drawn))
    assert line.stats()["counters"]["admitted"] == 70


def test_signups_of_a_batch_during_a_rebuild_have_no_position(line: Line) -> None:
    """P7"""
    line.init(mode="open")
    names = ["ann", "bob"]
    answers = results(line, *[line.message("signup", **line.stay(name)) for name in names])
    assert [(answer["position"], answer["total"]) for answer in answers] == [(None, None)] * 2


def test_tickets_drawn_after_a_batch_are_new(line: Line) -> None:
    """Even if a single script signs up several people, those who sign up later get higher ticket
    numbers (promise P1).
    """
    line.init()
    names = [f"person {number}" for number in range(120)]
    answers = results(line, *[line.message("signup", **line.stay(name)) for name in names])
    drawn = [answer["ticket"] for answer in answers] + [line.signup("zoe")["ticket"]]
    assert drawn == [drawn[0] + 8 * number for number in range(121)]


def test_more_than_five_hundred_are_refused_as_one(line: Line) -> None:
    """If a batch contains more than 500 requests, none of them runs (promises P5 and P9)."""
    line.init()
    before = line.contents()
    requests = [line.message("signup", **line.stay(f"person {number}")) for number in range(501)]
    assert send(line, *requests)["code"] == "invalid_request"
    assert line.contents() == before


def test_every_operation_can_be_in_a_batch(line: Line) -> None:
    stay, entry = line.stay("ann"), {"entry_id": line.id_of("ann")}
    hold = {**entry, "token": "0" * 40}
    place = {"rank": 5, "ticket": 5, "stamp": 5}
    answers = results(
        line,
        line.message("init", settings={"version": 1}, mode="create", epoch="0000aaaa"),
        line.message("signup", **stay),
        line.message("bump", **entry, once_key="0" * 32, to="front"),
        line.message("position", **entry),
        line.message("list_waiting"),
        line.message("stats"),
        line.message("restore", **line.stay("bob"), **place),
        line.message("leave", **stay),
        line.message("drop", **line.stay("bob")),
        line.message("claim"),
        *[line.message(op, **hold) for op in ("complete", "release", "extend", "park")],
        line.message("redrive", **entry),
        line.message("expire"),
        line.message("settle", **entry, seen_stamp=1),
        line.message("list_off_queue", which="held"),
        line.message("purge"),
    )
    assert words(answers) == [
        "created",
        "joined",
        "moved",
        "waiting",
        "listed",
        "stats",
        "restored",
        "left",
        "dropped",
        "claimed",
        *["not_held"] * 4,
        "not_parked",
        "expired",
        "changed",
        "listed",
        "purged",
    ]


def test_requests_follow_each_other_though_some_scripts_are_not_loaded(line: Line) -> None:
    """If Redis has lost one of the scripts, a batch's requests still run in the given order
    (promise P2).
    """
    line.init()
    line.client.script_flush()
    assert line.leave("nobody")["outcome"] == "absent"
    stay = line.stay("ann")
    answers = results(line, line.message("signup", **stay), line.message("leave", **stay))
    assert words(answers) == ["joined", "left"]


def test_one_batch_serves_many_waitlists(line: Line) -> None:
    lists = [line.of(f"list-{number}") for number in range(20)]
    for one in lists[:10]:
        one.init()
    answers = results(line, *[one.message("signup", **one.stay("ann")) for one in lists])
    assert words(answers) == ["joined"] * 10 + ["cold"] * 10
    assert [one.position("ann").get("position") for one in lists] == [1] * 10 + [None] * 10


def test_an_empty_batch_has_no_results(line: Line) -> None:
    assert results(line) == []


def test_a_repeated_batch_changes_nothing(line: Line) -> None:
    """P2"""
    line.init()
    requests = [line.message("signup", **line.stay(f"person {number}")) for number in range(30)]
    first, again = results(line, *requests), results(line, *requests)
    assert words(again) == ["already"] * 30
    assert [answer["rank"] for answer in again] == [answer["rank"] for answer in first]
    assert line.stats()["counters"]["signed_up"] == 30


@pytest.mark.parametrize(
    "bad",
    [
        {"v": 1, "op": "ping"},
        {"v": 1, "op": "batch", "requests": []},
        {"v": 1, "op": "signup", "waitlist_id": "bakery-opening", "entry_id": "short"},
        {"v": 1, "op": "unknown"},
        None,
        "signup",
    ],
)
def test_a_malformed_request_fails_by_itself_and_the_others_run(line: Line, bad: Any) -> None:
    """If one request in a batch is malformed, only that request fails.

    Its error is at the same position in the results (promise P5).
    """
    line.init()
    ann, bob = (line.message("signup", **line.stay(name)) for name in ("ann", "bob"))
    answers = results(line, bad, ann, bad, bob, bad)
    refused = "invalid_request"
    assert words(answers) == [refused, "joined", refused, "joined", refused]
    assert all(answer["message"] for answer in answers[::2])
    assert line.order() == ["ann", "bob"]


def test_a_batch_of_malformed_requests_alone_changes_nothing(line: Line) -> None:
    """P5"""
    line.init()
    before = line.contents()
    assert words(results(line, {}, {"op": "signup"})) == ["invalid_request"] * 2
    assert line.contents() == before


@pytest.mark.parametrize("version", [0, 2])
def test_a_request_of_another_contract_fails_by_itself(line: Line, version: int) -> None:
    """A request with an unknown version of the message format is refused, because it may mean
    something else (promise P5).
    """
    line.init()
    good = line.message("signup", **line.stay("ann"))
    answers = results(line, {**good, "v": version}, good)
    assert words(answers) == ["unsupported_version", "joined"]
