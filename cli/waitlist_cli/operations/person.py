"""Sends an operator's requests about one person."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from waitlist_cli.client.retries import RetryPolicy
from waitlist_cli.operations.action import PersonAction

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api


@dataclass(frozen=True)
class Person:
    """A person on a waitlist. If `key` is given, each request sends it as the Idempotency-Key."""

    api: "Api"
    waitlist_id: str
    entry_id: str
    key: str | None = None
    policy: RetryPolicy | None = None

    @property
    def path(self) -> str:
        return f"/{self.waitlist_id}/entries/{self.entry_id}"

    def show(self) -> Any:
        return self._send("GET", self.path)

    def messages(self) -> Any:
        """Return the messages sent to this person since the latest signup, with their delivery
        states.
        """
        return self._send("GET", f"{self.path}/messages")

    def send(self, action: PersonAction, **values: Any) -> Any:
        """Send the request for an action on this person.

        `values` contains the request body fields that the operator has chosen.
        """
        path = action.path.format(waitlist_id=self.waitlist_id, entry_id=self.entry_id)
        return self._send(action.method, path, {**action.body, **values} or None)

    def _send(self, method: str, path: str, body: Any = None) -> Any:
        return self.api.operator(method, path, body, key=self.key, policy=self.policy)
