"""Tests the FastAPI code in docs/app/admission-pass.md that checks passes. It must accept valid
passes and refuse everything else.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx

from tests.support.passes import ENTRY_ID, EVENTS, Issuer, documented_check, issuer_at_a_url


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


def test_a_pass_serves_the_browser_that_used_it_first_until_its_customer_exits() -> None:
    """A pass stands for one admission, so a second browser cannot use it (promise P4)."""
    with issuer_at_a_url() as issuer:
        names: dict[str, Any] = {}
        exec(documented_check("python", issuer), names)
        asyncio.run(_browsers(names["app"], names["on_event"], issuer))


async def _browsers(app: Any, on_event: Callable[[dict[str, str]], None], issuer: Issuer) -> None:
    place = httpx.ASGITransport(app)
    url = "https://place.example.com"
    async with (
        httpx.AsyncClient(transport=place, base_url=url) as first,
        httpx.AsyncClient(transport=place, base_url=url) as second,
    ):

        async def shop(browser: httpx.AsyncClient, jti: str) -> int:
            headers = {"Authorization": f"Bearer {issuer.issue(jti=jti)}"}
            return (await browser.get("/shop", headers=headers)).status_code

        assert [await shop(first, "one") for _ in range(2)] == [200, 200]
        assert await shop(second, "one") == 403
        assert await shop(second, "two") == 200
        for event in EVENTS:
            on_event(event)
        assert await shop(first, "one") == 403
        assert await shop(second, "two") == 200
        assert await shop(first, "three") == 403
