"""What a client hears of a request: done, refused, to be tried again, or nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from tests.reliability.model.desk import NAMES, Brought
from tests.support.faults import Crash
from waitlist_api.claims.lifecycle import Held
from waitlist_api.entries.position import EntryView
from waitlist_api.entries.signup import SignedUp
from waitlist_api.http.errors import RENAMED, STATUS
from waitlist_api.imports.rows import ImportedRow
from waitlist_shared.errors import WaitlistError

PASSING = (429, 503)
DEFECT = 500
Verdict = Literal["done", "refused", "passing", "silent", "defect"]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """`given` are those claimed: entry and token of each, in the order of the answer.

    `rows` says of each row of an import in one word what became of it.
    """

    verdict: Verdict
    code: str = ""
    status: str = ""
    position: int | None = None
    total: int | None = None
    given: tuple[tuple[str, str], ...] = ()
    rows: tuple[str, ...] = ()

    @property
    def is_final(self) -> bool:
        return self.verdict in ("done", "refused", "defect")

    def __str__(self) -> str:
        told = [self.verdict, self.code, self.status]
        place = [] if self.position is None else [f"{self.position} of {self.total}"]
        given = [f"{len(self.given)} given"] if self.given else []
        return " ".join([*filter(None, told), *place, *given, *self.rows])


def answer_of(ask: Callable[[], Any]) -> Answer:
    """Ask, and return what a client would hear."""
    try:
        return _done(ask())
    except Crash:
        return Answer(verdict="silent")
    except WaitlistError as error:
        return _refusal(error)
    except Exception as error:  # noqa: BLE001 -- whatever it is, a client hears of a defect
        return Answer(verdict="defect", code=repr(error))


def _refusal(error: WaitlistError) -> Answer:
    code = RENAMED.get(error.code, error.code)
    status = STATUS.get(code, DEFECT)
    if status == DEFECT:
        return Answer(verdict="defect", code=code)
    return Answer(verdict="passing" if status in PASSING else "refused", code=code)


def _done(told: Any) -> Answer:
    if isinstance(told, SignedUp | Held):
        told = told.view
    if isinstance(told, EntryView):
        return Answer(verdict="done", status=told.status, position=told.position, total=told.total)
    if isinstance(told, Brought):
        return Answer(verdict="done", rows=tuple(map(_word, told.people)))
    offers = told if isinstance(told, list) else []
    given = tuple((NAMES[offer.claim.entry_id], offer.claim.token) for offer in offers)
    return Answer(verdict="done", given=given)


def _word(one: ImportedRow) -> str:
    return str(one.refusal.code if one.refusal else one.outcome)
