"""Holds the state that all pages of the console share."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from waitlist_cli.client.api import Api
from waitlist_cli.client.ids import ENTRY_ID, checked_waitlist_id
from waitlist_cli.console.field_columns import Columns, Document, columns_of
from waitlist_cli.console.rendering import Pages
from waitlist_cli.console.searches import Searches
from waitlist_cli.errors import WrongUsage
from waitlist_cli.terminal.output import format_value


@dataclass(frozen=True)
class Console:
    """The API client, the templates, and everything that the console remembers while it runs."""

    api: Api
    pages: Pages
    # Notices that the next full page shows.
    notices: deque[str] = field(default_factory=lambda: deque(maxlen=5))
    # The claims that this console has made. The keys are pairs of a waitlist id and an entry id.
    claims: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    # Maps a waitlist id to the table columns that the operator has chosen for this waitlist.
    columns: dict[str, list[str]] = field(default_factory=dict)
    searches: Searches = field(default_factory=Searches)
    # Maps a waitlist id to unsaved settings of the customer page, which the preview shows.
    page_drafts: dict[str, dict[str, Any]] = field(default_factory=dict)
    # Maps a file name to a script or style sheet of the customer page. The files come from the
    # service.
    page_files: dict[str, tuple[bytes, str]] = field(default_factory=dict)

    def get(self, path: str, **params: str | int) -> Any:
        return self.api.operator("GET", path, params=params)

    def page(self, request: Request, template: str, **values: Any) -> HTMLResponse:
        """Render a page from a template.

        The browser reloads the page every `every` seconds, or never if `every` is None.
        """
        is_part = request.headers.get("hx-request") == "true"
        # Notices appear only on a full page. If the browser asked only for a part of a page, keep
        # the notices for the next full page.
        notices = [] if is_part else [self.notices.popleft() for _ in range(len(self.notices))]
        defaults = {"every": None, "notices": notices, "query": request.url.query}
        return self.pages.answer(request, template, **{**defaults, **values})

    def person(self, waitlist_id: str, entry_id: str) -> dict[str, Any]:
        """Return an entry. If this console has claimed the entry, add the claim token."""
        found = self.get(f"/{waitlist_id}/entries/{entry_id}")
        claim = self.claims.get((waitlist_id, entry_id))
        # If the number of attempts has changed, the claim of this console has expired in the
        # meantime, and another client has claimed the entry.
        lasts = (
            claim is not None
            and found["status"] == "offered"
            and found["offered_until"] is None
            and found["attempts"] == claim["attempts"]
        )
        return {**found, "claim_token": claim["claim_token"] if claim and lasts else None}

    def keep_claims(self, waitlist_id: str, claims: Sequence[dict[str, Any]]) -> None:
        self.claims.update({(waitlist_id, claim["entry_id"]): claim for claim in claims})

    def columns_of(self, waitlist: Document, people: Sequence[Document]) -> Columns:
        """Return the columns of the table in which these people are listed."""
        return columns_of(waitlist, people, self.columns.get(waitlist["waitlist_id"]))

    def done(self, notice: str, to: str | None = None, code: str = "", key: str = "") -> Response:
        """Return the response after an action has succeeded.

        If `to` is given, the browser opens this page. Otherwise it closes the dialog and shows the
        notice. A notice with a `code` to copy stays on the page until the operator closes it.
        """
        if to is not None:
            self.notices.append(notice)
            return Response(headers={"HX-Redirect": to})
        html = self.pages.html("done.html", notice=notice, code=code, key=key)
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


def name_of(person: Document) -> str:
    """Return the person's customer id. If the person has none, return the entry id."""
    return format_value(person["customer_id"] or person["entry_id"])
