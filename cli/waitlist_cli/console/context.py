"""What every part of the console works with: service, pages, and the memory of this run."""

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


@dataclass(frozen=True)
class Console:
    """`notices` are shown by the next page; `claims` has those made here, by list and entry."""

    api: Api
    pages: Pages
    notices: deque[str] = field(default_factory=lambda: deque(maxlen=5))
    claims: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    # The columns that the operator has chosen for a list.
    columns: dict[str, list[str]] = field(default_factory=dict)
    searches: Searches = field(default_factory=Searches)
    # The settings of a page that is being written, by list, and the files of the customer's page.
    page_drafts: dict[str, dict[str, Any]] = field(default_factory=dict)
    page_files: dict[str, tuple[bytes, str]] = field(default_factory=dict)

    def get(self, path: str, **params: str | int) -> Any:
        return self.api.operator("GET", path, params=params)

    def page(self, request: Request, template: str, **values: Any) -> HTMLResponse:
        """Render a page; with `every`, the browser asks for it again after so many seconds."""
        is_part = request.headers.get("hx-request") == "true"
        # Not in a part, which has no place for them.
        notices = [] if is_part else [self.notices.popleft() for _ in range(len(self.notices))]
        defaults = {"every": None, "notices": notices, "query": request.url.query}
        return self.pages.answer(request, template, **{**defaults, **values})

    def person(self, waitlist_id: str, entry_id: str) -> dict[str, Any]:
        """Return an entry, with the token of the claim that this console made, if it lasts."""
        found = self.get(f"/{waitlist_id}/entries/{entry_id}")
        claim = self.claims.get((waitlist_id, entry_id))
        # A hold that ended counts as an attempt, so that another claim has another number.
        lasts = (
            claim is not None
            and found["status"] == "offered"
            and found["offered_until"] is None
            and found["attempts"] == claim["attempts"]
        )
        return {**found, "claim_token": claim["claim_token"] if claim and lasts else None}

    def columns_of(self, waitlist: Document, people: Sequence[Document]) -> Columns:
        """Return the fields that are columns of a table of people."""
        return columns_of(waitlist, people, self.columns.get(waitlist["waitlist_id"]))

    def done(self, notice: str, to: str | None = None, code: str = "", key: str = "") -> Response:
        """Return the answer to an action: close the dialog, or go to another page.

        A notice with a `code`, to be copied, stays until the operator dismisses it. A form that
        stays open gets another `key`, for its next request.
        """
        if to is not None:
            self.notices.append(notice)
            return Response(headers={"HX-Redirect": to})
        html = self.pages.html("done.html", notice=notice, code=code, key=key)
        return HTMLResponse(html, headers={"HX-Trigger": "done"})


def waitlist_of(request: Request) -> str:
    """Return the waitlist id of an address; raises WrongUsage."""
    return checked_waitlist_id(request.path_params["waitlist"])


def entry_of(request: Request) -> str:
    """Return the entry id of an address; raises WrongUsage."""
    entry_id = str(request.path_params["entry"])
    if not ENTRY_ID.fullmatch(entry_id):
        raise WrongUsage(f"{entry_id!r} is not an entry id.")
    return entry_id
