"""The FastAPI check of docs/admission-pass.md lets passes in and refuses all others."""

import asyncio
from typing import Any

import httpx

from tests.support.passes import ENTRY_ID, Issuer, documented_check, issuer_at_a_url


def test_it_lets_passes_of_its_list_in_and_no_others() -> None:
    """P5"""
    with issuer_at_a_url() as issuer:
        names: dict[str, Any] = {}
        exec(documented_check("python", issuer), names)
        asyncio.run(_check(names["app"], issuer))


async def _check(app: Any, issuer: Issuer) -> None:
    place = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=place, base_url="https://place.example.com") as http:

        async def shop(token: str) -> httpx.Response:
            return await http.get("/shop", headers={"Authorization": f"Bearer {token}"})

        assert (await shop(issuer.issue())).json() == {"welcome": ENTRY_ID}
        for name, token in issuer.refused().items():
            assert (await shop(token)).status_code == 401, name
        assert (await http.get("/shop")).status_code in (401, 403)
