"""The operations that are struck: what stands before, what is asked, how it may end."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.faults_claims.beginnings import (
    Prepare,
    admitted,
    back_in_line,
    cold,
    dequeued,
    forgotten,
    held,
    held_again,
    in_redis_only,
    leaving,
    line,
    parked,
    stay,
    worn_out,
)
from tests.faults_claims.scene import LEASE_SECONDS, LONG_SECONDS, MAX_ATTEMPTS, Scene
from tests.support.gateway import Answer
from waitlist_shared import contracts as c
from waitlist_shared.errors import WaitlistError

KEY = "the-same-request"
Request = Callable[[Scene], Answer]
DONE = Answer(204, {}, "")


@dataclass(frozen=True)
class Operation:
    """`done` and `undone` match `Scene.ending` when the operation took effect, and when not.

    `holds` yields what is wrong with an acknowledged answer while nothing has expired yet.
    `may_be_refused` is the code by which a retry may find that Redis, lost, has it otherwise.
    """

    name: str
    prepare: Prepare
    request: Request
    done: str
    undone: str
    holds: Callable[[Scene, Answer], Iterator[str]] = lambda _scene, _answer: iter(())
    may_be_refused: str = ""

    def __str__(self) -> str:
        return self.name

    def may_end(self, ending: str, is_acknowledged: bool) -> bool:
        patterns = [self.done] if is_acknowledged else [self.done, self.undone]
        return any(re.fullmatch(pattern, ending) for pattern in patterns)


def _the_minute(scene: Scene) -> Answer:
    try:
        scene.world.services.caretaker.look_after_all()
    except WaitlistError as error:
        return Answer(503, {}, error.code)
    return DONE


def _tokens_are_good(scene: Scene, answer: Answer) -> Iterator[str]:
    for claim in answer.json["claims"]:
        name = scene.desk.names[claim["entry_id"]]
        told = scene.desk.extend(name, claim["claim_token"])
        if told.status != 200:
            yield f"the token of {name} was given out and is refused: {told.text}"


def _are_admitted(scene: Scene, answer: Answer) -> Iterator[str]:
    told = answer.json
    for one in told.get("claims", [told]):
        name = scene.desk.names[one["entry_id"]]
        if one["status"] != "admitted" or scene.desk.complete(name).status != 200:
            yield f"{name} was admitted and is not: {scene.desk.complete(name).text}"


def _is_held_for_long(scene: Scene, _: Answer) -> Iterator[str]:
    scene.world.advance(LONG_SECONDS - 3 * LEASE_SECONDS)
    if "a" in scene.desk.claimed(4):
        yield "a was held for longer and was given out"


ALL = "a b c d"
LAST = "b c d a"
ONCE = "a1 b c d"
ADMITTED = "b c d; a admitted"
PARKED = "b c d; a parked"
LEFT = "b c d; a left"
GONE = "b c d"
REJOINED = LAST
ANY_ATTEMPTS = "a1? b1? c1? d1?"
# Whom a lost answer named may be admitted all the same.
SOME_ADMITTED = r"(a1? ?)?(b1? ?)?(c1? ?)?(d1?)?(; [a-d] admitted)*"

OPERATIONS = (
    Operation(
        "claim",
        line,
        lambda scene: scene.desk.claim(2, key=KEY),
        ANY_ATTEMPTS,
        ANY_ATTEMPTS,
        _tokens_are_good,
    ),
    Operation(
        "claim, no key",
        line,
        lambda scene: scene.desk.claim(1),
        ANY_ATTEMPTS,
        ANY_ATTEMPTS,
        _tokens_are_good,
    ),
    Operation(
        "claim of one who is leaving",
        leaving,
        lambda scene: scene.desk.claim(2, key=KEY),
        "b1? c1? d1?; a left",
        "b1? c1? d1?; a left",
        _tokens_are_good,
    ),
    Operation(
        "claim of one whose hold is over",
        held_again,
        lambda scene: scene.desk.claim(1, key=KEY),
        "a[12] b1? c1? d1?",
        "a[12] b1? c1? d1?",
        _tokens_are_good,
    ),
    Operation(
        "dequeue",
        line,
        lambda scene: scene.desk.claim(2, key=KEY, complete=True),
        SOME_ADMITTED,
        SOME_ADMITTED,
        _are_admitted,
    ),
    *(
        Operation(
            f"complete{where}",
            prepare,
            lambda scene: scene.desk.complete("a"),
            ADMITTED,
            ONCE,
            _are_admitted,
        )
        for where, prepare in {
            "": held,
            ", Redis cold": cold(held),
            ", hold forgotten": forgotten(held),
        }.items()
    ),
    Operation("release", held, lambda scene: scene.desk.release("a"), ALL, ONCE),
    Operation("release, Redis cold", cold(held), lambda scene: scene.desk.release("a"), ALL, ONCE),
    Operation(
        "release to the back", held, lambda scene: scene.desk.release("a", to="back"), LAST, ONCE
    ),
    Operation(
        "extend",
        held,
        lambda scene: scene.desk.extend("a", lease_seconds=LONG_SECONDS),
        "a1 b1? c1? d1?",
        ONCE,
        _is_held_for_long,
    ),
    Operation("park", held, lambda scene: scene.desk.park("a", reason="no show"), PARKED, ONCE),
    Operation("redrive", parked, lambda scene: scene.desk.redrive("a"), ALL, PARKED),
    Operation(
        "redrive, Redis cold", cold(parked), lambda scene: scene.desk.redrive("a"), ALL, PARKED
    ),
    Operation(
        "redrive, shelf forgotten",
        forgotten(parked),
        lambda scene: scene.desk.redrive("a"),
        ALL,
        PARKED,
    ),
    Operation(
        "redrive to the back",
        parked,
        lambda scene: scene.desk.redrive("a", to="back"),
        LAST,
        PARKED,
    ),
    Operation("remove of one held", held, lambda scene: scene.desk.remove("a"), LEFT, ONCE),
    Operation("remove of one parked", parked, lambda scene: scene.desk.remove("a"), LEFT, PARKED),
    Operation("erase of one held", held, lambda scene: scene.desk.erase("a"), GONE, ONCE),
    Operation(
        "bump of one whose hold is over",
        back_in_line,
        lambda scene: scene.desk.bump("a", key=KEY, to="back"),
        "b c d a1?",  # the attempt was recorded nowhere when Redis was lost
        "a1 b c d|b c d a1?",
        may_be_refused="not_waiting",
    ),
    Operation(
        "rejoin of one admitted",
        admitted,
        lambda scene: scene.desk.sign_up("a", key=KEY),
        REJOINED,
        ADMITTED,
    ),
    Operation(
        "rejoin of one dequeued",
        dequeued,
        lambda scene: scene.desk.sign_up("a", key=KEY),
        REJOINED,
        ADMITTED,
    ),
    *(
        Operation(f"the minute, {what}", prepare, _the_minute, done, done)
        for what, prepare, done in (
            ("hold over", held_again, ONCE),
            ("end unrecorded", back_in_line, ONCE),
            (
                "complete unrecorded",
                in_redis_only(lambda scene: c.Complete(**stay(scene))),
                f"{ADMITTED}|{ONCE}",
            ),
            (
                "release unrecorded",
                in_redis_only(lambda scene: c.Release(**stay(scene), to="back")),
                f"{LAST}|{ONCE}",
            ),
            (
                "park unrecorded",
                in_redis_only(lambda scene: c.Park(**stay(scene))),
                f"{PARKED}|{ONCE}",
            ),
            ("worn out", worn_out, f"b c d; a parked|a{MAX_ATTEMPTS - 1} b c d"),
        )
    ),
)
