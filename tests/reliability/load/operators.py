"""Simulates operators, who claim, complete and release entries, let claims expire, make offers and
move entries.
"""

from typing import Any

from tests.reliability.load.client import Client, LoadOver
from tests.reliability.load.customers import ENTRIES, Population
from tests.reliability.load.plan import WAITLIST_ID

ADMIN = f"/v1/admin/waitlists/{WAITLIST_ID}"
MOST_CLAIMED = 5
# 70% of the claims are completed, 20% are released, and the others expire.
COMPLETES, RELEASES = 0.7, 0.2
# 80% of the customers accept their offer, and the others decline it.
ENTERS = 0.8
BUMPS = 3
# Operators' moves. Half of them only change the priority, after which the checks know the exact
# order of the entries.
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
            await _turn(client, name, number, population)
    except LoadOver:
        return


async def _turn(client: Client, name: str, turn: int, population: Population) -> None:
    """Alternate between claims and offers, because even a short load test must contain both."""
    key = f"{name}-{turn}"
    if turn % 2:
        await _claim(client, key)
    else:
        await _offer(client, key, population)
    for number in range(BUMPS):
        if population.lately:
            person, entry_id = client.random.choice(population.lately)
            where = client.random.choice(WHERE)
            path = f"{ADMIN}/entries/{entry_id}/bump"
            bump = {"key": f"{key}-bump-{number}", "json": where}
            await client.operator("bump", person, "POST", path, **bump)
    await client.operator("stats", "", "GET", f"{ADMIN}/stats")


async def _offer(client: Client, key: str, population: Population) -> None:
    """Make offers, and accept or decline them on the customers' behalf, because the simulated
    customers do not wait for offers.
    """
    count = client.random.randint(1, MOST_CLAIMED)
    admit = {"key": f"{key}-admit", "json": {"count": count}}
    operation = await client.operator("admit", "", "POST", f"{ADMIN}/admit", **admit)
    for offer in operation.answer["entries"] if operation.is_done else ():
        person, path = offer["customer_id"], f"{ENTRIES}/{offer['entry_id']}"
        # The customer's entry token is unknown if the signup got no response.
        if (token := population.tokens.get(person)) is None:
            continue
        if client.random.random() < ENTERS:
            await client.customer("enter", person, "POST", f"{path}/enter", token=token)
        else:
            leave: dict[str, Any] = {"token": token, "json": {"to": "leave"}}
            await client.customer("decline", person, "POST", f"{path}/decline", **leave)


async def _claim(client: Client, key: str) -> None:
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
