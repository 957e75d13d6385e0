"""`waitlist console` as a process: its address, its port, and what it leaves behind."""

import json
import signal
import socket
from pathlib import Path

import httpx
import pytest

from tests.support.plain_http import plain_client
from tests.unit.cli.console.opened import readable
from tests.unit.cli.fake_service import FakeService, answer
from tests.unit.cli.fake_service import problem as refusal
from tests.unit.cli.typed import Typed, clean_environment
from waitlist_cli.api import ADMIN

END_SECONDS = 60


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_and_it_leaves_nothing_behind(
    fake: FakeService, tmp_path: Path, number: signal.Signals
) -> None:
    fake.answers = {"GET": answer(200, {"waitlists": [], "cursor": None})}
    words = ("--json", "console", "--no-browser")
    environ = clean_environment(TMPDIR=str(tmp_path))
    with Typed(fake.url).process(*words, env=environ) as process:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["url"]
        origin = address.partition("/?")[0]
        with plain_client(timeout=30) as browser:
            assert browser.get(address).status_code == 200
            assert "There is no list yet." in readable(browser.get(origin).text)
        assert [one.name[:16] for one in tmp_path.iterdir()] == ["waitlist-console"]
        process.send_signal(number)
        _, errors = process.communicate(timeout=END_SECONDS)
    assert (process.returncode, errors) == (0, "")
    assert list(tmp_path.iterdir()) == []


def test_only_this_computer_reaches_it(fake: FakeService) -> None:
    with Typed(fake.url).process("console", "--no-browser") as process:
        assert process.stdout is not None
        assert "Ctrl-C ends it" in process.stdout.readline()
        address = httpx.URL(process.stdout.readline().strip())
        assert address.host == "127.0.0.1"
        assert len(address.params["token"]) >= 43
        with pytest.raises(OSError, match=r".*"):
            socket.create_connection(("127.0.0.2", address.port or 0), timeout=5)
        process.terminate()
        process.communicate(timeout=END_SECONDS)


def test_a_port_that_is_taken_is_wrong_usage(fake: FakeService) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = Typed(fake.url)("console", "--no-browser", "--port", port)
    assert (result.exit_code, f"Port {port} cannot be used" in result.stderr) == (2, True)


def test_renewed_credentials_are_used_after_a_refusal(fake: FakeService, tmp_path: Path) -> None:
    path = tmp_path / "credentials"

    def renew(key: str) -> None:
        path.write_text(f"[default]\naws_access_key_id = {key}\naws_secret_access_key = s\n")

    renew("OLD")
    fake.script = [refusal(403, "", "The security token included in the request is expired")]
    words = ("--url", fake.url, "--region", "eu-central-1", "--json", "console", "--no-browser")
    environ = clean_environment(AWS_SHARED_CREDENTIALS_FILE=str(path))
    with Typed().process(*words, env=environ) as process:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["url"]
        origin = address.partition("/?")[0]
        with plain_client(timeout=30) as browser:
            browser.get(address)
            assert "Renew your AWS credentials" in readable(browser.get(origin).text)
            renew("NEW")
            fake.script = [answer(200, {"waitlists": [], "cursor": None})]
            assert "There is no list yet." in readable(browser.get(origin).text)
        process.terminate()
        process.communicate(timeout=END_SECONDS)
    sent = [headers for _, path, headers, _ in fake.requests if path.startswith(ADMIN)]
    signed = [headers["authorization"] for headers in sent]
    assert [one.partition("Credential=")[2][:3] for one in signed] == ["OLD", "NEW"]
