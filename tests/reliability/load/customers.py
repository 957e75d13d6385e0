"""Simulates customers who sign up, repeat their signup and look at their position.

Some of them leave.
"""

from dataclasses import dataclass, field
from typing import Any

from tests.reliability.load.client import Client, LoadOver
from tests.reliability.load.plan import WAITLIST_ID

ENTRIES = f"/v1/waitlists/{WAITLIST_ID}/entries"
LOOKS = (0, 1, 2, 3)
REPEATS, LEAVES, LEAVES_TWICE = 0.2, 0.25, 0.2
REMEMBERED = 500


@dataclass
class Population:
    lately: list[tuple[str, str]] = field(default_factory=list)
    tokens: dict[str, str] = field(default_factory=dict)

    def add(self, person: str, entry_id: str, token: str) -> None:
        self.tokens[person] = token
        self.lately.append((person, entry_id))
        del self.lately[:-REMEMBERED]


async def customers(client: Client, name: str, population: Population) -> None:
    number = 0
    try:
        while not client.load.is_over:
            number += 1
            await _visit(client, f"{name}-{number}", population)
    except LoadOver:
        return


async def _visit(client: Client, person: str, population: Population) -> None:
    chance = client.random.random
    body = {"customer_id": person, "profile": {"name": person}}
    signup: dict[str, Any] = {"key": f"signup-of-customer-{person}", "json": body}
    operation = await client.customer("signup", person, "POST", ENTRIES, **signup)
    if not operation.is_done:
        return
    token, path = operation.answer["entry_token"], f"{ENTRIES}/{operation.answer['entry_id']}"
    population.add(person, operation.answer["entry_id"], token)
    if chance() < REPEATS:
        await client.customer("repeat", person, "POST", ENTRIES, **signup)
    for _ in range(client.random.choice(LOOKS)):
        await client.customer("look", person, "GET", path, token=token)
    if chance() < LEAVES:
        await client.customer("leave", person, "DELETE", path, token=token)
        if chance() < LEAVES_TWICE:
            await client.customer("leave", person, "DELETE", path, token=token)
