"""The requests that an operator can send about one person."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from waitlist_cli.client.retries import RetryPolicy

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api


@dataclass(frozen=True)
class Person:
    """An entry of a waitlist. Each method sends one request and returns the response.

    The history stores the `reason`. Requests with the same Idempotency-Key `key` have only one
    effect.
    """

    api: "Api"
    waitlist_id: str
    entry_id: str
    reason: str = ""
    key: str | None = None
    policy: RetryPolicy | None = None

    @property
    def path(self) -> str:
        return f"/{self.waitlist_id}/entries/{self.entry_id}"

    def show(self) -> Any:
        return self._send("GET", self.path)

    def messages(self) -> Any:
        """Return the messages of the current stay and their states."""
        return self._send("GET", f"{self.path}/messages")

    def edit(self, **changes: Any) -> Any:
        """Replace the profile, the attributes, or both."""
        return self._send("PATCH", self.path, {**changes, "reason": self.reason})

    def erase(self) -> None:
        self._send("DELETE", self.path)

    def token(self) -> Any:
        return self._send("POST", f"{self.path}/token")

    def link(self) -> Any:
        """Return a link to the customer's page. The link verifies the entry or shows its place."""
        return self._send("POST", f"{self.path}/link")

    def verify(self, joined_at: str | None) -> Any:
        """Mark the stay that began at `joined_at` as verified. A later stay is not affected."""
        return self._post("verify", joined_at=joined_at)

    def admit(self) -> Any:
        return self._post("admit")

    def withdraw(self, offered_until: str | None) -> Any:
        """Take back the offer that ends at `offered_until`. A later offer is not affected."""
        return self._post("withdraw", offered_until=offered_until)

    def exit(self) -> Any:
        return self._post("exit")

    def bump(self, **to: Any) -> Any:
        """Move the entry. Give one of `priority`, `places` and `to` ("front" or "back")."""
        return self._post("bump", **to)

    def ready(self, is_ready: bool) -> Any:
        return self._post("ready", ready=is_ready)

    def remove(self) -> None:
        self._post("remove")

    def ban(self) -> None:
        self._post("remove", ban=True)

    def unban(self, banned_at: str | None) -> None:
        """End the ban that began at `banned_at`. A later ban is not affected."""
        self._post("unban", banned_at=banned_at)

    def reinstate(self) -> Any:
        return self._post("reinstate")

    def redrive(self, parked_at: str | None, to: str) -> Any:
        """Return an entry that was parked at `parked_at` to its "place" or to the "back".

        An entry that was parked again later stays parked.
        """
        path = f"/{self.waitlist_id}/parked/{self.entry_id}/redrive"
        body = {"parked_at": parked_at, "to": to, "reason": self.reason}
        return self._send("POST", path, body)

    def complete(self, claim_token: str) -> Any:
        return self._send_to_claim("complete", claim_token, reason=self.reason)

    def release(self, claim_token: str, to: str, delay_seconds: int = 0) -> Any:
        """Return the entry to its "place" or to the "back". It is passed over during the delay."""
        body: dict[str, Any] = {"to": to, "reason": self.reason}
        if delay_seconds:
            body["delay_seconds"] = delay_seconds
        return self._send_to_claim("release", claim_token, **body)

    def extend(self, claim_token: str, lease_seconds: int | None) -> Any:
        return self._send_to_claim("extend", claim_token, lease_seconds=lease_seconds)

    def park(self, claim_token: str) -> Any:
        return self._send_to_claim("park", claim_token, reason=self.reason)

    def _send_to_claim(self, verb: str, claim_token: str, **body: Any) -> Any:
        path = f"/{self.waitlist_id}/claims/{self.entry_id}/{verb}"
        return self._send("POST", path, {"claim_token": claim_token, **body})

    def _post(self, verb: str, **body: Any) -> Any:
        return self._send("POST", f"{self.path}/{verb}", {**body, "reason": self.reason})

    def _send(self, method: str, path: str, body: Any = None) -> Any:
        return self.api.operator(method, path, body, key=self.key, policy=self.policy)
