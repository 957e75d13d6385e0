"""The smoke test succeeds only if the service works, and deletes everything that it creates."""

from collections.abc import Iterator
from typing import Any

import boto3
import httpx
import pytest
from moto import mock_aws

from tests.service.privacy.deployment import Deployment, deployed
from tests.unit.tools.test_rotate_token_secret import make_stack
from tools.deploy import smoke
from tools.deploy.smoke import ADMIN, Failed, Smoke, main
from tools.local.api_client import ApiClient
from waitlist_cli.errors import CliError

LIST = "smoke-1a2b3c4d"
STEPS = [
    "✓ both stores answer",
    "✓ the keys for passes are published",
    "✓ an operator creates a waitlist",
    "✓ the first customer signs up",
    "✓ a repeat keeps the place",
    "✓ the second customer is behind the first",
    "✓ the first customer leaves",
    "✓ the second customer has moved up",
    "✓ the second customer is erased",
    "✓ no customer waits",
    "✓ the waitlist is deleted",
]


@pytest.fixture
def guests(monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployment]:
    with deployed(monkeypatch, issuer=False) as deployment:
        yield deployment


def url_of(deployment: Deployment) -> str:
    return str(deployment.http.base_url)


def test_the_smoke_test_runs_to_its_end(
    guests: Deployment, capsys: pytest.CaptureFixture[str]
) -> None:
    with ApiClient(url_of(guests)) as client:
        Smoke(client, LIST).run(has_issuer=False)
        assert client.operator("GET", ADMIN)["waitlists"] == []
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("✓")]
    assert said == STEPS


def test_on_a_stack_with_an_issuer_a_signup_without_a_token_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with (
        deployed(monkeypatch, issuer=True) as deployment,
        ApiClient(url_of(deployment)) as client,
    ):
        Smoke(client, LIST).run(has_issuer=True)


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployment]:
    # Guests in this test send no bot token, so the service never calls the bot check's provider.
    monkeypatch.setenv("BOT_CHECK", "turnstile")
    monkeypatch.setenv("BOT_CHECK_SITE_KEY", "key")
    monkeypatch.setenv("BOT_CHECK_SECRET", "secret")
    monkeypatch.setenv("BOT_CHECK_URL", "http://127.0.0.1:9/siteverify")
    with deployed(monkeypatch, issuer=False) as deployment:
        yield deployment


def test_on_a_stack_with_a_bot_check_a_guest_without_a_token_is_refused(
    checked: Deployment, capsys: pytest.CaptureFixture[str]
) -> None:
    with ApiClient(url_of(checked)) as client:
        Smoke(client, LIST).run(has_bot_check=True)
        assert client.operator("GET", ADMIN)["waitlists"] == []
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("✓")]
    assert said == [*STEPS[:3], "✓ a guest without a bot token is refused", *STEPS[3:]]


def test_a_stack_that_lacks_its_bot_check_fails(guests: Deployment) -> None:
    with (
        ApiClient(url_of(guests)) as client,
        pytest.raises(Failed, match="a guest without a bot token was accepted"),
    ):
        Smoke(client, LIST).run(has_bot_check=True)


def test_the_command_reads_from_the_stacks_parameters_whether_bots_are_checked(
    monkeypatch: pytest.MonkeyPatch, account: Any, checked: Deployment
) -> None:
    outputs = {"ApiUrl": {"Value": url_of(checked)}}
    make_stack("waitlist-dev", outputs, BotCheck="turnstile")
    assert main(["--stack", "waitlist-dev"]) == 0


def test_a_stack_that_lacks_its_issuer_fails(
    guests: Deployment,
) -> None:
    """The smoke test sends a token instead of a customer id. A stack that does not know the token's
    issuer refuses the signup, which lacks a customer id.
    """
    with ApiClient(url_of(guests)) as client, pytest.raises(CliError) as refused:
        Smoke(client, LIST).run(has_issuer=True)
    assert refused.value.status == 422


Answer = httpx.Response


class Altered(httpx.BaseTransport):
    """An HTTP transport that replaces the response to one request and records the paths of DELETE
    requests.
    """

    def __init__(self, method: str, ending: str, answer: Answer) -> None:
        self._wrong = (method, ending)
        self._answer = answer
        self._http = httpx.HTTPTransport()
        self.deleted: list[str] = []

    def handle_request(self, request: httpx.Request) -> Answer:
        if request.method == "DELETE":
            self.deleted.append(request.url.path)
        method, ending = self._wrong
        if request.method == method and request.url.path.endswith(ending):
            return self._answer
        return self._http.handle_request(request)

    def close(self) -> None:
        self._http.close()


def run_smoke_test(deployment: Deployment, transport: Altered) -> None:
    with ApiClient(url_of(deployment), transport=transport) as client:
        Smoke(client, LIST).run(has_issuer=False)


def test_the_smoke_test_creates_nothing_if_a_store_does_not_answer(guests: Deployment) -> None:
    health = {"status": "degraded", "queue": "unavailable", "record": "ok"}
    transport = Altered("GET", "/health", Answer(200, json=health))
    with pytest.raises(Failed, match=r"both stores answer.*unavailable"):
        run_smoke_test(guests, transport)
    assert transport.deleted == []


def test_a_stack_without_a_key_for_passes_fails(guests: Deployment) -> None:
    transport = Altered("GET", "/jwks.json", Answer(200, json={"keys": []}))
    with pytest.raises(Failed, match="no key for passes"):
        run_smoke_test(guests, transport)
    assert transport.deleted == []


def test_after_a_failure_the_waitlist_is_deleted_too(
    guests: Deployment,
) -> None:
    entry = {"entry_id": "a" * 26, "status": "waiting", "position": 7, "total": 9}
    transport = Altered("POST", "/entries", Answer(201, json=entry))
    with pytest.raises(Failed, match=r"the first customer signs up.*7"):
        run_smoke_test(guests, transport)
    assert transport.deleted == [f"{ADMIN}/{LIST}"]


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.setenv(name, "local")
        monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)
        yield boto3.client("cloudformation")


def test_the_command_reads_the_url_of_the_api_from_the_stack(
    monkeypatch: pytest.MonkeyPatch,
    account: Any,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with deployed(monkeypatch, issuer=False) as deployment:
        make_stack("waitlist-dev", {"ApiUrl": {"Value": url_of(deployment)}})
        assert main(["--stack", "waitlist-dev"]) == 0
    assert STEPS[-1] in capsys.readouterr().out


def test_on_a_stack_with_an_edge_only_customers_call_the_edge(
    monkeypatch: pytest.MonkeyPatch, account: Any
) -> None:
    """If a stack has a CDN, customers use it.

    With the `EdgeOnly` parameter, the API refuses customers who bypass it. Operators send their
    signed requests directly to the API.
    """
    called: dict[str, list[str]] = {"https://api": [], "https://d1.cloudfront.net": []}
    with deployed(monkeypatch, issuer=False) as deployment:

        def client(url: str, **_: Any) -> ApiClient:
            made = ApiClient(url_of(deployment))
            made._http.event_hooks = {"request": [lambda sent: called[url].append(sent.url.path)]}
            return made

        monkeypatch.setattr(smoke, "ApiClient", client)
        outputs = {"ApiUrl": "https://api", "EdgeTarget": "d1.cloudfront.net"}
        make_stack("waitlist-dev", {name: {"Value": value} for name, value in outputs.items()})
        assert main(["--stack", "waitlist-dev"]) == 0
    by_operators, by_customers = called.values()
    assert all(path.startswith(ADMIN) for path in by_operators)
    assert not any(path.startswith(ADMIN) for path in by_customers)
    assert by_operators
    assert by_customers


def test_a_stack_that_cannot_be_tested_is_an_error(
    monkeypatch: pytest.MonkeyPatch, account: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--stack", "nothing"]) == 1
    assert "nothing failed the smoke test" in capsys.readouterr().err
    make_stack("other", {})
    assert main(["--stack", "other"]) == 1
    assert "no output ApiUrl" in capsys.readouterr().err
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    assert main(["--stack", "other"]) == 1
    assert "no region" in capsys.readouterr().err
