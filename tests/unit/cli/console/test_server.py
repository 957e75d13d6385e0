"""Tests that `waitlist console`, running in its own process, prints its URL, chooses a port, and
deletes its files at the end.
"""

import json
import os
import re
import signal
import socket
import stat
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.processes import wait_until
from tests.unit.cli.conftest import Bakery
from tests.unit.cli.console.opened import browser_over_network, opened, readable
from tests.unit.cli.fake_service import FakeService, answer
from tests.unit.cli.fake_service import problem as refusal
from tests.unit.cli.typed import GROUP, Typed, clean_environment, write_program
from waitlist_cli.client.api import ADMIN
from waitlist_cli.client.configuration import Choice
from waitlist_cli.client.ids import entry_id_of
from waitlist_cli.client.retries import ONCE
from waitlist_cli.console.server import bound_sockets
from waitlist_cli.errors import WrongUsage
from waitlist_cli.terminal.context import Context

END_SECONDS = 60
# This program runs in place of a browser. It copies the page that the console opens, so that the
# test can read it later, and ends when the console deletes the page.
BROWSER = """
import sys, time
from pathlib import Path
from urllib.request import url2pathname
from urllib.parse import urlsplit
page = Path(url2pathname(urlsplit(sys.argv[1]).path))
Path({copy!r}).write_text(page.read_text())
while page.exists():
    time.sleep(0.05)
"""
FIELDS = re.compile(r'action="([^"]*)".* value="([^"]*)"')


@contextmanager
def enter(url: str) -> Iterator[httpx.Client]:
    address = httpx.URL(url)
    with browser_over_network(address.netloc.decode()) as browser:
        assert browser.get("/", params=address.params).status_code == 200
        yield browser


@contextmanager
def start(typed: Typed, *words: str, **more: Any) -> Iterator[subprocess.Popen[str]]:
    with typed.start(*words, **more) as process:
        try:
            yield process
        finally:
            process.kill()


def test_a_console_whose_terminal_is_closed_deletes_its_files(
    fake: FakeService, tmp_path: Path
) -> None:
    fake.answers = {"GET": answer(200, {"waitlists": [], "cursor": None})}
    words = ("--json", "console", "--no-browser")
    environ = clean_environment(TMPDIR=str(tmp_path))
    with start(Typed(fake.url), *words, env=environ) as process:
        assert process.stdout is not None
        with enter(json.loads(process.stdout.readline())["url"]) as browser:
            assert "There are no lists yet." in readable(browser.get("/").text)
        assert [one.name[:16] for one in tmp_path.iterdir()] == ["waitlist-console"]
        process.send_signal(signal.SIGHUP)
        _, errors = process.communicate(timeout=END_SECONDS)
    assert (process.returncode, errors) == (0, "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_console_that_ends_sends_the_waiting_actions_and_names_those_that_were_refused(
    typed: Typed, bakery: Bakery, tmp_path: Path, number: signal.Signals
) -> None:
    bakery.sign_up("ada", "bob")
    base = f"/lists/{bakery.waitlist_id}"
    words = ("--json", "console", "--no-browser", "--undo-seconds", "120")
    with start(typed, *words, env=clean_environment(TMPDIR=str(tmp_path))) as process:
        assert process.stdout is not None
        with enter(json.loads(process.stdout.readline())["url"]) as browser:
            headers = {"HX-Request": "true", "Origin": f"http://{browser.headers['host']}"}
            browser.post(f"{base}/serve", data={"count": "2"}, headers=headers)
            for name in ("ada", "bob"):
                path = f"{base}/people/{entry_id_of(bakery.waitlist_id, name)}/complete"
                said = readable(browser.post(path, headers=headers).text)
                assert f"Admit: {name}. This happens in 2 min." in said
        bakery.typed.run("remove", bakery.waitlist_id, "--customer", "bob")
        assert bakery.status("ada") == "offered"
        process.send_signal(number)
        _, errors = process.communicate(timeout=END_SECONDS)
    assert bakery.status("ada") == "admitted"
    assert errors.startswith("The service has not confirmed this action. Admit: bob. ")
    assert (process.returncode, errors.count("not confirmed")) == (0, 1)
    assert list(tmp_path.iterdir()) == []


def test_only_this_computer_reaches_the_console_and_enter_prints_a_new_url(
    fake: FakeService,
) -> None:
    words = ("console", "--no-browser")
    with start(Typed(fake.url), *words, stdin=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert (
            "Press Ctrl-C to stop it, or Enter to print a new address" in process.stdout.readline()
        )
        first = process.stdout.readline().strip()
        address = httpx.URL(first)
        assert address.host.endswith(".localhost")
        assert len(address.params["token"]) >= 43
        with pytest.raises(OSError, match=r".*"):
            socket.create_connection(("127.0.0.2", address.port or 0), timeout=5)
        process.stdin.write("\n")
        process.stdin.flush()
        second = process.stdout.readline().strip()
        assert first != second
        for url in (second, first):
            with enter(url):
                pass
        process.terminate()
        process.communicate(timeout=END_SECONDS)


def test_a_port_that_is_in_use_is_wrong_usage(fake: FakeService) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = Typed(fake.url)("console", "--no-browser", "--port", port)
    assert (result.exit_code, f"cannot listen on port {port}" in result.stderr) == (2, True)


def test_renewed_credentials_are_used_after_an_expired_token(
    fake: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "credentials"
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(path))
    context = Context(GROUP)
    context.choice = Choice(url=fake.url, region="eu-central-1")

    def renew(key: str) -> None:
        path.write_text(f"[default]\naws_access_key_id = {key}\naws_secret_access_key = s\n")

    renew("OLD")
    with opened(replace(context.api, patience=ONCE)) as console:
        fake.script = [refusal(403, "", "The security token included in the request is expired")]
        answered = console.browser.get("/")
        assert "Renew your AWS credentials" in readable(answered.text)
        renew("NEW")
        fake.script = [answer(200, {"waitlists": [], "cursor": None})]
        assert "There are no lists yet." in console.text("/")
    sent = [headers for _, path, headers, _ in fake.requests if path.startswith(ADMIN)]
    signed = [headers["authorization"] for headers in sent]
    assert [one.partition("Credential=")[2][:3] for one in signed] == ["OLD", "NEW"]


def command_lines() -> str:
    """Return the command lines of all processes, which every user of the computer can read."""
    texts = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            texts.append(path.read_bytes().decode("utf-8", "replace"))
    return "\n".join(texts)


def test_the_browser_is_opened_without_a_secret_on_its_command_line(
    fake: FakeService, tmp_path: Path
) -> None:
    fake.answers = {"GET": answer(200, {"waitlists": [], "cursor": None})}
    copy = tmp_path / "copy.html"
    program = write_program(tmp_path / "browser", BROWSER.format(copy=str(copy)))
    environ = clean_environment(TMPDIR=str(tmp_path), BROWSER=program)
    with start(Typed(fake.url), "console", env=environ) as process:
        wait_until(lambda: copy.exists() and "</html>" in copy.read_text())
        seen = command_lines()
        folder = next(tmp_path.glob("waitlist-console-*"))
        found = FIELDS.search(copy.read_text())
        assert found
        action, token = httpx.URL(found[1]), found[2]
        assert "open.html" in seen
        assert token not in seen
        assert action.host not in seen
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE((folder / "open.html").stat().st_mode) == 0o600
        with browser_over_network(action.netloc.decode()) as browser:
            origin = {"Origin": "null"}
            form = {"token": token}
            assert browser.post(action.path, data=form, headers=origin).status_code == 200
            assert "There are no lists yet." in readable(browser.get("/").text)
            browser.cookies.clear()
            assert browser.post(action.path, data=form, headers=origin).status_code == 401
        process.terminate()
        output, errors = process.communicate(timeout=END_SECONDS)
    assert (process.returncode, errors) == (0, "")
    assert token not in output
    assert not folder.exists()


@pytest.mark.parametrize(
    ("family", "host"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")]
)
def test_no_other_program_can_use_the_port_on_an_address_of_localhost(
    family: socket.AddressFamily, host: str
) -> None:
    """The console also occupies its port on [::1], so that no other program can listen there.
    Chromium tries this address before 127.0.0.1, and would send the console's session cookie to
    that other program.
    """
    with ExitStack() as ending:
        sockets = [ending.enter_context(closing(one)) for one in bound_sockets(0)]
        port = sockets[0].getsockname()[1]
        with pytest.raises(OSError, match="in use"):
            socket.create_server((host, port), family=family)


def test_a_port_that_is_in_use_only_on_ipv6_is_refused() -> None:
    with (
        socket.create_server(("::1", 0), family=socket.AF_INET6) as taken,
        pytest.raises(WrongUsage, match="cannot listen on port"),
    ):
        bound_sockets(taken.getsockname()[1])
