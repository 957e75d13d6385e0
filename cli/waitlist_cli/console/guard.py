"""Lets only the operator's own browser in: Host, Origin, a token, a cookie, and safe headers."""

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

SAFE_METHODS = ("GET", "HEAD")
TOKEN_SECONDS = 60
# The page in the operator's private folder posts its token here.
ENTER = "/enter"
MOST_ENTER_BYTES = 1_000
HEADERS = {
    "Content-Security-Policy": "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self'",
            "connect-src 'self'",
            "frame-src 'self'",
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
    """Wraps the console; a browser exchanges a token for a cookie with `session`.

    `name` is random, because browsers send a cookie to every port of its host: a server of another
    user on 127.0.0.1 or localhost would get it.
    """

    app: ASGIApp
    port: int
    clock: Callable[[], float] = time.monotonic
    name: str = field(default_factory=lambda: f"{secrets.token_hex(16)}.localhost")
    session: str = field(default_factory=_random)
    # When each token ends that no browser has exchanged yet.
    _tokens: dict[str, float] = field(default_factory=dict)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                # The frame of a preview has a policy of its own.
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
        """Return a token that is good for one exchange within TOKEN_SECONDS."""
        now = self.clock()
        self._tokens = {one: end for one, end in self._tokens.items() if end > now}
        token = _random()
        self._tokens[token] = now + TOKEN_SECONDS
        return token

    async def _answer(self, request: Request) -> Response | None:
        """Return a refusal, or the page that sets the cookie; None lets the request in."""
        # A page of another site can make its own name point to this computer (DNS rebinding).
        if request.headers.get("host", "") != self.host:
            return PlainTextResponse("This console has another address.", 421)
        if request.method == "POST" and request.url.path == ENTER:
            # The page in the folder has no origin of ours: the token alone lets it in.
            return self._exchanged(await _posted_token(request))
        if request.method not in SAFE_METHODS and not _is_from(self.origin, request.headers):
            return PlainTextResponse("The request comes from another site.", 403)
        if given := request.query_params.get("token"):
            return self._exchanged(given)
        sent = _cookies(request.headers.getlist("cookie"), self.cookie_name)
        return None if any(_equal(one, self.session) for one in sent) else _unknown()

    def _exchanged(self, given: str) -> Response:
        """Return the page that sets the cookie, and end the token; a refusal for any other text."""
        now = self.clock()
        found = [one for one, end in self._tokens.items() if _equal(given, one) and end > now]
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
        "This address opens the console once, within a minute. Press Enter in the terminal of "
        "`waitlist console` to open it again, or to get another address.",
        401,
    )
