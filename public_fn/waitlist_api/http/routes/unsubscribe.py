"""The unsubscribe URL in a mail's `List-Unsubscribe` header (RFC 8058).

A POST request unsubscribes the customer. GET and HEAD requests change nothing, because programs
that scan mail open links automatically.
"""

import re
from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.entries.unsubscribe import Unsubscriptions
from waitlist_api.errors import CodeRefused
from waitlist_api.http.errors import CODE_HEADER, code_of, problem
from waitlist_api.http.page.unsubscribe import POLICY, unsubscribe_page
from waitlist_api.http.routes.page import HTML, SAFE
from waitlist_api.settings.messages import LANGUAGES, language_of
from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_api.waitlists.configure import Waitlists
from waitlist_shared.errors import WaitlistError
from waitlist_shared.ids import WAITLIST_ID

UNSUBSCRIBE = "/v1/waitlists/<waitlist_id>/unsubscribe/<code>"
ONE_CLICK_ROUTE = "POST /v1/waitlists/{waitlist_id}/unsubscribe/{code}"
HEADERS: dict[str, str | list[str]] = {**SAFE, "Content-Security-Policy": POLICY}


def is_one_click(event: Mapping[str, Any]) -> bool:
    """Return whether this is a POST request that unsubscribes a customer."""
    # The request may come from any site, because the code in the path is the only credential.
    return event.get("routeKey") == ONE_CLICK_ROUTE


def unsubscribe_routes(
    waitlists: Waitlists, unsubscriptions: Unsubscriptions
) -> APIGatewayHttpRouter:
    """Return the routes for the unsubscribe URL."""
    router = APIGatewayHttpRouter()

    def answer(text: str, waitlist_id: str) -> Response[str]:
        settings = waitlists.cached(waitlist_id).settings
        return Response(200, HTML, _page(text, settings), HEADERS)

    def _page(text: str, settings: WaitlistSettings | None = None) -> str:
        language = language_of(router.current_event.headers.get("accept-language", ""))
        if not language and settings and settings.messages:
            language = settings.messages.language
        name = settings.name if settings else ""
        return unsubscribe_page(text, language or LANGUAGES[0], name)

    def refused(error: WaitlistError) -> Response[str]:
        found = problem(error)
        headers = {**found.headers, **HEADERS, "Content-Type": HTML, CODE_HEADER: code_of(error)}
        text = "failed" if found.status_code < 500 else "later"
        return Response(found.status_code, HTML, _page(text), headers)

    @router.get(UNSUBSCRIBE, include_in_schema=False)
    def ask(waitlist_id: str, code: str) -> Response[str]:
        try:
            _check_form(waitlist_id)
            unsubscriptions.check(waitlist_id, code)
            return answer("ask", waitlist_id)
        except WaitlistError as error:
            return refused(error)

    @router.post(UNSUBSCRIBE, include_in_schema=False)
    def unsubscribe(waitlist_id: str, code: str) -> Response[str]:
        try:
            _check_form(waitlist_id)
            unsubscriptions.end(waitlist_id, code)
            return answer("done", waitlist_id)
        except WaitlistError as error:
            return refused(error)

    return router


def _check_form(waitlist_id: str) -> None:
    if not re.fullmatch(WAITLIST_ID, waitlist_id):
        raise CodeRefused
