"""What stands before an operation; `b` is the person that every operation is about.

Each has everybody's signups and one admission behind it, so that whatever takes Redis back some
writes takes acknowledged ones with it.
"""

from proof.asks import (
    Ask,
    claim,
    complete,
    erase,
    leave,
    let_holds_end,
    limit_to,
    park,
    release,
    sign_up,
)
from proof.desk import FIRST

EARLIEST = "the-first-admission"
SIGNUP = "the-signup"
Beginning = tuple[Ask, ...]

_admitted_one: Beginning = (claim(1, EARLIEST), complete("a", EARLIEST))
_hold: Beginning = (claim(2, FIRST, newest=True),)


def _signed_up(*names: str) -> Beginning:
    return tuple(sign_up(name, key=SIGNUP) for name in names)


ABSENT: Beginning = (*_signed_up("a", "c", "e", "d"), *_admitted_one)
WAITING: Beginning = (*_signed_up("a", "c", "e", "b", "d"), *_admitted_one)
HELD: Beginning = (*WAITING, *_hold)
FULL: Beginning = (*ABSENT, limit_to(3))
LEFT: Beginning = (*WAITING, leave("b"))
LEFT_AND_FULL: Beginning = (*LEFT, limit_to(3))
ADMITTED: Beginning = (*HELD, complete("b"))
DEQUEUED: Beginning = (*WAITING, claim(2, "at-once", newest=True, at_once=True))
PARKED: Beginning = (*HELD, park("b"))
OVER: Beginning = (*HELD, let_holds_end())
WORN_OUT: Beginning = (
    *WAITING,
    *(ask for number in (1, 2) for ask in (claim(2, f"{number}", newest=True), let_holds_end())),
    *_hold,
    let_holds_end(),
)
RELEASED: Beginning = (*HELD, release("b"))
ERASED: Beginning = (*WAITING, erase("b"))

NAMES: dict[str, Beginning] = {
    "absent": ABSENT,
    "waiting": WAITING,
    "held": HELD,
    "full": FULL,
    "left": LEFT,
    "left and full": LEFT_AND_FULL,
    "admitted": ADMITTED,
    "dequeued": DEQUEUED,
    "parked": PARKED,
    "over": OVER,
    "worn out": WORN_OUT,
    "released": RELEASED,
    "erased": ERASED,
}
