"""Sends operators' and customers' requests over HTTP. Each customer has a name that is unique in a
test.
"""

from dataclasses import dataclass, field
from typing import Any

from tests.support.gateway import Answer
from tests.support.people import People

FOREIGN_TOKEN = "0" * 40


@dataclass
class Admissions(People):
    """Sends requests about claims and offers.

    `tokens` contains each customer's latest claim token.
    """

    tokens: dict[str, str] = field(default_factory=dict)

    def claim(self, count: int = 1, key: str | None = None, **body: Any) -> Answer:
        path = f"{self.admin_path}/claims"
        body = {"count": count, **body}
        answer = self.world.request("POST", path, body=body, key=key, operator=True)
        if answer.status == 200:
            for claim in answer.json["claims"]:
                self.tokens[self.names[claim["entry_id"]]] = claim["claim_token"]
        return answer

    def claimed(self, count: int = 1, key: str | None = None, **body: Any) -> list[str]:
        answer = self.claim(count, key, **body)
        assert answer.status == 200, answer.text
        return [self.names[claim["entry_id"]] for claim in answer.json["claims"]]

    def act(self, verb: str, name: str, token: str | None = None, **body: Any) -> Answer:
        """Send a request about a claimed entry, by default with the customer's latest claim
        token.
        """
        path = f"{self.admin_path}/claims/{self.id_of(name)}/{verb}"
        body = {"claim_token": token or self.tokens.get(name, FOREIGN_TOKEN), **body}
        return self.world.request("POST", path, body=body, operator=True)

    def call(self, name: str, to: str, key: str | None = None, token: str | None = None) -> Answer:
        path = f"{self.admin_path}/claims/{self.id_of(name)}/call"
        body = {"claim_token": token or self.tokens.get(name, FOREIGN_TOKEN), "to": to}
        return self.world.request("POST", path, body=body, key=key, operator=True)

    def complete(self, name: str, token: str | None = None, **body: Any) -> Answer:
        return self.act("complete", name, token, **body)

    def release(self, name: str, token: str | None = None, **body: Any) -> Answer:
        return self.act("release", name, token, **body)

    def extend(self, name: str, token: str | None = None, **body: Any) -> Answer:
        return self.act("extend", name, token, **body)

    def park(self, name: str, token: str | None = None, **body: Any) -> Answer:
        return self.act("park", name, token, **body)

    def redrive(self, name: str, **body: Any) -> Answer:
        path = f"{self.admin_path}/parked/{self.id_of(name)}/redrive"
        return self.world.request("POST", path, body=body, operator=True)

    def admit(self, count: int, key: str | None = None, **body: Any) -> Answer:
        path = f"{self.admin_path}/admit"
        body = {"count": count, **body}
        return self.world.request("POST", path, body=body, key=key, operator=True)

    def admit_one(self, name: str, key: str | None = None, **body: Any) -> Answer:
        return self._by_operator(name, "admit", body, key)

    def claim_one(self, name: str, key: str | None = None, **body: Any) -> Answer:
        answer = self._by_operator(name, "claim", body, key)
        if answer.status == 200:
            self.tokens[name] = answer.json["claim_token"]
        return answer

    def withdraw(self, name: str, **body: Any) -> Answer:
        return self._by_operator(name, "withdraw", body)

    def _by_operator(
        self, name: str, verb: str, body: dict[str, Any], key: str | None = None
    ) -> Answer:
        path = f"{self.admin_path}/entries/{self.id_of(name)}/{verb}"
        return self.world.request("POST", path, body=body, key=key, operator=True)

    def enter(self, name: str) -> Answer:
        return self._by_customer(name, "enter")

    def decline(
        self, name: str, to: str | None = "back", key: str | None = None, **body: Any
    ) -> Answer:
        return self._by_customer(name, "decline", {"to": to, **body}, key)

    def exit(self, name: str) -> Answer:
        return self._by_customer(name, "exit")

    def _by_customer(
        self, name: str, verb: str, body: dict[str, Any] | None = None, key: str | None = None
    ) -> Answer:
        path = f"{self.path}/entries/{self.id_of(name)}/{verb}"
        return self.world.request("POST", path, body=body, key=key, token=self.token_of(name))

    def status(self, name: str) -> str:
        answer = self.poll(name)
        return str(answer.json["status"]) if answer.status == 200 else str(answer.code)

    def place(self, name: str) -> tuple[int | None, int | None]:
        answer = self.poll(name)
        assert answer.status == 200, answer.text
        return answer.json["position"], answer.json["total"]

    def listed(self, status: str) -> list[str]:
        """Return all customers with a status, from all pages of the operators' list."""
        found: list[str] = []
        cursor = ""
        while True:
            answer = self.page(f"status={status}&limit=100{cursor}")
            assert answer.status == 200, answer.text
            found += [self.names[entry["entry_id"]] for entry in answer.json["entries"]]
            if answer.json["cursor"] is None:
                return found
            cursor = f"&cursor={answer.json['cursor']}"

    def counts(self) -> tuple[int, int, int, int, int]:
        answer = self.stats()
        assert answer.status == 200, answer.text
        waiting, offered, parked, admitted, left = (
            int(answer.json[name]) for name in ("waiting", "offered", "parked", "admitted", "left")
        )
        return waiting, offered, parked, admitted, left

    def recorded(self, name: str) -> dict[str, Any]:
        record = self.world.services.entries.get(self.waitlist_id, self.id_of(name))
        assert record is not None, f"{name} has no record"
        return record.values()
