"""Tests a waitlist that has stopped admitting people for good.

The policy makes no more offers, and open offers end.
"""

from typing import Any

import pytest

from tests.queue.behaviour.admitting import OFFER_SECONDS, PEOPLE, admit, admitted, enter, policy
from tests.support.line import Answer, Line, accepted, readiness_of

SOON = 60


def ending(line: Line, version: int = 1, seconds: float = SOON, **admission: Any) -> int:
    until = line.clock.millis + int(seconds * 1000)
    policy(line, version=version, until_millis=until, **admission)
    return until


def by_hand(line: Line, name: str | None = None) -> Answer:
    which = {"count": 1} if name is None else {"entry_id": line.id_of(name)}
    return line.send("admit", **which)


def test_nothing_is_offered_from_the_end_of_the_admission_on(line: Line) -> None:
    """After admissions have ended, operators can still claim entries."""
    ending(line, rate_count=60, rate_millis=60_000, max_inside=5)
    line.all_sign_up(PEOPLE)
    line.clock.advance(seconds=SOON - 1)
    assert len(admitted(line)) == 5
    line.clock.advance(seconds=1)
    assert admit(line)["entries"] == []
    assert not line.position(PEOPLE[-1])["is_due"]
    assert by_hand(line)["code"] == "admission_over"
    assert by_hand(line, PEOPLE[-1])["code"] == "admission_over"
    assert admit(line, count=0)["outcome"] == "admitted"
    assert len(line.claimed()) == 1


def test_a_new_offer_ends_with_the_admission(line: Line) -> None:
    until = ending(line, max_inside=2)
    line.all_sign_up(PEOPLE)
    (by_policy, _) = admit(line)["entries"]
    assert by_policy["deadline_millis"] == until
    line.clock.advance(seconds=SOON)
    assert enter(line, PEOPLE[0])["code"] in ("not_offered", "offer_expired")


@pytest.mark.parametrize("claims", [0, 3])
def test_open_offers_end_with_an_admission_that_is_shortened(line: Line, claims: int) -> None:
    """If an operator makes admissions end earlier, open offers end at the new time. Claims keep
    their deadlines.
    """
    policy(line, lease_seconds=OFFER_SECONDS)
    line.all_sign_up(PEOPLE)
    held = line.claimed(count=claims) if claims else {}
    offered = admitted(line, count=3)
    line.clock.advance(seconds=61)
    for name, place in line.dirty().items():
        line.settle(name, place["seen_stamp"])
    assert line.dirty() == {}
    until = ending(line, version=2, lease_seconds=OFFER_SECONDS)
    ends = {name: place["time_millis"] for name, place in line.dirty().items()}
    assert ends == dict.fromkeys(offered, until)
    line.clock.advance(seconds=SOON)
    for name in offered:
        assert line.position(name)["outcome"] == "waiting"
    for name in held:
        assert line.position(name)["outcome"] == "held"


def test_a_withdrawn_offer_goes_to_nobody_when_the_admission_is_over(line: Line) -> None:
    policy(line, max_inside=1)
    line.all_sign_up(PEOPLE)
    admit(line)
    line.clock.advance(seconds=1)
    until = ending(line, version=2, seconds=1)
    line.clock.advance(seconds=1)
    answer = line.send("withdraw", entry_id=line.id_of(PEOPLE[0]), offered_until_millis=until)
    assert answer.get("code") in ("offer_expired", "not_offered")
    assert line.stats()["offered"] == 0


def test_two_offers_that_end_with_the_admission_are_told_apart_by_their_tokens(line: Line) -> None:
    """A late message about an entry's first offer does not change the second offer."""
    until = ending(line, max_inside=1)
    eve = line.id_of("eve")
    line.signup("eve")
    (first,) = admit(line)["entries"]
    of_first = {"entry_id": eve, "token": first["token"], "offered_until_millis": until}
    assert line.send("withdraw", **of_first)["outcome"] == "withdrawn"
    line.clock.advance(seconds=1)
    (second,) = admit(line)["entries"]
    assert second["deadline_millis"] == first["deadline_millis"] == until
    for verb in ("enter", "decline"):
        assert line.send(verb, **of_first)["code"] == "not_offered"
    assert line.send("withdraw", **of_first)["outcome"] == "repeat"
    assert line.position("eve")["outcome"] == "offered"
    of_second = {**of_first, "token": second["token"]}
    assert line.send("enter", **of_second)["outcome"] == "entered"


def test_a_restored_offer_ends_with_the_admission_and_is_recorded_again(line: Line) -> None:
    until = ending(line)
    later = until + 1000
    line.restore("eve", rank=1, ticket=1, state="offered", token="a" * 40, time_millis=later)
    assert line.position("eve")["offered_until_millis"] == until
    assert line.dirty()["eve"]["time_millis"] == until


@pytest.mark.parametrize("is_changed_meanwhile", [False, True])
def test_a_rebuild_corrects_an_outdated_offer_although_the_admission_ends(
    line: Line, is_changed_meanwhile: bool
) -> None:
    """A rebuild first restores an outdated offer for Ann. When it later reads in her record that
    she has declined the offer, it puts her back into the queue (promise P7).
    """
    until = line.clock.millis + SOON * 1000
    ends: dict[str, Any] = {"admission": True, "until_millis": until}
    line.init(mode="open", **({"admission": True} if is_changed_meanwhile else ends))
    offer: dict[str, Any] = {"state": "offered", "time_millis": until + 1000, "stamp": 10}
    line.restore("ann", rank=11, ticket=1, token="a" * 40, **offer)
    line.restore("bob", rank=12, ticket=2, token="b" * 40, **offer)
    line.init(mode="configure", version=2, **ends)
    declined = line.restore("ann", rank=13, ticket=1, stamp=20, when="older")
    assert (declined["outcome"], declined["state"]) == ("restored", "waiting")
    line.init(mode="finish_rebuild", version=2, **ends)
    assert line.order() == ["ann"]
    assert line.position("bob")["offered_until_millis"] == until
    assert [(name, place["time_millis"]) for name, place in line.dirty().items()] == [
        ("bob", until)
    ]


def test_an_admission_without_an_end_goes_on(line: Line) -> None:
    """An operator can remove the time at which admissions end."""
    ending(line, seconds=1, max_inside=1)
    line.all_sign_up(PEOPLE)
    line.clock.advance(seconds=1)
    assert admitted(line) == []
    policy(line, version=2, max_inside=1)
    assert admitted(line) == PEOPLE[:1]


def test_a_late_message_with_older_settings_does_not_bring_the_admission_back(line: Line) -> None:
    ending(line, version=2, seconds=1, max_inside=1)
    line.all_sign_up(PEOPLE)
    line.clock.advance(seconds=1)
    policy(line, version=1, max_inside=1)
    assert admitted(line) == []


def test_an_entry_that_is_not_ready_is_not_offered_a_slot_after_the_end_either(line: Line) -> None:
    until = ending(line, max_inside=1)
    line.insert("eve", readiness=readiness_of(1, resting=until))
    line.clock.advance(seconds=SOON)
    accepted(line.position("eve"))
    assert admit(line)["entries"] == []
