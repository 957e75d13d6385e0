"""Tests imports that are interrupted at any step, or during which other requests arrive.

The entries must still end up in the order of the file.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import pytest

from tests.reliability.faults.fixture import FaultFixture
from tests.support import faults
from tests.support.faults import Crash
from tests.support.gateway import Answer
from waitlist_api.imports import write_intents
from waitlist_api.records import imports

# The rows of an imported file. Three of them have the same signup time, and the last two have none.
FIRST, LATER = "2021-05-01T12:00:00Z", "2021-05-01T12:00:01Z"
TIMES = {"fay": FIRST, "gus": FIRST, "ann": FIRST, "bob": LATER}
FILE = ("fay", "gus", "ann", "bob", "eve", "zoe")
ROWS = [
    {"customer_id": name, **({"joined_at": TIMES[name]} if name in TIMES else {})} for name in FILE
]
TRIES = 6
# The number of calls to DynamoDB and Redis that importing these rows takes.
STEPS = 10
# An import that continues an interrupted import takes fewer steps.
STEPS_OF_CONTINUING = 6


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (write_intents, imports):
        monkeypatch.setattr(module, "MAX_INTENTS", 2)
    monkeypatch.setattr(imports, "MAX_PLACES", 2)


def attempt(fixture: FaultFixture, *names: str) -> Answer | None:
    rows = [one for one in ROWS if one["customer_id"] in (names or FILE)]
    try:
        return fixture.people.bring(*rows)
    except Crash:
        return None
    finally:
        fixture.wire.disarm()


def import_until_done(fixture: FaultFixture, *names: str) -> Answer:
    for _ in range(TRIES):
        answer = attempt(fixture, *names)
        if answer is not None and answer.status == 200:
            return answer
        if answer is not None and answer.code == "rebuilding":
            fixture.world.maintain()
    raise AssertionError(f"the last answer is {answer}")


@dataclass(frozen=True)
class Other:
    """A request that arrives while the import is running.

    `outcomes` is called when the request arrives, and returns the rows whose outcome will not be
    `joined`. `moved` is the entry whose place the request may change.
    """

    send: Callable[[FaultFixture], object]
    outcomes: Callable[[FaultFixture], Mapping[str, str]] = lambda _: {}
    moved: str = ""


def is_joining(fixture: FaultFixture, name: str) -> bool:
    record = fixture.records().get(name)
    return record is not None and record["status"] == "joining"


def is_recorded(fixture: FaultFixture, name: str) -> bool:
    return name in fixture.records()


def refused_if_joining(fixture: FaultFixture) -> Mapping[str, str]:
    return {"gus": "refused"} if is_joining(fixture, "gus") else {}


OTHERS = {
    "a signup of one of them": Other(
        lambda fixture: fixture.people.sign_up("eve", key="own"),
        lambda fixture: {} if is_recorded(fixture, "eve") else {"eve": "already"},
        moved="eve",
    ),
    "a removal": Other(lambda fixture: fixture.people.erase("gus"), refused_if_joining),
    "a removal and a new signup": Other(
        lambda fixture: (fixture.people.erase("gus"), fixture.people.sign_up("gus", key="own")),
        lambda fixture: (
            refused_if_joining(fixture) if is_recorded(fixture, "gus") else {"gus": "already"}
        ),
        moved="gus",
    ),
    "a bump": Other(lambda fixture: fixture.people.bump("bob", key="up", to="front"), moved="bob"),
    "a new capacity": Other(
        lambda fixture: fixture.people.configure(capacity=4),
        lambda fixture: {} if fixture.order() else {"eve": "refused", "zoe": "refused"},
    ),
    "new segments": Other(lambda fixture: fixture.people.configure(segments=[["language"]])),
}


def outcomes_of(answer: Answer | None) -> dict[str, str]:
    assert answer is not None
    return {
        name: result["outcome"] for name, result in zip(FILE, answer.json["results"], strict=True)
    }


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_other_entries_keep_the_order_of_the_file(fixture: FaultFixture, other: Other) -> None:
    """Imported entries keep the order of the file, no matter at which step of the import another
    request arrives (promises P1, P2 and P6). The import reports what has become of each row.
    """
    before = fixture.stores.snapshot()
    for step in range(STEPS):
        fixture.stores.restore(before)
        fixture.warm_up()
        elsewhere = FaultFixture(fixture.stores)
        expected = dict.fromkeys(FILE, "joined")

        def arrive(
            elsewhere: FaultFixture = elsewhere, expected: dict[str, str] = expected
        ) -> None:
            expected.update(other.outcomes(elsewhere))
            other.send(elsewhere)

        fixture.wire.arm(step, faults.before(arrive))
        assert outcomes_of(attempt(fixture)) == expected, step
        # If an import was interrupted, maintenance completes its signups, but their order may
        # differ from the order of the file.
        fixture.world.maintain()
        order = [name for name in fixture.order() if name != other.moved]
        assert order == [name for name in FILE if name in order], step
        assert not list(fixture.contradictions()), step


@pytest.fixture
def interrupted(fixture: FaultFixture) -> FaultFixture:
    """An import was interrupted before Redis had added its entries to the queue."""
    fixture.warm_up()
    fixture.wire.arm(6, faults.crash_before)
    assert attempt(fixture) is None
    assert all(is_joining(fixture, name) for name in FILE)
    return fixture


def test_if_an_interrupted_import_is_sent_twice_one_answer_reports_that_a_row_joined(
    interrupted: FaultFixture,
) -> None:
    """The second request arrives at any step of the first (promise P1)."""
    before = interrupted.stores.snapshot()
    for step in range(STEPS_OF_CONTINUING):
        interrupted.stores.restore(before)
        interrupted.warm_up()
        elsewhere = FaultFixture(interrupted.stores)
        answers: list[Answer | None] = []

        def send_again(
            elsewhere: FaultFixture = elsewhere, answers: list[Answer | None] = answers
        ) -> None:
            answers.append(attempt(elsewhere))

        interrupted.wire.arm(step, faults.before(send_again))
        answers.append(attempt(interrupted))
        first, second = map(outcomes_of, answers)
        both = [sorted((first[name], second[name])) for name in FILE]
        assert both == [["already", "joined"]] * len(FILE), step
        assert interrupted.order() == list(FILE), step
        assert not list(interrupted.contradictions()), step


def test_a_removal_does_not_change_what_a_repeated_import_reports_about_other_rows(
    interrupted: FaultFixture,
) -> None:
    """An interrupted import is repeated, and one of its customers is removed at any step."""
    before = interrupted.stores.snapshot()
    others = [name for name in FILE if name != "gus"]
    for step in range(STEPS_OF_CONTINUING):
        interrupted.stores.restore(before)
        interrupted.warm_up()
        elsewhere = FaultFixture(interrupted.stores)
        interrupted.wire.arm(step, faults.before(partial(elsewhere.people.erase, "gus")))
        outcomes = outcomes_of(attempt(interrupted))
        assert [outcomes[name] for name in others] == ["joined"] * len(others), step


def test_an_imported_entry_can_be_claimed_before_its_import_is_recorded(
    fixture: FaultFixture,
) -> None:
    """An import is interrupted after Redis has stored the entry, but before DynamoDB has recorded
    it. An operator can claim the entry anyway (promises P1 and P6).
    """
    fixture.people.all_sign_up("ann", "bob")
    assert fixture.people.leave("ann").status == 204
    fixture.warm_up()
    fixture.wire.arm(4, faults.crash_after)
    with pytest.raises(Crash):
        fixture.people.bring({"customer_id": "ann", "joined_at": FIRST}, ended="rejoin")
    fixture.wire.disarm()
    assert fixture.order() == ["ann", "bob"]
    path = f"{fixture.people.admin_path}/claims"
    given = fixture.world.request("POST", path, body={"count": 1}, operator=True).json["claims"]
    assert [one["entry_id"] for one in given] == [fixture.people.id_of("ann")]
    assert fixture.order() == ["bob"]


def test_imported_entries_keep_their_places_after_redis_was_lost(fixture: FaultFixture) -> None:
    """After Redis has lost its data, imported entries keep their places, even among several entries
    with the same `joined_at` (promise P3).
    """
    import_until_done(fixture)
    fixture.people.bring({"customer_id": "hal", "joined_at": FIRST})
    order = fixture.order()
    assert order == ["fay", "gus", "ann", "hal", "bob", "eve", "zoe"]
    times = [fixture.people.poll(name).json["joined_at"] for name in order[:5]]
    fixture.rebuild_elsewhere()
    assert fixture.order() == order
    assert [fixture.people.poll(name).json["joined_at"] for name in order[:5]] == times
    assert times[:4] == ["2021-05-01T12:00:00.000Z"] * 4
    fixture.people.sign_up("ida", key="k")
    assert fixture.order() == [*order, "ida"]
    assert not list(fixture.contradictions())


def test_imported_entries_that_a_lagging_replica_lacks_are_restored(fixture: FaultFixture) -> None:
    """If Redis loses imported entries in a failover, maintenance restores them, even if people
    signed up years ago (promise P3).
    """
    fixture.world.maintain()
    import_until_done(fixture)
    order = fixture.order()
    for name in ("gus", "bob", "eve"):
        fixture.people.lose_place(name)
    fixture.world.maintain()
    assert fixture.order() == order
    assert not list(fixture.contradictions())


# Rows for two guests, Ann and Eve, who are already on the waitlist.
REPLACING = ({"customer_id": "ann", "joined_at": FIRST}, {"customer_id": "eve"})
# An import that replaces guests first removes their old entries, so it takes more steps.
STEPS_OF_REPLACING = 14


def replace(fixture: FaultFixture) -> Answer | None:
    try:
        return fixture.people.bring(*REPLACING, entry_tokens=True, on_list="replace")
    except Crash:
        return None
    finally:
        fixture.wire.disarm()


def replace_until_done(fixture: FaultFixture) -> Answer:
    for _ in range(TRIES):
        answer = replace(fixture)
        if answer is not None and answer.status == 200:
            return answer
    raise AssertionError(f"the last answer is {answer}")


@pytest.fixture
def guests(fixture: FaultFixture) -> FaultFixture:
    fixture.people.all_sign_up("ann", "bob", "eve")
    fixture.warm_up()
    return fixture


@pytest.mark.parametrize(
    ("fault", "is_maintained"), [(faults.crash_after, True), (faults.unheard, False)]
)
def test_repeating_an_interrupted_import_replaces_each_guest_once(
    guests: FaultFixture, fault: faults.Fault, is_maintained: bool
) -> None:
    """If an import is interrupted at any step and then repeated, each customer in the file ends up
    with exactly one signup (promises P2 and P3).
    """
    before = guests.stores.snapshot()
    strangers = dict(guests.people.entry_tokens)
    for step in range(STEPS_OF_REPLACING):
        guests.stores.restore(before)
        guests.warm_up()
        guests.wire.arm(step, fault)
        replace(guests)
        if is_maintained:
            guests.world.maintain()
        answer = replace_until_done(guests)
        assert guests.order() == ["ann", "bob", "eve"], step
        assert not list(guests.contradictions()), step
        for name, result in zip(("ann", "eve"), answer.json["results"], strict=True):
            assert guests.people.events(name) == ["joined", "left", "joined"], step
            assert result["entry_token"] != strangers[name], step
            path = guests.people.entry(name)
            assert guests.world.request("GET", path, token=strangers[name]).status == 403, step
            look = guests.world.request("GET", path, token=result["entry_token"])
            assert look.json["status"] == "waiting", step


OF_THE_GUEST: dict[str, Callable[[FaultFixture], object]] = {
    "a leave and a signup": lambda fixture: (
        fixture.people.leave("ann"),
        fixture.people.sign_up("ann", key="again"),
    ),
    "a signup": lambda fixture: fixture.people.sign_up("ann", key="again"),
    "an erasure": lambda fixture: fixture.people.erase("ann"),
    "a bump": lambda fixture: fixture.people.bump("ann", key="up", to="back"),
    "an admission": lambda fixture: fixture.world.request(
        "POST",
        f"{fixture.people.admin_path}/claims",
        body={"count": 1, "complete": True},
        operator=True,
    ),
    "the same import": replace,
}


@pytest.mark.parametrize("other", OF_THE_GUEST.values(), ids=OF_THE_GUEST)
def test_requests_of_a_replaced_guest_do_not_restore_the_guests_stay(
    guests: FaultFixture, other: Callable[[FaultFixture], object]
) -> None:
    """An import replaces a guest's entry. If the guest sends a request while the import is running,
    the old entry does not come back (promises P2 and P4).
    """
    before = guests.stores.snapshot()
    strangers = dict(guests.people.entry_tokens)
    elsewhere = FaultFixture(guests.stores)
    for step in range(STEPS_OF_REPLACING):
        guests.stores.restore(before)
        guests.warm_up()
        elsewhere.people.entry_tokens.update(strangers)
        guests.wire.arm(step, faults.before(partial(other, elsewhere)))
        answer = replace(guests)
        assert answer is not None
        guests.world.maintain()
        assert not list(guests.contradictions()), step
        ann = guests.world.request("GET", guests.people.entry("ann"), token=strangers["ann"])
        # Ann has been admitted or has left, or her entry token is no longer valid.
        assert ann.status in (403, 404) or ann.json["status"] in ("admitted", "left"), step
        assert guests.order().count("ann") <= 1
