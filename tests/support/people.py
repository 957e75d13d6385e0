"""Sends HTTP requests on behalf of a waitlist's customers and operator."""

from dataclasses import dataclass, field
from typing import Any

from tests.support.gateway import Answer
from tests.support.world import SECRET, World
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.clock import iso
from waitlist_queue import keys
from waitlist_shared.ids import entry_id_of

WAITLIST_ID = "bakery"


@dataclass
class People:
    """Sends HTTP requests about one waitlist to a deployment of the service."""

    world: World
    waitlist_id: str = WAITLIST_ID
    names: dict[str, str] = field(default_factory=dict)
    entry_tokens: dict[str, str] = field(default_factory=dict)

    @property
    def path(self) -> str:
        return f"/v1/waitlists/{self.waitlist_id}"

    @property
    def admin_path(self) -> str:
        return f"/v1/admin/waitlists/{self.waitlist_id}"

    def id_of(self, name: str) -> str:
        entry_id = entry_id_of(self.waitlist_id, name)
        self.names[entry_id] = name
        return entry_id

    def token_of(self, name: str) -> str:
        """Return the entry token for the customer's last signup. If the signup returned none, issue
        one.
        """
        if name in self.entry_tokens:
            return self.entry_tokens[name]
        entry_id = self.id_of(name)
        return EntryTokens(SECRET).issue(self.waitlist_id, entry_id, self.stay_of(name))

    def stay_of(self, name: str) -> int:
        record = self.world.services.entries.get(self.waitlist_id, self.id_of(name))
        return (record.ticket if record else None) or 0

    def entry(self, name: str) -> str:
        return f"{self.path}/entries/{self.id_of(name)}"

    def admin_entry(self, name: str) -> str:
        return f"{self.admin_path}/entries/{self.id_of(name)}"

    def configure(self, **settings: Any) -> Answer:
        body = {"name": "Bakery", **settings}
        return self.world.request("PUT", self.admin_path, body=body, operator=True)

    def sign_up(self, name: str, key: str | None = None, **fields: Any) -> Answer:
        self.id_of(name)
        # Pad short keys, which only tests use. The API requires at least 16 characters.
        if key and key.isascii() and key.replace("-", "").isalnum():
            key = key.ljust(16, "-")
        body = {"customer_id": name, **fields}
        answer = self.world.request("POST", f"{self.path}/entries", body=body, key=key)
        if answer.status in (200, 201) and "entry_token" in answer.json:
            self.entry_tokens[name] = answer.json["entry_token"]
        return answer

    def all_sign_up(self, *names: str) -> None:
        for name in names:
            answer = self.sign_up(name, key=f"signup-{name}")
            assert answer.status == 201, answer.text

    def bring(self, *rows: Any, **options: Any) -> Answer:
        """Import rows. A string stands for a row with only this customer id."""
        entries = [{"customer_id": row} if isinstance(row, str) else row for row in rows]
        for row in entries:
            if isinstance(row, dict) and isinstance(row.get("customer_id"), str):
                self.id_of(row["customer_id"])
                self.entry_tokens.pop(row["customer_id"], None)
        # Only the `/import/tokens` route returns entry tokens.
        path = f"{self.admin_path}/import" + "/tokens" * options.pop("entry_tokens", False)
        body = {"entries": entries, **options}
        return self.world.request("POST", path, body=body, operator=True)

    def poll(self, name: str, query: str = "") -> Answer:
        token = self.token_of(name)
        return self.world.request("GET", self.entry(name), token=token, query=query)

    def leave(self, name: str) -> Answer:
        return self.world.request("DELETE", self.entry(name), token=self.token_of(name))

    def remove(self, name: str, key: str | None = None, **body: Any) -> Answer:
        path = f"{self.admin_entry(name)}/remove"
        return self.world.request("POST", path, body=body, key=key, operator=True)

    def ban(self, name: str, key: str | None = None, **body: Any) -> Answer:
        return self.remove(name, key, ban=True, **body)

    def unban(self, name: str, **body: Any) -> Answer:
        path = f"{self.admin_entry(name)}/unban"
        return self.world.request("POST", path, body=body, operator=True)

    def reinstate(self, name: str, key: str | None = None, **body: Any) -> Answer:
        path = f"{self.admin_entry(name)}/reinstate"
        answer = self.world.request("POST", path, body=body, key=key, operator=True)
        if answer.status == 200:
            # The old entry token belongs to the earlier signup and is no longer valid.
            self.entry_tokens.pop(name, None)
        return answer

    def rest(self, name: str, seconds: float, key: str | None = None) -> Answer:
        body = {"until": iso(self.world.clock.now_millis() + int(seconds * 1000))}
        path, token = f"{self.entry(name)}/rest", self.token_of(name)
        return self.world.request("POST", path, body=body, key=key, token=token)

    def resume(self, name: str, rest_until: str | None = None) -> Answer:
        """End a customer's pause, which would otherwise last until `rest_until`. By default, the
        customer's current pause ends.
        """
        body = {"rest_until": rest_until or self.poll(name).json["rest_until"]}
        path, token = f"{self.entry(name)}/resume", self.token_of(name)
        return self.world.request("POST", path, body=body, token=token)

    def confirm(self, name: str) -> Answer:
        token = self.token_of(name)
        return self.world.request("POST", f"{self.entry(name)}/confirm", token=token)

    def ask_all(self, query: str = "", **body: Any) -> Answer:
        path = f"{self.admin_path}/confirm"
        return self.world.request("POST", path, body=body, query=query, operator=True)

    def hold_back(self, name: str, *, ready: bool = False, reason: str = "") -> Answer:
        body = {"ready": ready, "reason": reason}
        path = f"{self.admin_entry(name)}/ready"
        return self.world.request("POST", path, body=body, operator=True)

    def bump(self, name: str, key: str | None = None, **where: Any) -> Answer:
        path = f"{self.admin_entry(name)}/bump"
        return self.world.request("POST", path, body=where, key=key, operator=True)

    def edit(self, name: str, **fields: Any) -> Answer:
        return self.world.request("PATCH", self.admin_entry(name), body=fields, operator=True)

    def erase(self, name: str) -> Answer:
        self.entry_tokens.pop(name, None)
        return self.world.request("DELETE", self.admin_entry(name), operator=True)

    def person(self, name: str) -> Answer:
        return self.world.request("GET", self.admin_entry(name), operator=True)

    def page(self, query: str = "") -> Answer:
        path = f"{self.admin_path}/entries"
        return self.world.request("GET", path, operator=True, query=query)

    def stats(self) -> Answer:
        return self.world.request("GET", f"{self.admin_path}/stats", operator=True)

    def segments(self, query: str = "") -> Answer:
        path = f"{self.admin_path}/segments"
        return self.world.request("GET", path, operator=True, query=query)

    def delete_waitlist(self) -> Answer:
        return self.world.request("DELETE", self.admin_path, operator=True)

    def order(self) -> list[str]:
        answer = self.page()
        assert answer.status == 200, answer.text
        return [self.names[entry["entry_id"]] for entry in answer.json["entries"]]

    def events(self, name: str) -> list[str]:
        answer = self.person(name)
        return [] if answer.status == 404 else [event["event"] for event in answer.json["history"]]

    def lose_place(self, name: str) -> None:
        """Delete an entry from Redis, as a failover to a lagging replica can do."""
        redis, entry_id = self.world.redis, self.id_of(name)
        redis.zrem(keys.queue(self.waitlist_id), entry_id)
        redis.hdel(keys.tickets_of_moved(self.waitlist_id), entry_id)
        redis.hdel(keys.tags(self.waitlist_id), entry_id)
        for member in redis.zrange(keys.segments(self.waitlist_id), 0, -1):
            if member.endswith(entry_id):
                redis.zrem(keys.segments(self.waitlist_id), member)
