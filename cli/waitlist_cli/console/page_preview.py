"""Shows a preview of the customer page with settings that have not been saved yet."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from waitlist_cli.console.actions import Form, with_form
from waitlist_cli.console.context import Console, waitlist_of
from waitlist_cli.console.customer_page import PATH as PAGE
from waitlist_cli.console.customer_page import typed_page
from waitlist_cli.errors import Refused
from waitlist_cli.operations.settings import NO_PAGE

PATH = f"{PAGE}/preview"
FILE = re.compile(r"[a-z0-9][a-z0-9.-]*")
COLOUR = re.compile("#[0-9A-Fa-f]{6}")
# Matches an origin that can be inserted safely into a Content-Security-Policy.
ORIGIN = re.compile(r"https://[A-Za-z0-9.-]+(:[0-9]{1,5})?")


def routes(console: Console) -> list[Route]:
    def preview(request: Request, form: Form) -> Response:
        """Remember the settings from the form, and return the frame with the preview."""
        waitlist_id = waitlist_of(request)
        console.page_drafts[waitlist_id] = _showable(typed_page(form))
        return console.page(request, "customer_page_preview.html", waitlist_id=waitlist_id)

    def frame(request: Request) -> Response:
        waitlist_id = waitlist_of(request)
        page = _draft(console, waitlist_id)
        answer = console.page(request, "customer_page_frame.html", waitlist_id=waitlist_id)
        answer.headers["Content-Security-Policy"] = _policy(page)
        return answer

    def public_answer(request: Request) -> Response:
        waitlist_id = waitlist_of(request)
        found = console.api.call("GET", f"/v1/waitlists/{waitlist_id}")
        # The preview does not load the bot check. It shows the form for joining even if the
        # waitlist is closed.
        shown = {**found, "page": _draft(console, waitlist_id), "open": True, "line": "open"}
        shown.pop("bot_check", None)
        return JSONResponse(shown)

    def asset(request: Request) -> Response:
        content, media_type = _asset(console, request.path_params["file"])
        return Response(content, media_type=media_type)

    return [
        Route(PATH, with_form(preview), methods=["POST"]),
        Route(f"{PATH}/frame", frame),
        Route(f"{PATH}/v1/waitlists/{{asked}}", public_answer),
        Route(f"{PATH}/assets/latest/{{file}}", asset),
    ]


def _draft(console: Console, waitlist_id: str) -> dict[str, Any]:
    """Return the settings that the preview shows.

    These are the unsaved settings of the form, or the saved settings if the form has not been
    previewed yet.
    """
    if waitlist_id in console.page_drafts:
        return console.page_drafts[waitlist_id]
    return console.get(f"/{waitlist_id}")["page"] or NO_PAGE


def _showable(page: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings, but leave out a colour or a logo that the service would refuse."""
    colour = page["colour"] if COLOUR.fullmatch(page["colour"] or "") else None
    return {**page, "colour": colour, "logo_url": page["logo_url"] if _origin(page) else None}


def _origin(page: Mapping[str, Any]) -> str:
    """Return the origin of the URL of the page's logo. Return "" if the page has no valid logo."""
    try:
        parts = urlsplit(page["logo_url"] or "")
    except ValueError:
        return ""
    origin = f"{parts.scheme}://{parts.netloc}"
    return origin if ORIGIN.fullmatch(origin) else ""


def _policy(page: Mapping[str, Any]) -> str:
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            f"img-src 'self' {_origin(page)}".strip(),
            "connect-src 'self'",
            "frame-ancestors 'self'",
            "base-uri 'none'",
        )
    )


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
