"""Only the operator's own browser gets in."""

import hashlib
import re
from collections.abc import Iterator

import httpx
import pytest
from starlette.responses import PlainTextResponse

from tests.unit.cli.console.opened import Opened, served
from waitlist_cli.console.app import STATIC
from waitlist_cli.console.guard import Guard

VENDOR = STATIC / "vendor"
VENDORED = re.compile(r"^\| (\S+) \| (\S+ [\d.]+), .* \| ([0-9a-f]{64}) \|$", re.MULTILINE)


@pytest.fixture
def console() -> Iterator[Opened]:
    with served(PlainTextResponse("inside")) as one:
        yield one


@pytest.fixture
def guard(console: Opened) -> Guard:
    return console.guard


@pytest.fixture
def stranger(console: Opened) -> httpx.Client:
    return console.browser


@pytest.fixture
def operator(guard: Guard, stranger: httpx.Client) -> httpx.Client:
    stranger.get("/", params={"token": guard.token})
    return stranger


def test_the_token_is_exchanged_for_a_cookie_and_leaves_the_address(
    guard: Guard, stranger: httpx.Client
) -> None:
    answer = stranger.get("/", params={"token": guard.token})
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"waitlist-console-{guard.port}=")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; ")[1:])
    assert guard.token not in cookie + answer.text
    assert 'content="0;url=/"' in answer.text
    assert stranger.get("/").text == "inside"


def test_without_cookie_nothing_is_shown(stranger: httpx.Client) -> None:
    for path in ("/", "/lists/bakery", "/static/console.css"):
        answer = stranger.get(path)
        assert (answer.status_code, "inside" in answer.text) == (401, False)


@pytest.mark.parametrize("token", ["", "x", "é"])
def test_a_wrong_token_opens_nothing(stranger: httpx.Client, token: str) -> None:
    answer = stranger.get("/", params={"token": token})
    assert (answer.status_code, "set-cookie" in answer.headers) == (401, False)


@pytest.mark.parametrize("cookie", ["=x", "=", "", "; ;=", '="é"'])
def test_a_wrong_cookie_opens_nothing(guard: Guard, stranger: httpx.Client, cookie: str) -> None:
    sent = f"{guard.cookie_name}{cookie}".encode()
    assert stranger.get("/", headers=[(b"Cookie", sent)]).status_code == 401


def test_each_run_has_secrets_of_its_own() -> None:
    guards = [Guard(PlainTextResponse(""), 8700) for _ in range(2)]
    assert len({one.token for one in guards} | {one.session for one in guards}) == 4
    assert all(len(one.token) >= 43 for one in guards)


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "0.0.0.0:{port}"]
)
def test_another_host_is_refused_also_with_the_cookie(
    operator: httpx.Client, guard: Guard, host: str
) -> None:
    sent = host.format(port=guard.port)
    assert operator.get("/", headers={"Host": sent}).status_code == 421


def test_localhost_is_the_same_console(operator: httpx.Client, guard: Guard) -> None:
    headers = {"Host": f"localhost:{guard.port}", "Cookie": f"{guard.cookie_name}={guard.session}"}
    assert operator.get("/", headers=headers).text == "inside"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://localhost"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"},
    ],
)
def test_a_change_from_another_site_is_refused(
    operator: httpx.Client, method: str, headers: dict[str, str]
) -> None:
    assert operator.request(method, "/", headers=headers).status_code == 403


def test_a_change_from_the_console_is_let_in(console: Opened, operator: httpx.Client) -> None:
    for headers in ({"Origin": console.origin}, {"Sec-Fetch-Site": "same-origin"}):
        assert operator.post("/", headers=headers).text == "inside"


def test_every_answer_forbids_inline_code_framing_and_caches(
    operator: httpx.Client, guard: Guard
) -> None:
    answers = [
        operator.get("/"),
        operator.get("/", params={"token": guard.token}),
        operator.get("/", headers={"Host": "evil.example"}),
        operator.post("/"),
    ]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"} <= set(
            policy.split("; ")
        )
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_vendored_files_are_those_that_the_table_names() -> None:
    table = {
        name: digest for name, _, digest in VENDORED.findall((VENDOR / "README.md").read_text())
    }
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in VENDOR.iterdir()
        if path.suffix in (".js", ".css")
    }
    assert found == table
    assert len(found) == 3


def test_no_page_has_inline_code_or_styles() -> None:
    for path in (STATIC.parent / "templates").glob("*.html"):
        text = path.read_text("utf-8")
        assert not re.search(
            r"<script(?![^>]* src=)|\sstyle=|\son\w+=|hx-on|js:|\|\s*safe", text
        ), path
