"""Lets only the operator's own browser in: Host, Origin, a token, a cookie, and safe headers."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SAFE_METHODS = ("GET", "HEAD")
HEADERS = {
    "Content-Security-Policy": "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self'",
            "connect-src 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        )
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
# The browser loads the page itself, so that it sends the SameSite cookie along. A redirect would
# count as a part of the navigation that another program or page began.
ENTRANCE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/">
<link rel="icon" href="/static/icon.svg"><title>Waitlist console</title>
<p><a href="/">Open the console</a></p></html>
"""


def _random() -> str:
    return secrets.token_urlsafe(32)


@dataclass
class Guard:
    """Wraps the console; the browser exchanges `token` for a cookie with `session`."""

    app: ASGIApp
    port: int
    token: str = field(default_factory=_random)
    session: str = field(default_factory=_random)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        answer = self._answer(Request(scope)) or self.app
        await answer(scope, receive, send_with_headers)

    @property
    def cookie_name(self) -> str:
        """The name of the cookie: browsers send cookies to all ports of a host."""
        return f"waitlist-console-{self.port}"

    def _answer(self, request: Request) -> Response | None:
        """Return a refusal, or the page that sets the cookie; None lets the request in."""
        host = request.headers.get("host", "")
        # A page of another site can make its own name point to this computer (DNS rebinding).
        if host not in (f"127.0.0.1:{self.port}", f"localhost:{self.port}"):
            return PlainTextResponse("This console has another address.", 421)
        if request.method not in SAFE_METHODS and not _is_from(f"http://{host}", request.headers):
            return PlainTextResponse("The request comes from another site.", 403)
        if given := request.query_params.get("token"):
            return self._exchanged() if _equal(given, self.token) else _unknown()
        sent = _cookies(request.headers.getlist("cookie"), self.cookie_name)
        return None if any(_equal(one, self.session) for one in sent) else _unknown()

    def _exchanged(self) -> Response:
        response = HTMLResponse(ENTRANCE)
        response.set_cookie(self.cookie_name, self.session, httponly=True, samesite="strict")
        return response


def _is_from(origin: str, headers: Headers) -> bool:
    """Return whether a page of the console made the request; browsers send one of the headers."""
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
        "Open the address with the token, which `waitlist console` printed in its terminal.", 401
    )
