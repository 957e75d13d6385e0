"""Asks the customers of a waitlist whether they still wait, one page in each request."""

from typing import TYPE_CHECKING

from waitlist_cli.client.paging import PAGE
from waitlist_cli.client.retries import PATIENT

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api


def ask_all(api: "Api", waitlist_id: str, days: int = 0, *, dry_run: bool = False) -> int:
    """Ask everyone who waits and has no open question, and return how many people were asked.

    If `dry_run` is true, ask no one and return how many people would be asked. People who signed
    up, were asked or confirmed within the last `days` days are left out. A repeat asks no one
    twice.
    """
    asked, cursor = 0, ""
    while True:
        params: dict[str, str | int] = {"limit": PAGE}
        if cursor:
            params["cursor"] = cursor
        body = {"dry_run": dry_run, "days": days}
        page = api.operator("POST", f"/{waitlist_id}/confirm", body, params=params, policy=PATIENT)
        asked += int(page["asked"])
        cursor = page["cursor"]
        if cursor is None:
            return asked
