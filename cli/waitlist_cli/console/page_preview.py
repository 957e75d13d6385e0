"""Shows a preview of the customer page with settings that have not been saved yet."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from waitlist_cli.console.actions import Form, with_form
from waitlist_cli.console.content_policy import HEADER, content_policy, origin_of
from waitlist_cli.console.context import Console, waitlist_of
from waitlist_cli.console.customer_page import PATH as PAGE
from waitlist_cli.console.customer_page import STATES, typed_page, with_names
from waitlist_cli.console.messages import SPOKEN
from waitlist_cli.errors import Refused
from waitlist_cli.operations.declared import defaults
from waitlist_cli.operations.settings import NO_PAGE

PATH = f"{PAGE}/preview"
FILE = re.compile(r"[a-z0-9][a-z0-9.-]*")
PICTURES = ("logo_url", "header_url")
COLOUR = re.compile("#[0-9A-Fa-f]{6}")


def routes(console: Console) -> list[Route]:
    def preview(request: Request, form: Form) -> Response:
        """Remember the settings from the form, and return the frame with the preview."""
        waitlist_id = waitlist_of(request)
        page = with_names(typed_page(form))
        console.page_drafts[waitlist_id] = _showable(page)
        state, language = _chosen(form)
        return console.page(
            request,
            "customer_page_preview.html",
            waitlist_id=waitlist_id,
            state=state,
            language=language,
            is_saved=page == ((form.seen() or {}).get("page") or NO_PAGE),
        )

    def frame(request: Request) -> Response:
        waitlist_id = waitlist_of(request)
        page = _draft(console, waitlist_id)
        state, language = _chosen(request.query_params)
        # This frame shows the customer page, where the operator's notices must not appear. Keep the
        # notices for the console's next page.
        answer = console.pages.answer(
            request,
            "customer_page_frame.html",
            waitlist_id=waitlist_id,
            api=f"{request.base_url}lists/{waitlist_id}/page/preview/{state}/",
            has_place=state != "join",
            language=language,
        )
        pictures = [page[name] for name in PICTURES]
        answer.headers[HEADER] = content_policy(pictures, frame_ancestors="'self'")
        return answer

    def public_answer(request: Request) -> Response:
        waitlist_id = waitlist_of(request)
        found = console.api.call("GET", f"/v1/waitlists/{waitlist_id}")
        # The preview has no bot check, and shows the signup form even if the waitlist is closed.
        shown = {**found, "page": _draft(console, waitlist_id), "open": True, "line": "open"}
        shown.pop("bot_check", None)
        return JSONResponse(shown)

    def entry(request: Request) -> Response:
        """Return an example entry in the chosen state.

        Only the waitlist's settings come from the service.
        """
        waitlist = console.get(f"/{waitlist_of(request)}")
        state, _ = _chosen(request.path_params)
        return JSONResponse(_invented_entry(state, waitlist))

    def asset(request: Request) -> Response:
        content, media_type = _asset(console, request.path_params["file"])
        return Response(content, media_type=media_type)

    return [
        Route(PATH, with_form(preview), methods=["POST"]),
        Route(f"{PATH}/frame", frame),
        Route(f"{PATH}/{{state}}/v1/waitlists/{{asked}}", public_answer),
        Route(f"{PATH}/{{state}}/v1/waitlists/{{asked}}/entries/me", entry),
        Route(f"{PATH}/assets/latest/{{file}}", asset),
    ]


def _chosen(values: Mapping[str, str]) -> tuple[str, str]:
    """Return the state and the language that the preview shows."""
    state, language = values.get("state", ""), values.get("language", "")
    return state if state in STATES else "join", language if language in SPOKEN else ""


def _invented_entry(state: str, waitlist: Mapping[str, Any]) -> dict[str, Any]:
    """Return an example entry for a customer in this state, such as `waiting`."""
    is_waiting, now = state == "waiting", datetime.now(UTC)
    policy, numbers = waitlist["admission"] or defaults("admission"), waitlist["call_numbers"]
    ends = now + timedelta(seconds=policy["offer_seconds"])
    return {
        "entry_id": "a" * 26,
        "status": "waiting" if is_waiting else "offered",
        "position": 7 if is_waiting else None,
        "total": None if waitlist["hide_counts"] else 23,
        "priority": 0,
        "joined_at": now.isoformat(),
        "rank": 1 if is_waiting else None,
        "ready": True if is_waiting else None,
        "ready_ahead": 6 if is_waiting else None,
        "not_ready": None,
        "estimated_wait": {"seconds": 840, "low": 600, "high": 1200} if is_waiting else None,
        "estimate_unavailable": None,
        "offered_until": ends.isoformat() if state == "offered" else None,
        "call": {"to": "Room 2", "at": now.isoformat()} if state == "called" else None,
        "call_number": f"{numbers['prefix']}042" if numbers else None,
        "rest_until": None,
        "delayed_until": None,
        "confirm_by": None,
        "poll_after_seconds": 300,
    }


def _draft(console: Console, waitlist_id: str) -> dict[str, Any]:
    """Return the customer page's settings for the preview.

    Before the first preview, these are the saved settings. Afterwards, they are the settings in the
    form, even if they have not been saved.
    """
    if waitlist_id in console.page_drafts:
        return console.page_drafts[waitlist_id]
    return console.get(f"/{waitlist_id}")["page"] or NO_PAGE


def _showable(page: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings without any colour or picture that the service would refuse."""
    colour = page["colour"] if COLOUR.fullmatch(page["colour"] or "") else None
    pictures = {name: page[name] if origin_of(page[name]) else None for name in PICTURES}
    return {**page, "colour": colour, **pictures}


def _asset(console: Console, name: str) -> tuple[bytes, str]:
    """Return a file of the customer page. The console fetches each file only once."""
    if name not in console.page_files:
        if not FILE.fullmatch(name):
            raise Refused("The customer page has no such file.", "not_found", 404)
        found = console.api.http.get(f"/assets/latest/{name}")
        if not found.is_success:
            raise Refused("The customer page has no such file.", "not_found", 404)
        console.page_files[name] = found.content, found.headers.get("content-type", "")
    return console.page_files[name]
