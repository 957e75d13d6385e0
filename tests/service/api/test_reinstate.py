"""Tests that an operator can reinstate a customer who has left. The customer gets their old place
back.
"""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.service.api.refusing import nothing_changes, refused
from tests.support.admissions import Admissions
from tests.support.faults import Crash, Wire, crash_after
from tests.support.gateway import Answer
from tests.support.stores import empty_redis
from tests.support.tables import new_table
from tests.support.world import RedisClock, World
from waitlist_shared.ranks import millis_of, ticket_of_reinstated_stay

DAY = 24 * 3600
REASON = "the letter had come back"
FIVE = ("ann", "bob", "cyd", "dan", "eve")
STEPS = range(8)


@pytest.fixture
def wire() -> Wire:
    return Wire()


def new_people(wire: Wire) -> Admissions:
    clock = RedisClock.standing()
    table = wire.client(new_table())
    people = Admissions(World.on(table, empty_redis(), wire.client, redis_clock=clock))
    configure(people)
    for name in FIVE:
        people.world.advance(1)
        assert people.sign_up(name, key=f"signup-{name}", profile={"name": name}).status == 201
    people.world.advance(60)
    return people


@pytest.fixture
def people(wire: Wire) -> Admissions:
    return new_people(wire)


def configure(people: Admissions, **fields: Any) -> Answer:
    return people.configure(**{"rejoin": "never", **fields})


def restored_values(people: Admissions, name: str) -> dict[str, Any]:
    record = people.recorded(name)
    person = people.person(name).json
    return {
        "rank": record["rank"],
        "priority": person["priority"],
        "joined_at": person["joined_at"],
        "profile": person["profile"],
    }


def leaves(people: Admissions) -> None:
    assert people.leave("cyd").status == 204


def is_removed(people: Admissions) -> None:
    assert people.remove("cyd", reason="no answer").status == 204


def is_parked(people: Admissions) -> None:
    for name in people.claimed(3):
        assert (people.park if name == "cyd" else people.release)(name).status == 200


def does_not_come(people: Admissions) -> None:
    configure(people, admission={"offer_seconds": 60, "no_show": "leave"})
    assert people.admit_one("cyd").status == 200
    people.world.maintain()
    assert people.person("cyd").json["status"] == "left"
    assert people.recorded("cyd")["status"] == "offered", "maintenance has not recorded it yet"


def does_not_come_in_time(people: Admissions) -> None:
    does_not_come(people)
    people.world.maintain()
    assert people.recorded("cyd")["status"] == "left"


def is_worn_out(people: Admissions) -> None:
    configure(people, max_attempts=1)
    for name in people.claimed(3, lease_seconds=60):
        assert name == "cyd" or people.release(name).status == 200
    people.world.maintain()
    assert people.person("cyd").json["status"] == "parked"


def was_banned(people: Admissions) -> None:
    assert people.ban("cyd").status == 204
    people.world.advance(1)
    assert people.unban("cyd").status == 204


ENDS: list[Callable[[Admissions], None]] = [
    leaves,
    is_removed,
    is_parked,
    is_worn_out,
    does_not_come,
    does_not_come_in_time,
    was_banned,
]


@pytest.mark.parametrize("end", ENDS)
def test_a_reinstated_entry_stands_between_its_former_neighbours(
    people: Admissions, end: Callable[[Admissions], None]
) -> None:
    """A reinstated entry gets its old rank (sort key), priority and signup time back (promise
    P1).
    """
    before, token = restored_values(people, "cyd"), people.token_of("cyd")
    end(people)
    assert people.order() == ["ann", "bob", "dan", "eve"]
    answer = people.reinstate("cyd", reason=REASON)
    assert answer.status == 200, answer.text
    assert (answer.json["status"], answer.json["position"], answer.json["total"]) == (
        "waiting",
        3,
        5,
    )
    assert answer.json["joined_at"] == before["joined_at"]
    assert answer.headers["cache-control"] == "no-store"
    assert people.order() == list(FIVE)
    assert restored_values(people, "cyd") == before
    assert "entry_token" not in answer.json
    looked = people.world.request("GET", people.entry("cyd"), token=token)
    refused(looked, 403, "forbidden")
    assert people.poll("cyd").json["position"] == 3


@pytest.mark.parametrize("end", ENDS)
def test_a_bumped_entry_comes_back_to_where_it_was_moved(
    people: Admissions, end: Callable[[Admissions], None]
) -> None:
    assert people.bump("dan", priority=7).status == 200
    assert people.bump("cyd", priority=7).status == 200
    assert people.bump("cyd", to="front").status == 200
    before = restored_values(people, "cyd")
    end(people)
    people.sign_up("fay")
    assert people.reinstate("cyd").status == 200
    assert people.order() == ["cyd", "dan", "ann", "bob", "eve", "fay"]
    assert restored_values(people, "cyd") == before


@pytest.mark.parametrize("offset", range(16))
def test_the_time_of_signup_comes_back_to_the_millisecond_fifteen_times(offset: int) -> None:
    first = ticket = 33946112000160 + offset
    seen = [first]
    for number in range(1, 16):
        ticket = ticket_of_reinstated_stay(ticket, number)
        assert millis_of(ticket) == millis_of(first)
        seen.append(ticket)
    assert len(set(seen)) == 16, "each signup has a ticket and a token of its own"
    assert ticket_of_reinstated_stay(ticket, 16) == first + 16


def test_an_entry_that_leaves_again_comes_back_again(people: Admissions) -> None:
    before, tokens = restored_values(people, "cyd"), {people.token_of("cyd")}
    for number in range(2, 6):
        leaves(people)
        people.world.advance(1)
        assert people.reinstate("cyd").json["joined_at"] == before["joined_at"]
        assert restored_values(people, "cyd") == before
        tokens.add(people.token_of("cyd"))
        assert len(tokens) == number
    assert people.order() == list(FIVE)


def test_the_history_has_the_operator_the_reason_and_the_position(people: Admissions) -> None:
    leaves(people)
    people.reinstate("cyd", reason=REASON)
    last = people.person("cyd").json["history"][-1]
    assert (last["event"], last["by"].rpartition("/")[2], last["reason"]) == (
        "reinstated",
        "operator",
        REASON,
    )
    assert last["detail"] == {"position": 3}
    assert people.events("cyd") == ["joined", "left", "reinstated"]
    assert "intent" not in people.recorded("cyd")


def test_the_end_of_a_parked_stay_is_in_the_history(people: Admissions) -> None:
    is_parked(people)
    people.reinstate("cyd", reason=REASON)
    assert people.events("cyd") == ["joined", "offered", "parked", "left", "reinstated"]
    person = people.person("cyd").json
    assert (person["attempts"], person["parked_at"], person["park_reason"]) == (0, None, None)


def test_a_missed_offer_that_only_redis_has_noticed_is_added_to_the_history(
    people: Admissions,
) -> None:
    """An operator reinstates a customer whose missed offer only Redis knows about. Maintenance
    later adds the missed offer to the history (promise P3).
    """
    does_not_come(people)
    people.world.advance(1)
    people.reinstate("cyd", reason=REASON)
    people.world.maintain()
    assert people.order() == list(FIVE)
    history = people.person("cyd").json["history"]
    assert [one["event"] for one in history] == [
        "joined",
        "offered",
        "no_show",
        "left",
        "reinstated",
    ]
    assert (history[3]["by"], history[3]["reason"]) == ("policy", "no_show")


def test_a_reinstated_entry_counts_as_signed_up_once_more(people: Admissions) -> None:
    def counted() -> tuple[int, ...]:
        stats = people.stats().json
        return tuple(stats[name] for name in ("signed_up", "left", "waiting", "parked"))

    leaves(people)
    assert counted() == (5, 1, 4, 0)
    people.reinstate("cyd")
    assert counted() == (6, 1, 5, 0)
    is_parked(people)
    people.reinstate("cyd")
    assert counted() == (7, 2, 5, 0)


def waits(people: Admissions) -> None:
    pass


def waits_again(people: Admissions) -> None:
    configure(people, rejoin="always")
    leaves(people)
    assert people.sign_up("cyd", key="again").status == 201


def is_claimed(people: Admissions) -> None:
    people.claimed(3)


def is_offered(people: Admissions) -> None:
    configure(people, admission={})
    assert people.admit_one("cyd").status == 200


def is_inside(people: Admissions) -> None:
    is_offered(people)
    assert people.enter("cyd").status == 200


def is_banned(people: Admissions) -> None:
    assert people.ban("cyd").status == 204


def is_erased(people: Admissions) -> None:
    assert people.erase("cyd").status == 204


REFUSED: list[tuple[Callable[[Admissions], None], int, str]] = [
    (waits, 409, "already_on_list"),
    (waits_again, 409, "already_on_list"),
    (is_claimed, 409, "already_on_list"),
    (is_offered, 409, "already_on_list"),
    (is_inside, 409, "already_admitted"),
    (is_banned, 403, "banned"),
    (is_erased, 404, "entry_not_found"),
]


@pytest.mark.parametrize(("state", "status", "code"), REFUSED)
def test_an_entry_that_has_no_ended_stay_is_refused(
    people: Admissions, state: Callable[[Admissions], None], status: int, code: str
) -> None:
    """P5"""
    state(people)
    with nothing_changes(people.world):
        refused(people.reinstate("cyd", reason=REASON), status, code)


def test_an_unknown_entry_and_an_unknown_list_are_refused(people: Admissions) -> None:
    refused(people.reinstate("zoe"), 404, "entry_not_found")
    people.waitlist_id = "no-such-list"
    refused(people.reinstate("cyd"), 404, "waitlist_not_found")


def test_a_customer_who_was_never_on_the_list_has_no_place_to_come_back_to(
    people: Admissions,
) -> None:
    people.id_of("zoe")
    people.ban("zoe")
    people.world.advance(1)
    people.unban("zoe")
    refused(people.reinstate("zoe"), 409, "no_former_place")


def test_a_reason_that_is_too_long_is_refused(people: Admissions) -> None:
    leaves(people)
    with nothing_changes(people.world):
        refused(people.reinstate("cyd", reason="r" * 10_000), 422, "invalid_request", "body.reason")


def test_a_closed_list_takes_a_reinstated_entry(people: Admissions) -> None:
    leaves(people)
    configure(people, open=False)
    assert people.reinstate("cyd").status == 200
    assert people.order() == list(FIVE)


def test_a_full_waitlist_refuses_a_second_signup_and_keeps_the_first(people: Admissions) -> None:
    leaves(people)
    configure(people, capacity=4)
    person = people.person("cyd").json
    refused(people.reinstate("cyd"), 409, "waitlist_full")
    assert people.person("cyd").json == person
    configure(people, capacity=5)
    assert people.reinstate("cyd").status == 200
    assert people.order() == list(FIVE)


def test_a_parked_entry_of_a_full_list_comes_back(people: Admissions) -> None:
    is_parked(people)
    configure(people, capacity=5)
    assert people.reinstate("cyd").status == 200
    assert people.order() == list(FIVE)


def test_a_parked_entry_of_an_overfull_list_stays_parked(people: Admissions) -> None:
    """After an operator has lowered the capacity, too many people are on the waitlist. A parked
    customer then cannot be reinstated and stays parked (promise P3).
    """
    is_parked(people)
    configure(people, capacity=4)
    refused(people.reinstate("cyd"), 409, "waitlist_full")
    assert people.person("cyd").json["status"] == "parked"


def test_after_the_retention_there_is_nothing_to_reinstate(people: Admissions) -> None:
    configure(people, retention_days=30)
    leaves(people)
    people.world.advance(29 * DAY)
    assert people.reinstate("cyd").status == 200
    assert people.person("cyd").json["expires_at"] is None
    leaves(people)
    people.world.advance(31 * DAY)
    refused(people.reinstate("cyd"), 404, "entry_not_found")


def test_a_repeat_with_its_key_gets_the_same_entry(people: Admissions) -> None:
    """P2"""
    leaves(people)
    first = people.reinstate("cyd", key="first", reason=REASON)
    again = people.reinstate("cyd", key="first", reason=REASON)
    assert (again.status, again.json) == (200, first.json)
    assert people.events("cyd") == ["joined", "left", "reinstated"]
    refused(people.reinstate("cyd", key="first", reason="other"), 422, "idempotency_key_reused")
    refused(people.reinstate("cyd", reason=REASON), 409, "already_on_list")


def test_a_late_copy_does_not_bring_back_a_customer_who_has_left_since(
    people: Admissions,
) -> None:
    """P2"""
    leaves(people)
    people.reinstate("cyd", key="first")
    leaves(people)
    late = people.reinstate("cyd", key="first")
    assert (late.status, late.json["status"], late.json["position"]) == (200, "left", None)
    assert people.order() == ["ann", "bob", "dan", "eve"]
    assert people.reinstate("cyd", key="second").status == 200
    assert people.order() == list(FIVE)


def test_the_customers_former_signup_does_not_show_the_new_token(people: Admissions) -> None:
    leaves(people)
    people.reinstate("cyd")
    refused(people.sign_up("cyd", key="signup-cyd"), 409, "already_on_list")


def test_an_entry_whose_rank_is_taken_stands_between_its_neighbours(people: Admissions) -> None:
    """A reinstated entry whose old rank (sort key) has been taken still stands between its old
    neighbours.
    """
    rank = people.recorded("cyd")["rank"]
    leaves(people)
    assert people.bump("eve", places=1, key="move").status == 200
    redis = people.world.redis
    queue = f"wl:{{{people.waitlist_id}}}:queue"
    redis.zadd(queue, {people.id_of("eve"): rank})
    assert people.reinstate("cyd").json["position"] == 3
    assert people.order() == ["ann", "bob", "cyd", "eve", "dan"]


@pytest.mark.parametrize("by", ["retry", "maintenance"])
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("end", [leaves, is_parked])
def test_a_reinstatement_that_is_cut_off_is_finished(
    people: Admissions,
    wire: Wire,
    end: Callable[[Admissions], None],
    step: int,
    by: str,
) -> None:
    """If a request to reinstate a customer crashes, repeating it completes the work. Once the
    request has written to DynamoDB, maintenance can complete it too (promises P2 and P3).
    """
    before = restored_values(people, "cyd")
    end(people)
    wire.arm(step, crash_after)
    is_cut = False
    try:
        people.reinstate("cyd", key="first", reason=REASON)
    except Crash:
        is_cut = True
    wire.disarm()
    if is_cut and by == "maintenance":
        people.world.maintain()
    assert people.reinstate("cyd", key="first", reason=REASON).json["position"] == 3
    assert people.order() == list(FIVE)
    assert restored_values(people, "cyd") == before
    assert people.events("cyd").count("reinstated") == 1
    people.world.maintain()
    assert people.order() == list(FIVE)
    assert people.stats().json["signed_up"] == 6


def test_maintenance_finishes_a_reinstatement_with_operator_and_reason(
    people: Admissions, wire: Wire
) -> None:
    leaves(people)
    cut_off_after_intent(people, wire)
    people.world.maintain()
    assert people.order() == list(FIVE)
    last = people.person("cyd").json["history"][-1]
    assert (last["event"], last["reason"]) == ("reinstated", REASON)
    assert last["by"].endswith("operator")


def cut_off_after_intent(people: Admissions, wire: Wire) -> None:
    for step in STEPS:
        wire.arm(step, crash_after)
        with pytest.raises(Crash):
            people.reinstate("cyd", reason=REASON)
        wire.disarm()
        if people.recorded("cyd")["status"] == "joining":
            return
    raise AssertionError("no step has written the intent")


def test_a_reinstatement_that_is_cut_off_and_removed_can_be_repeated(
    people: Admissions, wire: Wire
) -> None:
    before = restored_values(people, "cyd")
    leaves(people)
    cut_off_after_intent(people, wire)
    is_removed(people)
    assert people.order() == ["ann", "bob", "dan", "eve"]
    assert people.reinstate("cyd").status == 200
    assert people.order() == list(FIVE)
    assert restored_values(people, "cyd") == before


def test_an_erasure_within_a_reinstatement_leaves_nothing(people: Admissions, wire: Wire) -> None:
    leaves(people)
    cut_off_after_intent(people, wire)
    assert people.recorded("cyd")["intent"]["joining_reason"] == REASON
    # The second call to AWS is the erasure's first write. The erasure crashes right after it.
    wire.arm(1, crash_after)
    with pytest.raises(Crash):
        people.erase("cyd")
    wire.disarm()
    intent = people.recorded("cyd")["intent"]
    assert "joining_reason" not in intent, "an erasure removes reasons at once"
    people.world.maintain()
    assert people.person("cyd").status == 404
    refused(people.reinstate("cyd"), 404, "entry_not_found")
    assert people.order() == ["ann", "bob", "dan", "eve"]


def test_a_reinstated_entry_outlives_the_loss_of_redis(people: Admissions) -> None:
    """P3"""
    people.bump("cyd", priority=3)
    before = restored_values(people, "cyd")
    leaves(people)
    people.reinstate("cyd")
    token = people.token_of("cyd")
    people.world.redis.flushall()
    refused(people.poll("ann"), 503, "rebuilding")
    people.world.maintain()
    assert people.order() == ["cyd", "ann", "bob", "dan", "eve"]
    assert restored_values(people, "cyd") == before
    assert people.world.request("GET", people.entry("cyd"), token=token).status == 200


def test_during_a_rebuild_no_entry_is_reinstated(people: Admissions) -> None:
    is_parked(people)
    people.world.redis.flushall()
    refused(people.reinstate("cyd"), 503, "rebuilding")
    assert people.recorded("cyd")["status"] == "parked"
    people.world.maintain()
    assert people.reinstate("cyd").status == 200
    assert people.order() == list(FIVE)


def test_a_late_leave_of_the_former_stay_leaves_the_new_one(people: Admissions) -> None:
    """P2"""
    sent: list[Any] = []
    queue = people.world.services.queue
    original = type(queue).send

    def send(self: Any, request: Any) -> Any:
        sent.append(request)
        return original(self, request)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(queue), "send", send)
        leaves(people)
        people.reinstate("cyd")
    left, placed = sent[0], sent[-1]
    assert (type(left).__name__, type(placed).__name__) == ("Leave", "Insert")
    queue.send(left)
    assert people.order() == list(FIVE)
    people.world.advance(20 * 60)
    queue.send(left)
    assert people.order() == list(FIVE)


@settings(max_examples=10, deadline=None)
@given(
    ending=st.lists(st.sampled_from(FIVE), unique=True, min_size=1),
    back=st.permutations(FIVE),
    moves=st.lists(
        st.tuples(st.sampled_from(FIVE), st.sampled_from(["front", "back"])), max_size=4
    ),
)
def test_any_entries_come_back_in_any_order_to_the_same_queue(
    ending: list[str], back: list[str], moves: list[tuple[str, str]]
) -> None:
    people = new_people(Wire())
    for name, to in moves:
        assert people.bump(name, to=to).status == 200
    before = people.order()
    for name in ending:
        assert people.leave(name).status == 204
    for name in back:
        if name in ending:
            assert people.reinstate(name).status == 200
    assert people.order() == before
