"""Tests for the oracle, which looks for problems in a case's final state. Each test creates one
kind of problem.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.reliability.model.client import FIRST, WAITLIST_ID, id_of
from tests.reliability.model.final_state import observe
from tests.reliability.model.oracle import judge
from tests.reliability.model.requests import sign_up
from tests.reliability.model.testbed import Testbed
from tools.local.dynamodb.items import Item
from waitlist_queue import keys

Mutant = Callable[[Testbed], object]


def record_of(testbed: Testbed, name: str) -> Item:
    """Return an entry's record.

    The test may change the record, because the table now contains a copy.
    """
    key = (f"ENTRY#{WAITLIST_ID}#{id_of(name)}", "RECORD")
    testbed.table.items[key] = dict(testbed.table.items[key])
    return testbed.table.items[key]


def set_field(testbed: Testbed, facet: str, **fields: Item) -> None:
    record = record_of(testbed, "b")
    record[facet] = {"M": {**record[facet]["M"], **fields}}


def lose_the_place(testbed: Testbed) -> None:
    testbed.redis.raw.zrem(keys.queue(WAITLIST_ID), id_of("c"))


def lose_the_record(testbed: Testbed) -> None:
    del testbed.table.items[f"ENTRY#{WAITLIST_ID}#{id_of('c')}", "RECORD"]


def leave_in_the_record_only(testbed: Testbed) -> None:
    record_of(testbed, "c")["status"] = {"S": "left"}


def bring_back_the_admitted(testbed: Testbed) -> None:
    testbed.redis.raw.hdel(keys.claims(WAITLIST_ID), id_of("a"))
    testbed.redis.raw.zadd(keys.queue(WAITLIST_ID), {id_of("a"): 5})


def put_a_held_entry_in_line(testbed: Testbed) -> None:
    testbed.redis.raw.zadd(keys.queue(WAITLIST_ID), {id_of("b"): 5})


def admit_twice(testbed: Testbed) -> None:
    history = {key: item for key, item in testbed.table.items.items() if "#admitted" in key[1]}
    ((pk, sk), item), *_ = history.items()
    testbed.table.items[pk, sk.replace("#admitted", "0#admitted")] = item


def history_of(testbed: Testbed, name: str, word: str) -> tuple[str, str]:
    pk = f"ENTRY#{WAITLIST_ID}#{id_of(name)}"
    return next(key for key in testbed.table.items if key[0] == pk and key[1].endswith(f"#{word}"))


def lose_an_event(testbed: Testbed) -> None:
    del testbed.table.items[history_of(testbed, "c", "joined")]


def tell_an_event_twice(testbed: Testbed) -> None:
    pk, _ = key = history_of(testbed, "b", "offered")
    later = "HISTORY#9999999999999999#offered"
    testbed.table.items[pk, later] = testbed.table.items[key] | {"sk": {"S": later}}


def tell_what_did_not_happen(testbed: Testbed) -> None:
    pk, _ = key = history_of(testbed, "c", "joined")
    later = "HISTORY#9999999999999999#bumped"
    event = {"sk": {"S": later}, "event": {"S": "bumped"}}
    testbed.table.items[pk, later] = testbed.table.items[key] | event


def give_two_events_one_stamp(testbed: Testbed) -> None:
    pk, sk = key = history_of(testbed, "b", "offered")
    same = sk.replace("#offered", "#edited")
    event = {"sk": {"S": same}, "event": {"S": "edited"}}
    testbed.table.items[pk, same] = testbed.table.items[key] | event


def forget_the_newest_stamp(testbed: Testbed) -> None:
    record_of(testbed, "b")["stamp"] = {"N": "1"}


def tell_in_another_order(testbed: Testbed) -> None:
    key = history_of(testbed, "b", "offered")
    item = testbed.table.items.pop(key)
    sooner = "HISTORY#0000000000000001#offered"
    testbed.table.items[key[0], sooner] = item | {"sk": {"S": sooner}}


def tell_of_another_actor(testbed: Testbed) -> None:
    key = history_of(testbed, "c", "joined")
    testbed.table.items[key] = testbed.table.items[key] | {"by": {"S": "another operator"}}


def lose_a_reason(testbed: Testbed) -> None:
    key = history_of(testbed, "b", "parked")
    testbed.table.items[key] = {
        name: value for name, value in testbed.table.items[key].items() if name != "reason"
    }


def record_it_as_maintenance(testbed: Testbed) -> None:
    key = history_of(testbed, "b", "parked")
    testbed.table.items[key] = testbed.table.items[key] | {"by": {"S": "maintenance"}}


def swap_the_order(testbed: Testbed) -> None:
    queue = keys.queue(WAITLIST_ID)
    ranks = {name: testbed.redis.raw.zscore(queue, id_of(name)) for name in ("c", "e")}
    testbed.redis.raw.zadd(queue, {id_of("c"): ranks["e"], id_of("e"): ranks["c"]})
    record, other = record_of(testbed, "c"), record_of(testbed, "e")
    record["rank"], other["rank"] = other["rank"], record["rank"]


def move_in_redis_only(testbed: Testbed) -> None:
    testbed.redis.raw.zincrby(keys.queue(WAITLIST_ID), -1, id_of("c"))


def count_one_too_many(testbed: Testbed) -> None:
    testbed.redis.raw.hincrby(keys.meta(WAITLIST_ID), "admitted", 1)


def count_an_attempt(testbed: Testbed) -> None:
    testbed.redis.raw.hset(keys.attempts(WAITLIST_ID), id_of("c"), 1)


def change_the_token(testbed: Testbed) -> None:
    set_field(testbed, "hold", token={"S": "1" * 40})


def shorten_the_hold(testbed: Testbed) -> None:
    testbed.redis.raw.zincrby(keys.held(WAITLIST_ID), -1, id_of("b"))


def index_elsewhere(testbed: Testbed) -> None:
    record_of(testbed, "c")["place"] = {"S": "INTENT#0"}


def turn_back_the_tickets(testbed: Testbed) -> None:
    testbed.redis.raw.hset(keys.meta(WAITLIST_ID), "last_ticket", 1)


def leave_something_unsettled(testbed: Testbed) -> None:
    testbed.redis.raw.zadd(keys.dirty(WAITLIST_ID), {id_of("c"): 1})


def let_one_in(testbed: Testbed) -> None:
    testbed.redis.raw.zadd(keys.inside(WAITLIST_ID), {id_of("c"): 1e14})


def lose_everything(testbed: Testbed) -> None:
    testbed.lose_redis()


MUTANTS: dict[Mutant, str] = {
    lose_the_place: "lost",
    lose_the_record: "record",
    leave_in_the_record_only: "record",
    bring_back_the_admitted: "revived",
    put_a_held_entry_in_line: "twice",
    admit_twice: "twice",
    lose_an_event: "history",
    tell_an_event_twice: "history",
    tell_what_did_not_happen: "history",
    tell_in_another_order: "history",
    give_two_events_one_stamp: "stamp",
    forget_the_newest_stamp: "stamp",
    tell_of_another_actor: "history",
    swap_the_order: "order",
    move_in_redis_only: "rank",
    count_one_too_many: "counter",
    count_an_attempt: "attempts",
    change_the_token: "hold",
    shorten_the_hold: "hold",
    index_elsewhere: "index",
    turn_back_the_tickets: "ticket",
    leave_something_unsettled: "unsettled",
    let_one_in: "inside",
    lose_everything: "cold",
}


@pytest.fixture
def held(testbed: Testbed) -> Testbed:
    testbed.begin(testbed.snapshot_of("held"))
    testbed.maintain_until_quiet()
    return testbed


def kinds_of(testbed: Testbed) -> set[str]:
    return {problem.kind for problem in judge({testbed.line}, observe(testbed), testbed.tokens)}


def test_an_unchanged_state_has_no_problems(held: Testbed) -> None:
    assert held.tokens[FIRST].keys() == {"b", "d"}
    assert kinds_of(held) == set()


@pytest.mark.parametrize(
    ("mutant", "kind"), MUTANTS.items(), ids=[mutant.__name__ for mutant in MUTANTS]
)
def test_a_seeded_fault_is_noticed(held: Testbed, mutant: Mutant, kind: str) -> None:
    mutant(held)
    assert kind in kinds_of(held)


def forget_the_segments_of_one(testbed: Testbed) -> None:
    testbed.redis.raw.hdel(keys.tags(WAITLIST_ID), id_of("c"))


def index_one_at_another_rank(testbed: Testbed) -> None:
    member = testbed.redis.raw.zrange(keys.segments(WAITLIST_ID), 0, 0)[0].decode()
    testbed.redis.raw.zrem(keys.segments(WAITLIST_ID), member)
    segment, _, entry_id = member.split(":")
    testbed.redis.raw.zadd(keys.segments(WAITLIST_ID), {f"{segment}:{5:016d}:{entry_id}": 0})


def change_the_attributes_in_the_record_only(testbed: Testbed) -> None:
    record_of(testbed, "b")["attributes"] = {"S": '{"kind": "neither"}'}


@pytest.fixture
def segmented(testbed: Testbed) -> Testbed:
    """Each kind of customer has its own segment."""
    testbed.begin(testbed.snapshot_of("held, segments declared"))
    testbed.maintain_until_quiet()
    return testbed


def test_finished_segments_have_no_problems(segmented: Testbed) -> None:
    assert kinds_of(segmented) == set()


@pytest.mark.parametrize(
    "mutant",
    [
        forget_the_segments_of_one,
        index_one_at_another_rank,
        change_the_attributes_in_the_record_only,
    ],
)
def test_a_wrong_segment_is_noticed(segmented: Testbed, mutant: Mutant) -> None:
    mutant(segmented)
    assert kinds_of(segmented) == {"segment"}


def lose_who_is_inside(testbed: Testbed) -> None:
    testbed.redis.raw.zrem(keys.inside(WAITLIST_ID), id_of("b"))


def record_another_end_of_the_pass(testbed: Testbed) -> None:
    set_field(testbed, "end", inside_until_millis={"N": "1"})


def record_the_admission_late(testbed: Testbed) -> None:
    admitted_millis = int(record_of(testbed, "b")["end"]["M"]["admitted_millis"]["N"])
    set_field(testbed, "end", admitted_millis={"N": str(admitted_millis + 180_000)})


@pytest.mark.parametrize(
    "mutant",
    [None, lose_who_is_inside, record_another_end_of_the_pass, record_the_admission_late],
)
def test_a_customer_who_is_wrongly_inside_is_noticed(
    testbed: Testbed, mutant: Mutant | None
) -> None:
    testbed.begin(testbed.snapshot_of("inside"))
    testbed.maintain_until_quiet()
    if mutant:
        mutant(testbed)
    found = judge({testbed.line}, observe(testbed), testbed.tokens)
    assert {problem.kind for problem in found} == ({"inside"} if mutant else set())


def give_a_slot_back_twice(testbed: Testbed) -> None:
    testbed.redis.raw.hincrby(keys.meta(WAITLIST_ID), "scheduled", 1)


def forget_the_payment(testbed: Testbed) -> None:
    testbed.redis.raw.hdel(keys.claims(WAITLIST_ID), f"{id_of('b')}:paid")


@pytest.mark.parametrize("mutant", [None, give_a_slot_back_twice, forget_the_payment])
def test_an_additional_slot_and_a_missing_slot_are_noticed(
    testbed: Testbed, mutant: Mutant | None
) -> None:
    testbed.begin(testbed.snapshot_of("slot of a schedule"))
    if mutant:
        mutant(testbed)
    end = testbed.line
    found = judge({end}, observe(testbed), testbed.tokens)
    kinds = {problem.kind for problem in found} - {"unsettled", "twice"}
    assert kinds == ({"slot"} if mutant else set())


def test_an_additional_slot_is_noticed_even_after_a_loss(testbed: Testbed) -> None:
    """If Redis has lost its data, slots may be missing. The oracle must accept missing slots but
    report extra ones.
    """
    testbed.begin(testbed.snapshot_of("slot of a schedule"))
    end = testbed.line
    for mutant, kinds in ((forget_the_payment, set()), (give_a_slot_back_twice, {"slot"})):
        mutant(testbed)
        found = replace(observe(testbed), is_first_life=False)
        problems = judge({end}, found, testbed.tokens)
        assert {problem.kind for problem in problems} - {"unsettled", "twice"} == kinds


def lose_the_number(testbed: Testbed) -> None:
    del record_of(testbed, "b")["joined"]["M"]["call_number"]


def give_a_number_twice(testbed: Testbed) -> None:
    key = history_of(testbed, "c", "joined")
    testbed.table.items[key] = testbed.table.items[key] | {"call_number": {"S": "A001"}}


@pytest.mark.parametrize("mutant", [None, lose_the_number, give_a_number_twice])
def test_a_lost_number_and_a_repeated_number_are_noticed(
    testbed: Testbed, mutant: Mutant | None
) -> None:
    testbed.begin(testbed.snapshot_of("numbered, left"))
    end = sign_up("b", "again").effect(testbed.line)[0]
    testbed.elsewhere.sign_up("b", "again")
    testbed.maintain_until_quiet()
    if mutant:
        mutant(testbed)
    found = judge({end}, observe(testbed), testbed.tokens)
    assert {problem.kind for problem in found} == ({"number"} if mutant else set())


def items_of(testbed: Testbed, start: str) -> list[tuple[str, str]]:
    return sorted(key for key in testbed.table.items if key[0].startswith(start))


def lose_an_invitee(testbed: Testbed) -> None:
    del testbed.table.items[items_of(testbed, "INVITEES#")[0]]


def change_an_invitee(testbed: Testbed) -> None:
    key = items_of(testbed, "INVITEES#")[0]
    testbed.table.items[key] = testbed.table.items[key] | {"state": {"S": "missed"}}


def continue_the_invitation(testbed: Testbed) -> None:
    (key,) = (key for key in items_of(testbed, "INVITATIONS#") if key[1].startswith("ID#"))
    testbed.table.items[key] = testbed.table.items[key] | {"running": {"BOOL": True}}


@pytest.mark.parametrize(
    "mutant", [None, lose_an_invitee, change_an_invitee, continue_the_invitation]
)
def test_a_wrong_funnel_and_an_endless_invitation_are_noticed(
    testbed: Testbed, mutant: Mutant | None
) -> None:
    testbed.begin(testbed.snapshot_of("invited"))
    if mutant:
        mutant(testbed)
    found = judge({testbed.line}, observe(testbed), testbed.tokens)
    kinds = {problem.kind for problem in found} - {"unsettled"}
    assert kinds == ({"invitation"} if mutant else set())


def ask_in_the_record_only(testbed: Testbed) -> None:
    testbed.redis.raw.hdel(keys.readiness(WAITLIST_ID), id_of("b"))


def end_the_question(testbed: Testbed) -> None:
    set_field(testbed, "question", unanswered={"BOOL": True})


@pytest.mark.parametrize("mutant", [None, ask_in_the_record_only, end_the_question])
def test_a_wrong_question_is_noticed(testbed: Testbed, mutant: Mutant | None) -> None:
    testbed.begin(testbed.snapshot_of("question asked"))
    testbed.maintain_until_quiet()
    if mutant:
        mutant(testbed)
    assert kinds_of(testbed) == ({"question"} if mutant else set())


@pytest.fixture
def parked(testbed: Testbed) -> Testbed:
    testbed.begin(testbed.snapshot_of("parked"))
    testbed.maintain_until_quiet()
    return testbed


@pytest.mark.parametrize("mutant", [lose_a_reason, record_it_as_maintenance])
def test_the_history_has_actor_and_reason_of_an_answered_request(
    parked: Testbed, mutant: Mutant
) -> None:
    ends, answered = {parked.line}, frozenset({"parked"})
    assert not judge(ends, observe(parked), parked.tokens, answered)
    mutant(parked)
    (problem,) = judge(ends, observe(parked), parked.tokens, answered)
    assert problem.kind == "history"


def test_maintenance_may_record_an_unanswered_request(parked: Testbed) -> None:
    record_it_as_maintenance(parked)
    assert not judge({parked.line}, observe(parked), parked.tokens)
