"""Puts a request's outcome into one of five classes: done, refused, temporarily unavailable,
unanswered, or a bug in the service.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from tests.reliability.model.client import NAMES, Brought, Invited
from tests.support.faults import Crash
from waitlist_api.admission.holds import ActionResult
from waitlist_api.entries.join import SignedUp
from waitlist_api.entries.position import EntryView
from waitlist_api.http.errors import problem
from waitlist_api.imports.rows import ImportedRow
from waitlist_shared.errors import WaitlistError

PASSING = (429, 503)
DEFECT = 500
Verdict = Literal["done", "refused", "passing", "silent", "defect"]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A request's outcome.

    `given` contains the names and tokens of the claimed entries. `rows` contains a word for each
    row of an import.
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
        result = [self.verdict, self.code, self.status]
        place = [] if self.position is None else [f"{self.position} of {self.total}"]
        given = [f"{len(self.given)} given"] if self.given else []
        return " ".join([*filter(None, result), *place, *given, *self.rows])


def outcome_of(request: Callable[[], Any]) -> Outcome:
    try:
        return _done(request())
    except Crash:
        return Outcome(verdict="silent")
    except WaitlistError as error:
        return _refusal(error)
    except Exception as error:  # noqa: BLE001 -- a client gets a 500 for any other error
        return Outcome(verdict="defect", code=repr(error))


def _refusal(error: WaitlistError) -> Outcome:
    answer = problem(error)
    if answer.status_code == DEFECT:
        return Outcome(verdict="defect", code=error.code)
    code = json.loads(answer.body or "")["code"]
    return Outcome(verdict="passing" if answer.status_code in PASSING else "refused", code=code)


def _done(result: Any) -> Outcome:
    if isinstance(result, SignedUp | ActionResult):
        result = result.view
    if isinstance(result, EntryView):
        return Outcome(
            verdict="done", status=result.status, position=result.position, total=result.total
        )
    if isinstance(result, Brought):
        return Outcome(verdict="done", rows=tuple(map(_word, result.people)))
    if isinstance(result, Invited):
        return Outcome(verdict="done", given=tuple(result.tokens.items()))
    offers = result if isinstance(result, list) else []
    given = tuple((NAMES[offer.claim.entry_id], offer.claim.token) for offer in offers)
    return Outcome(verdict="done", given=given)


def _word(one: ImportedRow) -> str:
    return str(one.refusal.code if one.refusal else one.outcome)
