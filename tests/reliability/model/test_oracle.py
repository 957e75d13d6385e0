"""The oracle notices each thing that can be wrong, where it alone is."""

from collections.abc import Callable

import pytest

from tests.reliability.model.desk import FIRST, WAITLIST_ID, id_of
from tests.reliability.model.observed import observe
from tests.reliability.model.oracle import judge
from tests.reliability.model.stage import Stage
from tools.local.dynamodb.items import Item
from waitlist_queue import keys

Mutant = Callable[[Stage], object]


def record_of(stage: Stage, name: str) -> Item:
    """Return the item of a record, a copy that takes its place."""
    key = (f"ENTRY#{WAITLIST_ID}#{id_of(name)}", "RECORD")
    stage.table.items[key] = dict(stage.table.items[key])
    return stage.table.items[key]


def lose_the_place(stage: Stage) -> None:
    stage.redis.raw.zrem(keys.queue(WAITLIST_ID), id_of("c"))


def lose_the_record(stage: Stage) -> None:
    del stage.table.items[f"ENTRY#{WAITLIST_ID}#{id_of('c')}", "RECORD"]


def leave_in_the_record_only(stage: Stage) -> None:
    record_of(stage, "c")["status"] = {"S": "left"}


def bring_back_the_admitted(stage: Stage) -> None:
    stage.redis.raw.hdel(keys.claims(WAITLIST_ID), id_of("a"))
    stage.redis.raw.zadd(keys.queue(WAITLIST_ID), {id_of("a"): 5})


def put_in_line_whoever_is_held(stage: Stage) -> None:
    stage.redis.raw.zadd(keys.queue(WAITLIST_ID), {id_of("b"): 5})


def admit_twice(stage: Stage) -> None:
    history = {key: item for key, item in stage.table.items.items() if "#admitted" in key[1]}
    ((pk, sk), item), *_ = history.items()
    stage.table.items[pk, sk.replace("#admitted", "0#admitted")] = item


def history_of(stage: Stage, name: str, word: str) -> tuple[str, str]:
    """Return the key of one event of a person."""
    pk = f"ENTRY#{WAITLIST_ID}#{id_of(name)}"
    return next(key for key in stage.table.items if key[0] == pk and key[1].endswith(f"#{word}"))


def lose_an_event(stage: Stage) -> None:
    del stage.table.items[history_of(stage, "c", "joined")]


def tell_an_event_twice(stage: Stage) -> None:
    pk, _ = key = history_of(stage, "b", "offered")
    later = "HISTORY#9999999999999999#offered"
    stage.table.items[pk, later] = stage.table.items[key] | {"sk": {"S": later}}


def tell_what_did_not_happen(stage: Stage) -> None:
    pk, _ = key = history_of(stage, "c", "joined")
    later = "HISTORY#9999999999999999#bumped"
    event = {"sk": {"S": later}, "event": {"S": "bumped"}}
    stage.table.items[pk, later] = stage.table.items[key] | event


def tell_in_another_order(stage: Stage) -> None:
    key = history_of(stage, "b", "offered")
    item = stage.table.items.pop(key)
    sooner = "HISTORY#0000000000000001#offered"
    stage.table.items[key[0], sooner] = item | {"sk": {"S": sooner}}


def tell_of_another_actor(stage: Stage) -> None:
    key = history_of(stage, "c", "joined")
    stage.table.items[key] = stage.table.items[key] | {"by": {"S": "somebody else"}}


def lose_a_reason(stage: Stage) -> None:
    key = history_of(stage, "b", "parked")
    stage.table.items[key] = {
        name: value for name, value in stage.table.items[key].items() if name != "reason"
    }


def tell_it_as_maintenance(stage: Stage) -> None:
    key = history_of(stage, "b", "parked")
    stage.table.items[key] = stage.table.items[key] | {"by": {"S": "maintenance"}}


def swap_the_order(stage: Stage) -> None:
    queue = keys.queue(WAITLIST_ID)
    ranks = {name: stage.redis.raw.zscore(queue, id_of(name)) for name in ("c", "e")}
    stage.redis.raw.zadd(queue, {id_of("c"): ranks["e"], id_of("e"): ranks["c"]})
    record, other = record_of(stage, "c"), record_of(stage, "e")
    record["rank"], other["rank"] = other["rank"], record["rank"]


def move_in_redis_only(stage: Stage) -> None:
    stage.redis.raw.zincrby(keys.queue(WAITLIST_ID), -1, id_of("c"))


def count_one_too_many(stage: Stage) -> None:
    stage.redis.raw.hincrby(keys.meta(WAITLIST_ID), "admitted", 1)


def count_an_attempt(stage: Stage) -> None:
    stage.redis.raw.hset(keys.attempts(WAITLIST_ID), id_of("c"), 1)


def change_the_token(stage: Stage) -> None:
    record_of(stage, "b")["claim_token"] = {"S": "1" * 40}


def shorten_the_hold(stage: Stage) -> None:
    stage.redis.raw.zincrby(keys.held(WAITLIST_ID), -1, id_of("b"))


def index_elsewhere(stage: Stage) -> None:
    record_of(stage, "c")["place"] = {"S": "INTENT#0"}


def turn_back_the_tickets(stage: Stage) -> None:
    stage.redis.raw.hset(keys.meta(WAITLIST_ID), "last_ticket", 1)


def leave_something_unsettled(stage: Stage) -> None:
    stage.redis.raw.zadd(keys.unsettled(WAITLIST_ID), {id_of("c"): 1})


def lose_everything(stage: Stage) -> None:
    stage.lose_redis()


MUTANTS: dict[Mutant, str] = {
    lose_the_place: "lost",
    lose_the_record: "record",
    leave_in_the_record_only: "record",
    bring_back_the_admitted: "revived",
    put_in_line_whoever_is_held: "twice",
    admit_twice: "twice",
    lose_an_event: "history",
    tell_an_event_twice: "history",
    tell_what_did_not_happen: "history",
    tell_in_another_order: "history",
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
    lose_everything: "cold",
}


@pytest.fixture
def held(stage: Stage) -> Stage:
    """c and e wait, b and d are held, a was admitted, and maintenance has nothing to do."""
    stage.begin(stage.moment_of("held"))
    stage.maintain_until_quiet()
    return stage


def kinds_of(stage: Stage) -> set[str]:
    line = stage.moment_of("held").line
    return {problem.kind for problem in judge({line}, observe(stage), stage.tokens)}


def test_nothing_is_wrong_where_nothing_was_done(held: Stage) -> None:
    assert held.tokens[FIRST].keys() == {"b", "d"}
    assert kinds_of(held) == set()


@pytest.mark.parametrize(
    ("mutant", "kind"), MUTANTS.items(), ids=[mutant.__name__ for mutant in MUTANTS]
)
def test_a_seeded_fault_is_noticed(held: Stage, mutant: Mutant, kind: str) -> None:
    mutant(held)
    assert kind in kinds_of(held)


def forget_the_segments_of_one(stage: Stage) -> None:
    stage.redis.raw.hdel(keys.tags(WAITLIST_ID), id_of("c"))


def index_one_at_another_rank(stage: Stage) -> None:
    member = stage.redis.raw.zrange(keys.segments(WAITLIST_ID), 0, 0)[0].decode()
    stage.redis.raw.zrem(keys.segments(WAITLIST_ID), member)
    segment, _, entry_id = member.split(":")
    stage.redis.raw.zadd(keys.segments(WAITLIST_ID), {f"{segment}:{5:016d}:{entry_id}": 0})


def change_the_attributes_in_the_record_only(stage: Stage) -> None:
    record_of(stage, "b")["attributes"] = {"S": '{"kind": "neither"}'}


@pytest.fixture
def segmented(stage: Stage) -> Stage:
    """The same, with segments by kind."""
    stage.begin(stage.moment_of("held, segments declared"))
    stage.maintain_until_quiet()
    return stage


def test_nothing_is_wrong_with_segments_that_are_built(segmented: Stage) -> None:
    assert kinds_of(segmented) == set()


@pytest.mark.parametrize(
    "mutant",
    [
        forget_the_segments_of_one,
        index_one_at_another_rank,
        change_the_attributes_in_the_record_only,
    ],
)
def test_whoever_is_in_a_wrong_segment_is_noticed(segmented: Stage, mutant: Mutant) -> None:
    mutant(segmented)
    assert kinds_of(segmented) == {"segment"}


@pytest.fixture
def parked(stage: Stage) -> Stage:
    """b was parked for a reason."""
    stage.begin(stage.moment_of("parked"))
    stage.maintain_until_quiet()
    return stage


@pytest.mark.parametrize("mutant", [lose_a_reason, tell_it_as_maintenance])
def test_the_actor_and_reason_of_an_answered_request_are_told(
    parked: Stage, mutant: Mutant
) -> None:
    ends, answered = {parked.moment_of("parked").line}, frozenset({"parked"})
    assert not judge(ends, observe(parked), parked.tokens, answered)
    mutant(parked)
    (problem,) = judge(ends, observe(parked), parked.tokens, answered)
    assert problem.kind == "history"


def test_maintenance_tells_what_it_finds_of_a_request_without_an_answer(parked: Stage) -> None:
    tell_it_as_maintenance(parked)
    assert not judge({parked.moment_of("parked").line}, observe(parked), parked.tokens)
