"""The table of operations: a row each, and every fault and every pair takes it from here."""

from dataclasses import dataclass

from proof.asks import (
    Ask,
    bump,
    claim,
    complete,
    erase,
    extend,
    leave,
    notice_ends,
    nothing_changes,
    park,
    redrive,
    release,
    sign_up,
)
from proof.beginnings import SIGNUP
from proof.desk import Desk


@dataclass(frozen=True)
class Operation:
    """What is asked, and in which beginnings (by name) that makes sense.

    `is_cold` adds the beginnings as they are when Redis has been lost.
    """

    name: str
    beginnings: tuple[str, ...]
    ask: Ask
    is_cold: bool = False

    def __str__(self) -> str:
        return self.name


REPEAT = "the-request"
_look = Ask(lambda desk: desk.look("b"), nothing_changes)
_rebuild = Ask(Desk.maintain, nothing_changes)

OPERATIONS: tuple[Operation, ...] = (
    Operation("signup", ("absent", "full", "erased"), sign_up("b", key=REPEAT)),
    Operation("signup again", ("waiting", "held"), sign_up("b", key=SIGNUP)),
    Operation("rejoin", ("left", "left and full", "admitted", "dequeued"), sign_up("b", "again")),
    Operation("leave", ("waiting",), leave("b")),
    Operation("remove", ("held", "parked"), leave("b", by="operator")),
    Operation("erase", ("waiting", "held", "left"), erase("b")),
    Operation("bump to a priority", ("waiting",), bump("b", "p", priority=7)),
    Operation("bump by places", ("waiting", "released"), bump("b", "n", places=1)),
    Operation("bump to the front", ("waiting",), bump("b", "f", to="front")),
    Operation("bump to the back", ("waiting",), bump("b", "l", to="back")),
    Operation("claim", ("waiting", "over"), claim(3, REPEAT)),
    Operation("claim without a key", ("waiting",), claim(3, "")),
    Operation("claim the newest", ("waiting",), claim(2, "newest", newest=True)),
    Operation("dequeue", ("waiting",), claim(3, "dequeue", at_once=True)),
    Operation("complete", ("held",), complete("b")),
    Operation("release", ("held",), release("b")),
    Operation("release to the back", ("held",), release("b", to="back")),
    Operation("extend", ("held",), extend("b")),
    Operation("park", ("held",), park("b")),
    Operation("redrive", ("parked",), redrive("b")),
    Operation("redrive to the back", ("parked",), redrive("b", to="back")),
    Operation("expiry", ("over", "worn out"), notice_ends()),
    Operation("rebuild", ("held", "parked", "left"), _rebuild, is_cold=True),
)
BY_NAME = {operation.name: operation for operation in OPERATIONS}
