"""Opens the console the way a browser does, but without a network for most tests."""

import re
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import cache
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
from starlette.types import ASGIApp

from tests.support.in_process import AsgiTransport
from tests.support.plain_http import plain_client
from waitlist_cli.client.api import Api
from waitlist_cli.client.configuration import Target
from waitlist_cli.client.retries import ONCE
from waitlist_cli.client.sigv4 import operator_auth
from waitlist_cli.console.app import console_app
from waitlist_cli.console.guard import Guard
from waitlist_cli.console.server import bound_sockets, web_server

PORT = 8090
SHOWN = re.compile(r"<[^>]*>")


@dataclass(frozen=True)
class Opened:
    """An open console. `browser` is an HTTP client with the console's session cookie."""

    browser: httpx.Client
    guard: Guard

    @property
    def origin(self) -> str:
        return self.guard.origin

    def page(self, path: str) -> str:
        response = self.browser.get(path)
        assert response.status_code == 200, (path, response.status_code, response.text)
        return response.text

    def text(self, path: str) -> str:
        return readable(self.page(path))

    def row_of(self, waitlist_id: str) -> str:
        path: str | None = "/"
        while path:
            page = self.page(path)
            if row := re.search(rf'<tr id="list-{waitlist_id}">.*?</tr>', page, re.DOTALL):
                return readable(row[0])
            following = re.search(r'href="(/\?cursor=[^"]+)">Next page', page)
            path = unescape(following[1]) if following else None
        raise AssertionError(f"{waitlist_id} is on no page")

    def part(self, path: str) -> httpx.Response:
        return self.browser.get(path, headers={"HX-Request": "true"})

    def send(self, path: str, **form: str) -> httpx.Response:
        headers = {"HX-Request": "true", "Origin": self.origin}
        return self.browser.post(path, data=form, headers=headers)

    def submit(self, path: str, **form: str) -> str:
        """Return the notice that appears, or the text of the page that the browser is sent to."""
        response = self.send(path, **form)
        assert response.status_code == 200, response.text
        if "HX-Redirect" in response.headers:
            return self.text(response.headers["HX-Redirect"])
        assert response.headers["HX-Trigger"] in ("done", "added", "undone")
        return (
            readable(response.text).rpartition(" ")[0].removesuffix(" Undo").removesuffix(" Copy")
        )

    def submit_again(self, path: str, **form: str) -> str:
        """Submit a form that must be confirmed, and return the question that the console asks."""
        response = self.send(path, **form)
        assert response.status_code == 200, response.text
        assert response.headers["HX-Retarget"] == "#dialog-body"
        return readable(response.text)

    def submit_refused(self, path: str, **form: str) -> str:
        response = self.send(path, **form)
        assert response.status_code >= 400, response.text
        assert "HX-Trigger" not in response.headers
        return readable(response.text)


def readable(html: str) -> str:
    return " ".join(unescape(SHOWN.sub(" ", html)).split())


def api_of(url: str) -> Api:
    target = Target(url, is_local=True)
    http = plain_client(url)
    return Api(http, cache(lambda: operator_auth(target)), patience=ONCE)


@contextmanager
def guarded(app: ASGIApp) -> Iterator[Opened]:
    """Put an application behind the console's access check, but do not log the browser in."""
    guard = Guard(app, PORT)
    with plain_client(
        guard.origin, follow_redirects=True, transport=AsgiTransport(guard)
    ) as browser:
        yield Opened(browser, guard)


@contextmanager
def opened(api: Api, undo_seconds: float = 0) -> Iterator[Opened]:
    """Open the console with its access token.

    If `undo_seconds` is 0, the console does not delay any action.
    """
    with (
        TemporaryDirectory() as folder,
        console_app(api, Path(folder), undo_seconds) as app,
        guarded(app) as console,
    ):
        entrance = console.browser.get("/", params={"token": console.guard.new_token()})
        assert entrance.status_code == 200
        yield console
    api.http.close()


@contextmanager
def listening(guard: Guard) -> Iterator[None]:
    """Serve a console over the network. Its address changes, so browsers have to log in again."""
    with ExitStack() as ending:
        sockets = [ending.enter_context(closing(one)) for one in bound_sockets(0)]
        ending.callback(setattr, guard, "port", guard.port)
        guard.port = sockets[0].getsockname()[1]
        server = web_server(guard)
        thread = threading.Thread(target=server.run, kwargs={"sockets": sockets})
        thread.start()
        try:
            yield
        finally:
            server.should_exit = True
            thread.join()


def browser_over_network(host: str) -> httpx.Client:
    """Like a browser, this client sends requests for names that end in `.localhost` to
    127.0.0.1.
    """
    port = host.rpartition(":")[2]
    return plain_client(f"http://127.0.0.1:{port}", follow_redirects=True, headers={"Host": host})
