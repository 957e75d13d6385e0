"""The unsubscribe URL in an email's `List-Unsubscribe` header (RFC 8058).

A POST request unsubscribes the customer. GET and HEAD requests change nothing, because programs
that scan email open links automatically.
"""

import re

from aws_lambda_powertools.event_handler import Response
from msgspec import Struct

from waitlist_api.entries.unsubscribe import Unsubscriptions
from waitlist_api.errors import CodeRefused
from waitlist_api.http.errors import problem
from waitlist_api.http.operation import anyone
from waitlist_api.http.page.unsubscribe import POLICY, unsubscribe_page
from waitlist_api.http.request import Request
from waitlist_api.http.routes.page import HTML, SAFE
from waitlist_api.settings.messages import LANGUAGES, language_of
from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_api.waitlists.configure import Waitlists
from waitlist_shared.errors import WaitlistError
from waitlist_shared.ids import WAITLIST_ID

HEADERS: dict[str, str | list[str]] = {**SAFE, "Content-Security-Policy": POLICY}


class Routes(Struct, frozen=True):
    waitlists: Waitlists
    unsubscriptions: Unsubscriptions
    request: Request

    def _answer(self, text: str, waitlist_id: str) -> Response[str]:
        settings = self.waitlists.cached(waitlist_id).settings
        return Response(200, HTML, self._page(text, settings), HEADERS)

    def _page(self, text: str, settings: WaitlistSettings | None = None) -> str:
        language = language_of(self.request.header("accept-language"))
        if not language and settings and settings.messages:
            language = settings.messages.language
        name = settings.name if settings else ""
        return unsubscribe_page(text, language or LANGUAGES[0], name)

    def _refused(self, error: WaitlistError) -> Response[str]:
        found = problem(error)
        headers = {**found.headers, **HEADERS, "Content-Type": HTML}
        text = "failed" if found.status_code < 500 else "later"
        return Response(found.status_code, HTML, self._page(text), headers)

    @anyone()
    def ask_to_unsubscribe(self, waitlist_id: str, code: str) -> Response[str]:
        try:
            _check_form(waitlist_id)
            self.unsubscriptions.check(waitlist_id, code)
            return self._answer("ask", waitlist_id)
        except WaitlistError as error:
            return self._refused(error)

    # This request may come from any site, because only the customer knows the code in the path.
    @anyone(checks_origin=False, media_types=())
    def unsubscribe(self, waitlist_id: str, code: str) -> Response[str]:
        try:
            _check_form(waitlist_id)
            self.unsubscriptions.end(waitlist_id, code)
            return self._answer("done", waitlist_id)
        except WaitlistError as error:
            return self._refused(error)


def _check_form(waitlist_id: str) -> None:
    if not re.fullmatch(WAITLIST_ID, waitlist_id):
        raise CodeRefused
