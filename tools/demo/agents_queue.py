"""A call centre's waitlist, which the demo uses over HTTP."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tools.demo.agents_story import SEGMENTS, Agent, Segment, queue_of
from tools.local.api_client import ApiClient

PAGE = 100


@dataclass(frozen=True)
class Queue:
    """`depth` is the queue's length as the service reports it. `agents` are the agents' names in
    queue order.
    """

    depth: int
    agents: tuple[str, ...]


class AgentsQueue:
    def __init__(self, client: ApiClient, waitlist_id: str) -> None:
        self.waitlist_id = waitlist_id
        self._client = client
        self._admin = f"/v1/admin/waitlists/{waitlist_id}"
        self._claims: dict[str, dict[str, Any]] = {}
        self._entry_ids: dict[Agent, str] = {}

    def open(self) -> None:
        settings = {"name": "Agents", "segments": SEGMENTS, "rejoin": "always"}
        self._client.operator("PUT", self._admin, json=settings)

    def join(self, agent: Agent) -> None:
        answer = self._client.customer(
            "POST",
            f"/v1/waitlists/{self.waitlist_id}/entries",
            json={"customer_id": agent.name, "attributes": agent.attributes},
            key=str(uuid.uuid4()),
        )
        self._entry_ids[agent] = answer["entry_id"]

    def answer(self, wanted: Segment) -> str | None:
        """Return the name of the agent who takes the call, or None if no agent is suitable."""
        answer = self._client.operator(
            "POST",
            f"{self._admin}/claims",
            json={"count": 1, "filter": wanted},
            key=str(uuid.uuid4()),
        )
        for claim in answer["claims"]:
            self._claims[claim["customer_id"]] = claim
            return str(claim["customer_id"])
        return None

    def end_call(self, agent: Agent) -> None:
        claim = self._claims.pop(agent.name)
        path = f"{self._admin}/claims/{claim['entry_id']}/complete"
        self._client.operator("POST", path, json={"claim_token": claim["claim_token"]})
        self.join(agent)

    def statuses(self) -> dict[Agent, str]:
        """Return each agent's status. An agent who is on a call has the status `offered`."""
        paths = {
            agent: f"{self._admin}/entries/{entry_id}"
            for agent, entry_id in self._entry_ids.items()
        }
        return {agent: self._client.operator("GET", paths[agent])["status"] for agent in paths}

    def queues(self) -> dict[str, Queue]:
        waiting = self._client.operator("GET", f"{self._admin}/entries", params={"limit": PAGE})
        depths = self._client.operator("GET", f"{self._admin}/segments", params={"limit": PAGE})
        return {
            queue_of(segment["segment"]): Queue(
                depth=segment["waiting"],
                agents=tuple(
                    entry["customer_id"]
                    for entry in waiting["entries"]
                    if _is_in(entry["attributes"], segment["segment"])
                ),
            )
            for segment in depths["segments"]
        }


def _is_in(attributes: Mapping[str, str | list[str]], segment: Segment) -> bool:
    return all(value in _values(attributes[name]) for name, value in segment.items())


def _values(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value
