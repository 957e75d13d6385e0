"""Sends an operator's requests about one person."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from waitlist_cli.client.retries import RetryPolicy

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api


@dataclass(frozen=True)
class Person:
    """Sends an operator's requests about one entry."""

    api: "Api"
    waitlist_id: str
    entry_id: str
    # The reason that the service stores in the history.
    reason: str = ""
    # The Idempotency-Key of every request.
    key: str | None = None
    policy: RetryPolicy | None = None

    @property
    def path(self) -> str:
        return f"/{self.waitlist_id}/entries/{self.entry_id}"

    def show(self) -> Any:
        return self._send("GET", self.path)

    def messages(self) -> Any:
        """Return the messages since the latest signup, with their delivery states."""
        return self._send("GET", f"{self.path}/messages")

    def edit(self, **changes: Any) -> Any:
        """Replace the profile, the attributes, or both."""
        return self._send("PATCH", self.path, {**changes, "reason": self.reason})

    def erase(self) -> None:
        self._send("DELETE", self.path)

    def token(self) -> Any:
        return self._send("POST", f"{self.path}/token")

    def link(self) -> Any:
        """Return a link to the customer page.

        The link shows the position or verifies the address.
        """
        return self._send("POST", f"{self.path}/link")

    def verify(self, joined_at: str | None) -> Any:
        """Mark the person as verified, unless the person has signed up again since `joined_at`."""
        return self._post("verify", joined_at=joined_at)

    def admit(self) -> Any:
        return self._post("admit")

    def withdraw(self, offered_until: str | None) -> Any:
        """Withdraw the offer that ends at `offered_until`.

        The service refuses if the offer has changed.
        """
        return self._post("withdraw", offered_until=offered_until)

    def exit(self) -> Any:
        return self._post("exit")

    def bump(self, **to: Any) -> Any:
        """Move the entry. Give exactly one of `priority`, `places` and `to`.

        `to` is "front" or "back".
        """
        return self._post("bump", **to)

    def ready(self, is_ready: bool) -> Any:
        return self._post("ready", ready=is_ready)

    def remove(self) -> None:
        self._post("remove")

    def ban(self) -> None:
        self._post("remove", ban=True)

    def unban(self, banned_at: str | None) -> None:
        """End the ban that began at `banned_at`. The service refuses to end a later ban."""
        self._post("unban", banned_at=banned_at)

    def reinstate(self) -> Any:
        return self._post("reinstate")

    def redrive(self, parked_at: str | None, to: str) -> Any:
        """Return an entry that was set aside (parked) at `parked_at` to the queue.

        `to` is "place" for the former place, or "back" for the end of the queue.
        """
        path = f"/{self.waitlist_id}/parked/{self.entry_id}/redrive"
        body = {"parked_at": parked_at, "to": to, "reason": self.reason}
        return self._send("POST", path, body)

    def complete(self, claim_token: str) -> Any:
        return self._send_to_claim("complete", claim_token, reason=self.reason)

    def release(self, claim_token: str, to: str, delay_seconds: int = 0) -> Any:
        """Release the claim. The entry cannot be claimed again until the delay is over.

        `to` is "place" for the former place, or "back" for the end of the queue.
        """
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
