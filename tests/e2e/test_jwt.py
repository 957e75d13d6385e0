"""Starts a service whose customers sign in with tokens from an identity provider, and runs the
commands that the service prints when it starts.
"""

from collections.abc import Iterator

import pytest

from tests.e2e.processes import Service, run_module, running_service
from tests.e2e.test_pages import parse_commands, send_command
from tests.support.plain_http import plain_client
from tools.local.operator import local_operator

ISSUER = {"JWT_ISSUER": "https://issuer.example.com", "JWT_AUDIENCE": "waitlist"}
PAGE = "https://app.example.com"
ME = "/v1/waitlists/bakery/entries/me"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with running_service(**ISSUER, CORS_ORIGINS=PAGE) as service:
        yield service


def test_the_printed_commands_work_and_a_token_opens_only_its_own_entry(service: Service) -> None:
    """P5"""
    done = [send_command(command) for command in parse_commands(service.banner)]
    assert [answer.status_code for answer in done] == [201, 201, 200, 200, 200]
    _, signed_up, looked, bumped, stats = (answer.json() for answer in done)
    assert signed_up["entry_id"] == looked["entry_id"] == bumped["entry_id"]
    assert (looked["position"], bumped["priority"], stats["waiting"]) == (1, 5, 1)

    bob = run_module("tools.local.token", CUSTOMER="bob", **ISSUER).stdout.strip()
    with plain_client(service.url) as http:
        headers = {"Authorization": f"Bearer {bob}"}
        assert http.get(ME, headers=headers).json()["code"] == "entry_not_found"
        entry = f"/v1/waitlists/bakery/entries/{looked['entry_id']}"
        assert http.get(entry, headers=headers).json()["code"] == "forbidden"
        assert http.get(ME).json() == {"message": "Unauthorized"}
        shown = http.get("/v1/admin/waitlists/bakery", auth=local_operator()).json()
        assert shown["page_url"] is None
        joined = http.post("/v1/waitlists/bakery/entries", headers=headers, json={})
        assert (joined.status_code, joined.json()["position"]) == (201, 2)
        assert http.delete(ME, headers=headers).status_code == 204


@pytest.mark.parametrize("path", [ME, "/v1/admin/waitlists/bakery"])
def test_a_preflight_request_passes_every_authorizer(service: Service, path: str) -> None:
    headers = {"Origin": PAGE, "Access-Control-Request-Method": "DELETE"}
    with plain_client(service.url) as http:
        answer = http.options(path, headers=headers)
        assert (answer.status_code, answer.content) == (204, b"")
        assert answer.headers["access-control-allow-origin"] == PAGE
        refused = http.get(path, headers={"Origin": PAGE})
        assert refused.status_code == 401
        assert refused.headers["access-control-allow-origin"] == PAGE


def test_make_token_needs_a_customer_and_an_issuer() -> None:
    for environ in ({"CUSTOMER": "bob"}, ISSUER):
        run = run_module("tools.local.token", **environ)
        assert (run.returncode, run.stdout) == (1, "")
        assert "make token CUSTOMER=bob JWT_ISSUER=" in run.stderr
