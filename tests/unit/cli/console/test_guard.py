import hashlib
import re
from collections.abc import Iterator

import httpx
import pytest
from starlette.responses import PlainTextResponse

from tests.unit.cli.console.opened import Opened, guarded
from waitlist_cli.console.app import STATIC
from waitlist_cli.console.guard import Guard

VENDOR = STATIC / "vendor"
VENDORED = re.compile(r"^\| (\S+) \| (\S+ [\d.]+), .* \| ([0-9a-f]{64}) \|$", re.MULTILINE)


@pytest.fixture
def console() -> Iterator[Opened]:
    with guarded(PlainTextResponse("inside")) as one:
        yield one


@pytest.fixture
def guard(console: Opened) -> Guard:
    return console.guard


@pytest.fixture
def stranger(console: Opened) -> httpx.Client:
    return console.browser


@pytest.fixture
def operator(guard: Guard, stranger: httpx.Client) -> httpx.Client:
    stranger.get("/", params={"token": guard.new_token()})
    return stranger


def test_the_token_is_exchanged_for_a_cookie_and_removed_from_the_url(
    guard: Guard, stranger: httpx.Client
) -> None:
    token = guard.new_token()
    answer = stranger.get("/", params={"token": token})
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"waitlist-console-{guard.port}=")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; ")[1:])
    assert "domain" not in cookie.lower()
    assert token not in cookie + answer.text
    assert 'content="0;url=/"' in answer.text
    assert stranger.get("/").text == "inside"


def test_a_page_without_an_origin_may_post_the_token(guard: Guard, stranger: httpx.Client) -> None:
    headers = {"Origin": "null", "Sec-Fetch-Site": "cross-site"}
    form = {"token": guard.new_token()}
    assert stranger.post("/enter", data=form, headers=headers).status_code == 200
    assert stranger.get("/").text == "inside"


@pytest.mark.parametrize("body", [b"", b"token=x", b"token=" + b"x" * 2_000, b"\xff\x00"])
def test_a_wrong_posted_token_opens_nothing(stranger: httpx.Client, body: bytes) -> None:
    answer = stranger.post("/enter", content=body)
    assert (answer.status_code, "set-cookie" in answer.headers) == (401, False)


def test_a_token_can_be_used_only_once(guard: Guard, stranger: httpx.Client) -> None:
    token = guard.new_token()
    first, second = (stranger.get("/", params={"token": token}) for _ in range(2))
    assert (first.status_code, second.status_code) == (200, 401)
    assert "set-cookie" not in second.headers
    assert stranger.post("/enter", data={"token": token}).status_code == 401


def test_a_token_is_valid_for_a_minute(guard: Guard, stranger: httpx.Client) -> None:
    now = 1_000.0
    guard.clock = lambda: now
    late, in_time = guard.new_token(), guard.new_token()
    now += 59.9
    assert stranger.get("/", params={"token": in_time}).status_code == 200
    now += 0.1
    assert stranger.get("/", params={"token": late}).status_code == 401


def test_expired_tokens_are_forgotten(guard: Guard) -> None:
    now = 1_000.0
    guard.clock = lambda: now
    for _ in range(5):
        guard.new_token()
        now += 60
    assert len(guard._tokens) == 1


def test_without_a_cookie_nothing_is_shown(stranger: httpx.Client) -> None:
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


def test_each_run_has_its_own_secrets() -> None:
    guards = [Guard(PlainTextResponse(""), 8700) for _ in range(2)]
    secrets = {one.new_token() for one in guards} | {one.session for one in guards}
    assert len(secrets) == 4
    assert all(len(one) >= 43 for one in secrets)
    assert len({one.name for one in guards}) == 2


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:{port}",
        "localhost:{port}",
        "other.localhost:{port}",
        "0.0.0.0:{port}",
        "{name}",
        "{name}:1",
    ],
)
def test_another_host_is_refused_even_with_the_cookie_and_a_token(
    operator: httpx.Client, guard: Guard, host: str
) -> None:
    headers = {"Host": host.format(port=guard.port, name=guard.name)}
    assert operator.get("/", headers=headers).status_code == 421
    token = guard.new_token()
    assert operator.get("/", params={"token": token}, headers=headers).status_code == 421
    assert operator.post("/enter", data={"token": token}, headers=headers).status_code == 421


def test_the_host_name_is_random_and_below_localhost(guard: Guard) -> None:
    label, _, parent = guard.name.partition(".")
    assert (len(label), parent) == (32, "localhost")
    assert guard.host == f"{guard.name}:{guard.port}"


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


def test_a_change_from_the_console_is_accepted(console: Opened, operator: httpx.Client) -> None:
    for headers in ({"Origin": console.origin}, {"Sec-Fetch-Site": "same-origin"}):
        assert operator.post("/", headers=headers).text == "inside"


def test_every_response_forbids_inline_code_framing_and_caching(
    operator: httpx.Client, guard: Guard
) -> None:
    answers = [
        operator.get("/"),
        operator.get("/", params={"token": guard.new_token()}),
        operator.post("/enter"),
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


def test_vendored_files_match_the_table_in_the_readme() -> None:
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
        # The console draws the poster itself, and escapes every text on it.
        text = path.read_text("utf-8").replace("{{ poster|safe }}", "")
        assert not re.search(
            r"<script(?![^>]* src=)|\sstyle=|\son\w+=|hx-on|js:|\|\s*safe", text
        ), path
