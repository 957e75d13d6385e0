"""Asks the customers of a waitlist whether they are still waiting."""

from typing import TYPE_CHECKING

from waitlist_cli.client.paging import PAGE
from waitlist_cli.client.retries import PATIENT

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api


def ask_all(api: "Api", waitlist_id: str, days: int = 0, *, dry_run: bool = False) -> int:
    """Ask all waiting people whether they are still waiting, and return how many were asked.

    People who signed up, were asked or confirmed within the last `days` days are skipped.
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
