import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.support.plain_http import plain_client
from tests.unit.cli.fake_service import FakeService, running_fake
from tests.unit.cli.service import Service, served
from tests.unit.cli.typed import Typed


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    with served() as service:
        yield service


@pytest.fixture(scope="session")
def service_url(service: Service) -> str:
    return service.url


@pytest.fixture(scope="session")
def typed(service_url: str) -> Typed:
    return Typed(service_url)


@dataclass(frozen=True)
class Bakery:
    """A waitlist that only one test uses. Its customers sign up through the public API."""

    typed: Typed
    waitlist_id: str

    def sign_up(self, *names: str, **body: Any) -> list[dict[str, Any]]:
        url = f"{self.typed.url}/v1/waitlists/{self.waitlist_id}/entries"
        entries = []
        with plain_client() as http:
            for name in names:
                answer = http.post(url, json={"customer_id": name, **body})
                assert answer.status_code == 201, answer.text
                entries.append(answer.json())
        return entries

    def fail_to_sign_up(self, **body: Any) -> str:
        url = f"{self.typed.url}/v1/waitlists/{self.waitlist_id}/entries"
        with plain_client() as http:
            return str(http.post(url, json=body).json().get("code"))

    def rest(self, entry: dict[str, Any], days: int) -> None:
        url = f"{self.typed.url}/v1/waitlists/{self.waitlist_id}/entries/{entry['entry_id']}/rest"
        until = (datetime.now(UTC) + timedelta(days=days)).isoformat()
        headers = {"Authorization": f"Bearer {entry['entry_token']}"}
        with plain_client() as http:
            answer = http.post(url, json={"until": until}, headers=headers)
            assert answer.status_code == 200, answer.text

    def turn_messages_off(self, entry: dict[str, Any]) -> None:
        url = f"{self.typed.url}/v1/waitlists/{self.waitlist_id}/entries/{entry['entry_id']}"
        headers = {"Authorization": f"Bearer {entry['entry_token']}"}
        with plain_client() as http:
            answer = http.patch(url, json={"messages": "off"}, headers=headers)
            assert answer.status_code == 200, answer.text

    def line(self) -> list[str]:
        shown = self.typed.json("head", self.waitlist_id, "-n", "1000000")
        return [entry["customer_id"] for entry in shown["entries"]]

    def status(self, name: str) -> str:
        person = self.typed.json("show", self.waitlist_id, "--customer", name)
        return str(person["status"])


def new_bakery(typed: Typed) -> Bakery:
    waitlist_id = f"cli-{secrets.token_hex(4)}"
    typed.run("create", waitlist_id, "--name", "Bakery", "--segment", "language")
    return Bakery(typed, waitlist_id)


@pytest.fixture
def bakery(service: Service, typed: Typed) -> Bakery:
    service.delete_waitlists()
    return new_bakery(typed)


@pytest.fixture
def fake() -> Iterator[FakeService]:
    with running_fake() as service:
        yield service
