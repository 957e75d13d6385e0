"""Routes that serve a waitlist's customer page and its files. The OpenAPI document omits them."""

import re

from aws_lambda_powertools.event_handler import Response
from msgspec import Struct

from waitlist_api.bots.check import BotCheck
from waitlist_api.errors import NoSuchRoute, WaitlistNotFound
from waitlist_api.http.errors import problem
from waitlist_api.http.etags import is_named
from waitlist_api.http.operation import anyone
from waitlist_api.http.page.files import SHELL, VIEWS, asset, etag_of, version
from waitlist_api.http.page.shell import content_security_policy, document
from waitlist_api.http.request import Request
from waitlist_api.settings.page import PageSettings
from waitlist_api.settings.stack import Stack
from waitlist_api.waitlists.configure import Waitlists
from waitlist_shared.errors import WaitlistError
from waitlist_shared.ids import WAITLIST_ID

HTML = "text/html; charset=utf-8"
PAGE_CACHE = "public, max-age=60"
# The URL contains a digest of the files, so the content at a URL never changes.
FOR_EVER = "public, max-age=31536000, immutable"
# Other sites can use this word instead of a version in the URL of a file. The URL then always leads
# to the current file.
LATEST = "latest"
FOR_A_WHILE = "public, max-age=300"
SAFE = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
Headers = dict[str, str]


class Routes(Struct, frozen=True):
    waitlists: Waitlists
    bot_check: BotCheck | None
    stack: Stack
    request: Request

    def _answer(self, text: str, content_type: str, etag: str, headers: Headers) -> Response[str]:
        """Return the text, or a 304 response if the browser already has this version."""
        headers = {**SAFE, **headers, "ETag": etag, "Vary": "Accept-Encoding, Origin"}
        if is_named(etag, self.request.header("if-none-match"), weakly=True):
            return Response(304, content_type, "", headers, compress=False)
        return Response(200, content_type, text, headers)

    @anyone(compresses=True)
    def get_page(self, waitlist_id: str) -> Response[str]:
        return self._document(waitlist_id, SHELL)

    @anyone(compresses=True)
    def get_view(self, waitlist_id: str, view: str) -> Response[str]:
        """Return a page for a device that many people share, such as the kiosk."""
        if view not in VIEWS:
            raise NoSuchRoute
        return self._document(waitlist_id, VIEWS[view])

    def _document(self, waitlist_id: str, shell: str) -> Response[str]:
        try:
            if not re.fullmatch(WAITLIST_ID, waitlist_id):
                raise WaitlistNotFound
            settings = self.waitlists.cached(waitlist_id).settings
        except WaitlistError as error:
            return _page_of(error, waitlist_id, shell)
        text = document(
            waitlist_id,
            settings.name,
            settings.page,
            shell,
            has_accounts=self.stack.has_accounts,
        )
        policy = content_security_policy(
            settings.page, self.bot_check.provider if self.bot_check else None
        )
        headers = {"Cache-Control": PAGE_CACHE, "Content-Security-Policy": policy}
        return self._answer(text, HTML, etag_of(text + policy), headers)

    @anyone(compresses=True)
    def get_asset(self, edition: str, file: str) -> Response[str]:
        found = asset(file)
        if found is None:
            raise NoSuchRoute
        if edition not in (version(), LATEST):
            # The URL contains an unknown version of the files, which can happen during a
            # deployment. Redirect to the URL with the current version, and do not let caches store
            # the redirect.
            headers = {**SAFE, "Location": f"../{version()}/{file}", "Cache-Control": "no-store"}
            return Response(307, found.content_type, "", headers, compress=False)
        cache = FOR_EVER if edition == version() else FOR_A_WHILE
        return self._answer(found.text, found.content_type, found.etag, {"Cache-Control": cache})


def _page_of(error: WaitlistError, waitlist_id: str, shell: str) -> Response[str]:
    """Return the page for a waitlist that could not be read.

    The page shows the error to the customer, and its script retries automatically.
    """
    refused = problem(error)
    default = content_security_policy(PageSettings())
    headers = {
        **SAFE,
        **refused.headers,
        "Content-Type": HTML,
        "Content-Security-Policy": default,
    }
    text = document(waitlist_id, "", shell=shell)
    return Response(refused.status_code, HTML, text, headers)
