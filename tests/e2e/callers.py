"""The customers and the operator that call the API in the end-to-end tests.

Like real clients, the callers retry a request that the service refuses temporarily. They count
these refusals, and a test fails if there are too many.
"""

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

from tools.local.operator import local_operator
from waitlist_cli.client.retries import PATIENT, is_retryable


@dataclass(frozen=True)
class Entry:
    entry_id: str
    token: str
    position: int


@dataclass
class FirstRequests:
    """Counts the tests' requests, and how many of their first attempts failed with an error that
    allows a retry.
    """

    sent: int = 0
    refused: int = 0

    def note(self, answer: httpx.Response) -> None:
        self.sent += 1
        self.refused += is_retryable(answer.status_code, answer.text)


first_requests = FirstRequests()


def send_patiently(ask: Callable[[], httpx.Response]) -> httpx.Response:
    """Retry the way docs/internals/time-budgets.md tells clients to."""
    answer = ask()
    first_requests.note(answer)
    for attempt in range(PATIENT.tries - 1):
        if not is_retryable(answer.status_code, answer.text):
            break
        time.sleep(PATIENT.pause_after(attempt, answer.headers))
        answer = ask()
    return answer


@dataclass(frozen=True)
class Customer:
    http: httpx.Client
    waitlist_id: str

    def sign_up(self, customer_id: str, key: str | None = None, **body: Any) -> httpx.Response:
        key = key or str(uuid.uuid4())
        return send_patiently(lambda: self.sign_up_once(customer_id, key, **body))

    def sign_up_once(self, customer_id: str, key: str, **body: Any) -> httpx.Response:
        return self.http.post(
            f"/v1/waitlists/{self.waitlist_id}/entries",
            json={"customer_id": customer_id, **body},
            headers={"Idempotency-Key": key},
        )

    def joined(self, customer_id: str) -> Entry:
        answer = self.sign_up(customer_id)
        assert answer.status_code in (200, 201), answer.text
        entry = answer.json()
        return Entry(entry["entry_id"], entry["entry_token"], entry["position"])

    def poll(self, entry: Entry, token: str | None = None) -> httpx.Response:
        return send_patiently(lambda: self.poll_once(entry, token))

    def poll_once(self, entry: Entry, token: str | None = None) -> httpx.Response:
        return self.http.get(self._path(entry), headers=_bearer(token or entry.token))

    def position(self, entry: Entry) -> int:
        answer = self.poll(entry)
        assert answer.status_code == 200, answer.text
        position: int = answer.json()["position"]
        return position

    def leave(self, entry: Entry) -> httpx.Response:
        path, headers = self._path(entry), _bearer(entry.token)
        return send_patiently(lambda: self.http.delete(path, headers=headers))

    def enter(self, entry: Entry) -> httpx.Response:
        path, headers = f"{self._path(entry)}/enter", _bearer(entry.token)
        return send_patiently(lambda: self.http.post(path, headers=headers))

    def get_pass(self, entry: Entry) -> httpx.Response:
        path, headers = f"{self._path(entry)}/pass", _bearer(entry.token)
        return send_patiently(lambda: self.http.get(path, headers=headers))

    def _path(self, entry: Entry) -> str:
        return f"/v1/waitlists/{self.waitlist_id}/entries/{entry.entry_id}"


@dataclass(frozen=True)
class Operator:
    http: httpx.Client
    auth: httpx.Auth
    waitlist_id: str

    def call(self, method: str, path: str = "", **more: Any) -> httpx.Response:
        url = f"/v1/admin/waitlists/{self.waitlist_id}{path}"
        return send_patiently(lambda: self.http.request(method, url, auth=self.auth, **more))

    def put(self, config: dict[str, Any]) -> httpx.Response:
        return self.call("PUT", json=config)

    def bump(self, entry: Entry, key: str | None = None, **where: Any) -> httpx.Response:
        headers = {"Idempotency-Key": key} if key else {}
        return self.call("POST", f"/entries/{entry.entry_id}/bump", json=where, headers=headers)

    def line(self, limit: int = 100) -> list[str]:
        ids: list[str] = []
        cursor: str | None = None
        while True:
            params = {"limit": str(limit), **({"cursor": cursor} if cursor else {})}
            page = self.call("GET", "/entries", params=params)
            assert page.status_code == 200, page.text
            ids += [entry["customer_id"] for entry in page.json()["entries"]]
            cursor = page.json()["cursor"]
            if cursor is None:
                return ids

    def stats(self) -> dict[str, Any]:
        answer = self.call("GET", "/stats")
        assert answer.status_code == 200, answer.text
        stats: dict[str, Any] = answer.json()
        return stats


def stranger(http: httpx.Client, waitlist_id: str) -> Operator:
    return Operator(http, local_operator("guess"), waitlist_id)


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
