"""Tests the local service from outside: its health check, its documentation, the commands that it
prints when it starts, and the invocation of its functions.
"""

import json
import re
import shlex
import subprocess
from html.parser import HTMLParser

import httpx
import pytest

from tests.e2e.processes import Service, run_module
from tests.support.curl import send
from tools.local.banner import KEEP_TOKEN, Addresses, banner


class Sources(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "link", "img", "iframe"):
            self.found += [value or "" for name, value in attrs if name in ("src", "href")]


def test_the_service_is_healthy(http: httpx.Client) -> None:
    answer = http.get("/v1/health")
    assert answer.json() == {"status": "ok", "queue": "ok", "record": "ok"}


def test_the_documentation_needs_no_other_server(http: httpx.Client) -> None:
    page = http.get("/docs")
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    sources = Sources()
    sources.feed(page.text)
    assert [source for source in sources.found if re.match(r"(https?:)?//", source)] == []
    assert "@import" not in page.text
    assert not re.search(r"url\(\s*['\"]?(https?:)?//", page.text)


def test_the_documentation_describes_every_route(http: httpx.Client) -> None:
    document = http.get("/docs", params={"format": "json"}).json()
    assert document["openapi"].startswith("3.")
    assert "post" in document["paths"]["/v1/waitlists/{waitlist_id}/entries"]


def parse_commands(banner: str) -> list[list[str]]:
    joined = banner.replace("\\\n", " ")
    found = re.findall(r"^(?:TOKEN=\$\()?(curl .*?)(?: \| tee .*)?$", joined, re.MULTILINE)
    return [shlex.split(command) for command in found]


def send_command(command: list[str], token: str = "") -> httpx.Response:
    return send([word.replace("$TOKEN", token) for word in command[1:]])


def extract_token(signup: httpx.Response) -> str:
    pipe = ["bash", "-c", f"cat | {KEEP_TOKEN} 2>/dev/null"]
    run = subprocess.run(pipe, input=signup.text, capture_output=True, text=True, check=True)
    return run.stdout.strip()


def test_the_printed_text_ends_with_the_page_and_the_console() -> None:
    """A new user reads the end of the output first, so the end says where to begin."""
    printed = banner(Addresses(8081, "http://127.0.0.1:8081", "redis://r", "http://d"), 1.0)
    end = printed.splitlines()[-5:]
    assert "  http://127.0.0.1:8081/" in end
    assert "  PORT=8081 .venv/bin/waitlist --local console" in end


def test_the_printed_first_steps_work_in_their_order(service: Service) -> None:
    commands = parse_commands(service.banner)
    assert len(commands) == 5
    assert f"{service.url}/_local/mailbox" in service.banner
    answers = [send_command(command) for command in commands[:2]]
    answers += [send_command(command, extract_token(answers[1])) for command in commands[2:]]
    assert [answer.status_code for answer in answers] == [201, 201, 200, 200, 200]
    made, _, position, bumped, stats = (answer.json() for answer in answers)
    assert made["waitlist_id"] == "bakery"
    assert "$TOKEN" in " ".join(commands[2])
    assert (position["position"], position["priority"]) == (1, 0)
    assert (bumped["position"], bumped["priority"]) == (1, 5)
    assert stats["waiting"] == 1


def test_the_demo_prints_how_positions_change(service: Service) -> None:
    demo = run_module("tools.demo", "--people", "50", PORT=str(service.port), COLUMNS="120")
    assert demo.returncode == 0, demo.stderr
    assert re.search(r"50/50 +\d+/s", demo.stdout)
    assert "The head of the queue" in demo.stdout
    assert "Three people's positions" in demo.stdout
    front, moved, waited = (
        [int(number) for number in re.findall(rf"{what} +│ +(\d+) │ +(\d+) │", demo.stdout)[0]]
        for what in (
            "to the front of priority 0",
            "bumped by 12 places",
            "others left",
        )
    )
    assert front == [46, 2], "the customer is behind the customer with priority 1"
    assert moved[0] - moved[1] >= 12
    assert waited == [50, 47]
    assert "50 people signed up" in demo.stdout
    assert "3 left, 47 are waiting." in demo.stdout


@pytest.mark.parametrize("kind", ["RequestResponse", "Event"])
def test_functions_can_be_invoked_from_outside(http: httpx.Client, kind: str) -> None:
    path = "/2015-03-31/functions/waitlist-local-private/invocations"
    answer = http.post(path, json={"v": 1, "op": "ping"}, headers={"X-Amz-Invocation-Type": kind})
    if kind == "Event":
        assert (answer.status_code, answer.content) == (202, b"")
    else:
        assert (answer.status_code, json.loads(answer.content)["outcome"]) == (200, "pong")
