"""claim: hold the entries at one end of the line for one claimer only."""

import re

from tests.support.line import SECOND_MICROS, Line
from waitlist_shared.ranks import priority_of

PEOPLE = [f"person {number}" for number in range(30)]
CLAIMS = "wl:{bakery-opening}:claims"
TOKEN = re.compile(r"[0-9a-f]{40}")


def filled(line: Line, names: list[str] = PEOPLE, **settings: object) -> None:
    line.init(**settings)  # type: ignore[arg-type]
    line.all_sign_up(names)


def test_claims_go_from_the_head_in_order_and_never_overlap(line: Line) -> None:
    """P1, P4: the entries signed up at the same instant, and their ids do not sort by arrival."""
    filled(line)
    given = [list(line.claimed(count)) for count in (1, 1, 5, 20, 100, 1)]
    assert [name for names in given for name in names] == PEOPLE
    assert [len(names) for names in given] == [1, 1, 5, 20, 3, 0]


def test_a_claim_returns_the_place_and_the_signups_ticket(line: Line) -> None:
    line.init()
    ann, bob = line.all_sign_up(["ann", "bob"])
    moved = line.bump("bob", to="front")
    claimed = line.claimed(2)
    places = {name: (entry["rank"], entry["ticket"]) for name, entry in claimed.items()}
    assert places == {
        "bob": (moved["rank"], bob["ticket"]),
        "ann": (ann["rank"], ann["ticket"]),
    }
    assert list(claimed) == ["bob", "ann"]
    assert [entry["attempts"] for entry in claimed.values()] == [0, 0]


def test_positions_move_up_as_soon_as_an_entry_is_claimed(line: Line) -> None:
    """P6"""
    filled(line)
    line.claim(10)
    last = line.position(PEOPLE[-1])
    assert (last["position"], last["total"]) == (20, 20)
    assert line.order() == PEOPLE[10:]


def test_the_newest_are_claimed_from_the_tail(line: Line) -> None:
    filled(line)
    assert list(line.claimed(3, order="newest")) == [PEOPLE[29], PEOPLE[28], PEOPLE[27]]
    assert list(line.claimed(2, order="oldest")) == PEOPLE[:2]
    assert line.order() == PEOPLE[2:27]


def test_a_higher_priority_is_claimed_first(line: Line) -> None:
    """P1"""
    filled(line)
    line.bump(PEOPLE[20], priority=5)
    line.bump(PEOPLE[10], priority=255)
    line.bump(PEOPLE[15], priority=5)
    claimed = line.claimed(4)
    assert list(claimed) == [PEOPLE[10], PEOPLE[15], PEOPLE[20], PEOPLE[0]]
    assert [priority_of(entry["rank"]) for entry in claimed.values()] == [255, 5, 5, 0]
    assert list(line.claimed(1, order="newest")) == [PEOPLE[29]]


def test_a_hundred_can_be_claimed_at_once(line: Line) -> None:
    """P9: 101 are refused."""
    names = [f"person {number}" for number in range(101)]
    filled(line, names)
    before = line.contents()
    for count in (0, 101):
        assert line.claim(count)["code"] == "invalid_request"
    assert line.contents() == before
    assert list(line.claimed(100)) == names[:100]


def test_tokens_are_forty_hex_digits_and_all_different(line: Line) -> None:
    """P4"""
    filled(line)
    first = line.claimed(20)
    tokens = [entry["token"] for entry in [*first.values(), *line.claimed(10).values()]]
    assert len(set(tokens)) == 30
    assert all(TOKEN.fullmatch(token) for token in tokens)
    assert len({token[:8] for token in tokens}) == 30


def test_the_same_entries_get_other_tokens_each_time(line: Line) -> None:
    """P4: the tokens differ even if everything that an outsider can know is the same."""
    seen: set[str] = set()
    for _ in range(5):
        filled(line, PEOPLE[:10])
        seen |= {entry["token"] for entry in line.claimed(10).values()}
        line.send("purge")
    assert len(seen) == 50


def test_the_token_of_a_claim_says_nothing_about_the_next(line: Line) -> None:
    """P4: each hold of a released entry has a new token."""
    filled(line, ["ann"])
    tokens = set()
    for _ in range(5):
        token = line.claimed()["ann"]["token"]
        line.release("ann", token)
        tokens.add(token)
    assert len(tokens) == 5


def test_the_waitlists_own_time_counts_unless_a_claim_brings_another(line: Line) -> None:
    filled(line, ["ann", "bob", "eve"], lease_seconds=40)
    now = line.clock.millis
    deadlines = [
        line.claimed()["ann"]["deadline_millis"],
        line.claimed(lease_seconds=1)["bob"]["deadline_millis"],
        line.claimed(lease_seconds=43_200)["eve"]["deadline_millis"],
    ]
    assert deadlines == [now + 40_000, now + 1_000, now + 43_200_000]


def test_a_change_of_the_time_counts_for_later_claims_only(line: Line) -> None:
    filled(line, ["ann", "bob"], lease_seconds=40)
    now = line.clock.millis
    assert line.claimed()["ann"]["deadline_millis"] == now + 40_000
    line.init(version=2, lease_seconds=90)
    assert line.claimed()["bob"]["deadline_millis"] == now + 90_000
    line.clock.advance(39 * SECOND_MICROS)
    assert line.claimed() == {}
    line.clock.advance(SECOND_MICROS)
    assert list(line.claimed(2)) == ["ann"]


def test_a_paused_list_takes_signups_and_gives_no_claims(line: Line) -> None:
    """P5: the refusal changes nothing, and entries that are already held can be completed."""
    filled(line, ["ann", "bob"])
    ann = line.claimed()["ann"]
    line.init(version=2, paused=True)
    before = line.contents()
    assert line.claim()["code"] == "waitlist_paused"
    assert line.contents() == before
    assert line.signup("eve")["position"] == 2
    assert line.complete("ann", ann["token"])["outcome"] == "completed"
    line.init(version=3, paused=False)
    assert list(line.claimed(2)) == ["bob", "eve"]


def test_a_closed_list_gives_claims(line: Line) -> None:
    filled(line, ["ann", "bob"])
    line.init(version=2, open=False)
    assert list(line.claimed(2)) == ["ann", "bob"]


def test_a_claim_on_an_empty_line_returns_no_entry(line: Line) -> None:
    line.init()
    answer = line.claim(5)
    assert (answer["outcome"], answer["entries"]) == ("claimed", [])
    assert CLAIMS not in line.contents()


def test_claims_of_two_lists_do_not_touch_each_other(line: Line) -> None:
    filled(line, ["ann", "bob"])
    other = line.of("cinema")
    filled(other, ["ann"])
    ann = line.claimed()["ann"]
    assert other.position("ann")["outcome"] == "waiting"
    assert other.complete("ann", ann["token"])["code"] == "not_held"
    assert line.complete("ann", ann["token"])["outcome"] == "completed"
