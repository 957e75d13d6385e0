"""Operators: they claim, complete, release, let holds expire, and bump recent signups."""

from typing import Any

from tests.reliability.load.client import Client, LoadOver
from tests.reliability.load.customers import Population
from tests.reliability.load.plan import WAITLIST_ID

ADMIN = f"/v1/admin/waitlists/{WAITLIST_ID}"
MOST_CLAIMED = 5
COMPLETES, RELEASES = 0.7, 0.2  # of the claimed entries; the other holds expire
BUMPS = 3
# Most change only the priority, because the oracle can check the order within a priority.
WHERE: tuple[dict[str, Any], ...] = (
    {"priority": 1},
    {"priority": 2},
    {"priority": 0},
    {"places": 3},
    {"to": "front"},
    {"to": "back"},
)


async def operators(client: Client, name: str, population: Population) -> None:
    number = 0
    try:
        while not client.load.is_over:
            number += 1
            await _turn(client, f"{name}-{number}", population)
    except LoadOver:
        return


async def _turn(client: Client, key: str, population: Population) -> None:
    await _admit(client, key)
    for number in range(BUMPS):
        if population.lately:
            person, entry_id = client.random.choice(population.lately)
            where = client.random.choice(WHERE)
            path = f"{ADMIN}/entries/{entry_id}/bump"
            bump = {"key": f"{key}-bump-{number}", "json": where}
            await client.operator("bump", person, "POST", path, **bump)
    await client.operator("stats", "", "GET", f"{ADMIN}/stats")


async def _admit(client: Client, key: str) -> None:
    count = client.random.randint(1, MOST_CLAIMED)
    claim = {"key": f"{key}-claim", "json": {"count": count}}
    operation = await client.operator("claim", "", "POST", f"{ADMIN}/claims", **claim)
    for held in operation.answer["claims"] if operation.is_done else ():
        chance, token = client.random.random(), {"claim_token": held["claim_token"]}
        person, path = held["customer_id"], f"{ADMIN}/claims/{held['entry_id']}"
        if chance < COMPLETES:
            await client.operator("complete", person, "POST", f"{path}/complete", json=token)
        elif chance < COMPLETES + RELEASES:
            await client.operator("release", person, "POST", f"{path}/release", json=token)
