"""Ensures that only the operator's own browser can use the console."""

import secrets
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from waitlist_cli.console.content_policy import HEADER, content_policy

SAFE_METHODS = ("GET", "HEAD")
TOKEN_SECONDS = 60
# The operator's browser posts the one-time token to this path.
ENTER = "/enter"
MOST_ENTER_BYTES = 1_000
HEADERS = {
    HEADER: content_policy(),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
# This page sets the session cookie and then opens `/`. A redirect would not work, because browsers
# send no SameSite=Strict cookie after a redirect from another site.
ENTRANCE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/">
<link rel="icon" href="/static/icon.svg"><title>Waitlist console</title>
<p><a href="/">Open the console</a></p></html>
"""


def _random() -> str:
    return secrets.token_urlsafe(32)


@dataclass
class Guard:
    """ASGI middleware that lets only the operator's browser use the console.

    A browser needs the session cookie, which it gets in exchange for a one-time token.
    """

    app: ASGIApp
    port: int
    clock: Callable[[], float] = time.monotonic
    # The random host name protects the session cookie. Browsers send a cookie to every port of a
    # host, and other users of this computer can run servers on other ports.
    name: str = field(default_factory=lambda: f"{secrets.token_hex(16)}.localhost")
    session: str = field(default_factory=_random)
    # Maps each unused token to its expiry time.
    _tokens: dict[str, float] = field(default_factory=dict)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                # Do not replace headers that are already set. Some pages load pictures from other
                # sites, so they set their own Content-Security-Policy.
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = await self._answer(Request(scope, receive)) or self.app
        await answer(scope, receive, send_with_headers)

    @property
    def host(self) -> str:
        return f"{self.name}:{self.port}"

    @property
    def origin(self) -> str:
        return f"http://{self.host}"

    @property
    def cookie_name(self) -> str:
        return f"waitlist-console-{self.port}"

    def new_token(self) -> str:
        """Return a token that a browser can exchange for the cookie once, within TOKEN_SECONDS."""
        now = self.clock()
        self._tokens = {token: end for token, end in self._tokens.items() if end > now}
        token = _random()
        self._tokens[token] = now + TOKEN_SECONDS
        return token

    async def _answer(self, request: Request) -> Response | None:
        """Return None if the request is allowed.

        Otherwise, return a refusal or the page that sets the cookie.
        """
        # Prevent DNS rebinding, where another site's host name resolves to this computer.
        if request.headers.get("host", "") != self.host:
            return PlainTextResponse("This address does not belong to the console.", 421)
        if request.method == "POST" and request.url.path == ENTER:
            # Do not check the Origin here, because the page that posts the token is a local file.
            # The token proves that the request comes from the operator.
            return self._exchange_token(await _posted_token(request))
        if request.method not in SAFE_METHODS and not _is_from(self.origin, request.headers):
            return PlainTextResponse("The request comes from another site.", 403)
        if given := request.query_params.get("token"):
            return self._exchange_token(given)
        sent = _cookies(request.headers.getlist("cookie"), self.cookie_name)
        return None if any(_equal(cookie, self.session) for cookie in sent) else _unknown()

    def _exchange_token(self, given: str) -> Response:
        """Consume a valid token and return the page that sets the cookie. Refuse other tokens."""
        now = self.clock()
        valid = [token for token, end in self._tokens.items() if end > now]
        found = [token for token in valid if _equal(given, token)]
        if not found:
            return _unknown()
        del self._tokens[found[0]]
        response = HTMLResponse(ENTRANCE)
        response.set_cookie(self.cookie_name, self.session, httponly=True, samesite="strict")
        return response


async def _posted_token(request: Request) -> str:
    content = b""
    async for part in request.stream():
        content += part
        if len(content) > MOST_ENTER_BYTES:
            return ""
    return dict(parse_qsl(content.decode("latin-1"))).get("token", "")


def _is_from(origin: str, headers: Headers) -> bool:
    """Return whether a page of the console sent the request.

    The browser's `Origin` or `Sec-Fetch-Site` header says where a request comes from.
    """
    if (named := headers.get("origin")) is not None:
        return named == origin
    return headers.get("sec-fetch-site") == "same-origin"


def _cookies(lines: Iterable[str], name: str) -> list[str]:
    found = []
    for line in lines:
        try:
            cookies = SimpleCookie(line)
        except CookieError:
            continue
        found += [cookies[name].value] if name in cookies else []
    return found


def _equal(given: str, expected: str) -> bool:
    return secrets.compare_digest(given.encode(), expected.encode())


def _unknown() -> Response:
    return PlainTextResponse(
        "This address works only once, and only for a minute. To reopen the console or get a new "
        "address, press Enter in the terminal where `waitlist console` runs.",
        401,
    )
