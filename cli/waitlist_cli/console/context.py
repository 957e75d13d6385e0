"""Holds the state that all the console's pages share."""

import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from waitlist_cli.client.api import Api
from waitlist_cli.client.ids import ENTRY_ID, checked_waitlist_id
from waitlist_cli.console.decisions import Decision, Decisions
from waitlist_cli.console.field_columns import Columns, Document, columns_of
from waitlist_cli.console.rendering import Pages
from waitlist_cli.console.searches import Searches
from waitlist_cli.errors import Refused, WrongUsage
from waitlist_cli.operations.action import Inverse, PersonAction
from waitlist_cli.operations.claim import CLAIM_PERSON, explain_lost_call, is_claimed
from waitlist_cli.operations.names import name_of
from waitlist_cli.operations.person import Person
from waitlist_cli.operations.poster import draw_code
from waitlist_cli.operations.settings import Change

MOST_UNDOS = 100
# How long a notice shows the *Undo* button if the action was sent at once.
UNDO_SHOWN_SECONDS = 60


@dataclass(frozen=True)
class Undo:
    """How an operator can undo an action.

    If there is a `decision`, the console drops it before it is sent to the service. If there is a
    `change` to settings, the console restores the former values, and the browser opens `page`.
    Otherwise, the console sends the requests in `inverses`.
    """

    waitlist_id: str
    inverses: Sequence[Inverse] = ()
    decision: Decision | None = None
    change: Change | None = None
    page: str = ""
    # The actions that have been carried out, in the format of `steps`.
    done: str = ""
    # The path that the *Undo* button posts to.
    path: str = ""
    # Each undo has its own idempotency key.
    key: str = field(default_factory=lambda: str(uuid.uuid4()))

    @property
    def undone_by(self) -> str:
        """The actions that would undo this one, in the format of `steps`.

        Once the operator has taken exactly these actions, the browser removes the *Undo* button,
        because nothing is left to undo.
        """
        return steps((inverse.action, inverse.entry_id) for inverse in self.inverses)


def steps(found: Iterable[tuple[str, str]]) -> str:
    """Return a text that identifies these actions, in whatever order they are given."""
    return " ".join(sorted(f"{action}/{entry_id}" for action, entry_id in found))


@dataclass(frozen=True)
class Undos:
    """The actions that can still be undone. The console remembers at most 100 of them."""

    _kept: dict[str, Undo] = field(default_factory=dict)
    # Maps an action's idempotency key to the person as they were before it. Only the latest actions
    # are kept.
    _before: dict[str, Document] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def keep(
        self,
        waitlist_id: str,
        inverses: Sequence[Inverse] = (),
        decision: Decision | None = None,
        done: Iterable[tuple[str, str]] = (),
        change: Change | None = None,
        page: str = "",
    ) -> Undo | None:
        """Remember how to undo an action. Return None if the action cannot be undone.

        `done` lists the actions that have been carried out, each as a pair of its name and the
        person's entry id.
        """
        if not (inverses or decision or (change and change.before)):
            return None
        number = str(next(self._numbers))
        path = f"/lists/{waitlist_id}/undo/{number}"
        self._kept[number] = Undo(waitlist_id, inverses, decision, change, page, steps(done), path)
        for oldest in list(self._kept)[:-MOST_UNDOS]:
            self.forget(oldest)
        return self._kept[number]

    def person_before(self, key: str, read: Callable[[], Document]) -> Document:
        """Return the person as they were before the action with this idempotency key.

        The first call reads the person. If the browser repeats the request, the person may have
        changed since then, so later calls return the first result.
        """
        if key not in self._before:
            self._before[key] = read()
            for oldest in list(self._before)[:-MOST_UNDOS]:
                self._before.pop(oldest, None)
        return self._before[key]

    def get(self, waitlist_id: str, number: str) -> Undo | None:
        found = self._kept.get(number)
        return found if found is not None and found.waitlist_id == waitlist_id else None

    def forget(self, number: str) -> None:
        self._kept.pop(number, None)


@dataclass(frozen=True)
class Notice:
    """A message about an action that an operator has taken."""

    text: str
    # A customer's secret that the operator can copy, such as a token.
    code: str = ""
    # None if the action cannot be undone.
    undo: Undo | None = None
    # True if `code` is a link. The notice then also shows it as a QR code for a customer at the
    # desk to scan.
    is_link: bool = False
    # How many seconds the *Undo* button is shown.
    undo_seconds: float = UNDO_SHOWN_SECONDS

    @property
    def qr(self) -> tuple[int, str]:
        """The link's QR code: the number of modules on each side, and an SVG path."""
        return draw_code(self.code)


@dataclass(frozen=True)
class Console:
    """The API client, the templates, and everything else that the console keeps while it runs."""

    api: Api
    pages: Pages
    # Notices that the next full page shows.
    notices: deque[Notice] = field(default_factory=lambda: deque(maxlen=5))
    # The claims that this console has made. The keys are pairs of a waitlist id and an entry id.
    claims: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    # Maps a waitlist id to the table columns that the operator has chosen for it.
    columns: dict[str, list[str]] = field(default_factory=dict)
    searches: Searches = field(default_factory=Searches)
    undos: Undos = field(default_factory=Undos)
    decisions: Decisions = field(default_factory=Decisions)
    # Maps a waitlist id to the customer page's unsaved settings, which the preview shows.
    page_drafts: dict[str, dict[str, Any]] = field(default_factory=dict)
    # Maps file names to the customer page's scripts and style sheets, which come from the service.
    page_files: dict[str, tuple[bytes, str]] = field(default_factory=dict)

    def get(self, path: str, **params: str | int) -> Any:
        return self.api.operator("GET", path, params=params)

    def page(self, request: Request, template: str, **values: Any) -> HTMLResponse:
        """Render a page from a template.

        The browser reloads the page every `every` seconds, or never if `every` is None.
        """
        is_part = request.headers.get("hx-request") == "true"
        # A part of a page shows no notices, so keep the notices until the browser loads a full
        # page.
        notices = [] if is_part else [self.notices.popleft() for _ in range(len(self.notices))]
        waitlist_id = request.path_params.get("waitlist", "")
        defaults = {
            "every": None,
            "notices": notices,
            "query": request.url.query,
            "failed_actions": self.decisions.problems_in(waitlist_id),
        }
        return self.pages.answer(request, template, **{**defaults, **values})

    def person(self, waitlist_id: str, entry_id: str) -> dict[str, Any]:
        """Return an entry. If this console has claimed the entry, add the claim token."""
        found = self.get(f"/{waitlist_id}/entries/{entry_id}")
        claim = self.claims.get((waitlist_id, entry_id))
        # If the number of attempts has changed, this console's claim has expired, and another
        # client has since claimed the entry.
        lasts = claim is not None and is_claimed(found) and found["attempts"] == claim["attempts"]
        return {**found, "claim_token": claim["claim_token"] if claim and lasts else None}

    def inverses_of(
        self, action: PersonAction, waitlist: Document, before: Document, body: Document
    ) -> Sequence[Inverse]:
        """Return the requests that undo an action that has just been taken on this person."""
        if action.inverse is None or not action.has_inverse_for(waitlist, before, body):
            return ()
        return action.inverse(before, self.person(waitlist["waitlist_id"], before["entry_id"]))

    def can_wait(
        self, action: PersonAction, waitlist: Document, person: Document, body: Document
    ) -> bool:
        """Return whether the console waits a few seconds before it sends this action.

        During these seconds, the operator can cancel the action. The console does not wait if a
        later request can reverse the action.
        """
        can_wait = action.can_wait and self.decisions.seconds > 0
        return can_wait and not action.can_be_inverted(waitlist, person, body)

    def decide(self, decision: Decision) -> Response:
        """Remember a decision, which is sent after a few seconds, and inform the operator."""
        kept = self.decisions.add(decision)
        seconds, text = self.decisions.seconds, self.decisions.announce(kept)
        undo = self.undos.keep(kept.waitlist_id, decision=kept)
        return self._shown(Notice(text, undo=undo, undo_seconds=seconds))

    def send(self, person: Person, action: PersonAction, **values: Any) -> Any:
        """Send the request for an action on a person, and return the service's response.

        If the action claims the person, this console remembers the claim.
        """
        try:
            answer = person.send(action, **values)
        except Refused as error:
            if action is not CLAIM_PERSON or error.code != "not_waiting":
                raise
            found, waitlist = person.show(), self.get(f"/{person.waitlist_id}")
            raise explain_lost_call(found, name_of(found, waitlist)) from error
        if action is CLAIM_PERSON:
            self.keep_claims(person.waitlist_id, [answer])
        return answer

    def keep_claims(self, waitlist_id: str, claims: Sequence[dict[str, Any]]) -> None:
        for claim in claims:
            self.claims[waitlist_id, claim["entry_id"]] = claim
            self.decisions.forget_sent(waitlist_id, claim["entry_id"])

    def columns_of(self, waitlist: Document, people: Sequence[Document]) -> Columns:
        """Return the columns of the table that lists these people."""
        return columns_of(waitlist, people, self.columns.get(waitlist["waitlist_id"]))

    def go_on(self, text: str, undo: Undo | None) -> Response:
        """Return the response to an action whose dialog stays open for use with the next person."""
        html = self.pages.html("added.html", notice=Notice(text, undo=undo), key=str(uuid.uuid4()))
        return HTMLResponse(html, headers={"HX-Trigger": "added"})

    def done(
        self,
        text: str,
        to: str | None = None,
        code: str = "",
        key: str = "",
        undo: Undo | None = None,
        *,
        is_link: bool = False,
    ) -> Response:
        """Return the response to a successful action.

        If `to` is given, the browser opens that page. Otherwise, it closes the dialog and shows a
        notice.

        If `code` is given, the operator can copy it from the notice. If `is_link` is true, the code
        is a link, which the notice also shows as a QR code.
        """
        notice = Notice(text, code, undo, is_link)
        if to is not None:
            self.notices.append(notice)
            return Response(headers={"HX-Redirect": to})
        return self._shown(notice, key)

    def _shown(self, notice: Notice, key: str = "") -> Response:
        html = self.pages.html("done.html", notice=notice, key=key)
        return HTMLResponse(html, headers={"HX-Trigger": "done"})


def waitlist_of(request: Request) -> str:
    """Return the waitlist id from the request's path. Raises WrongUsage if the id is not valid."""
    return checked_waitlist_id(request.path_params["waitlist"])


def entry_of(request: Request) -> str:
    """Return the entry id from the request's path. Raises WrongUsage if the id is not valid."""
    entry_id = str(request.path_params["entry"])
    if not ENTRY_ID.fullmatch(entry_id):
        raise WrongUsage(f"{entry_id!r} is not an entry id.")
    return entry_id
