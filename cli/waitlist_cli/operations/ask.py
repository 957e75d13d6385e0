"""Asks the customers of a waitlist whether they are still waiting.

Each request asks one page.
"""

from typing import TYPE_CHECKING

from waitlist_cli.client.paging import PAGE
from waitlist_cli.client.retries import PATIENT

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api


def ask_all(api: "Api", waitlist_id: str, days: int = 0, *, dry_run: bool = False) -> int:
    """Ask all waiting people whether they are still waiting, and return how many were asked.

    Skip people who have not answered an earlier question, and people who signed up, were asked or
    confirmed within the last `days` days. Because of this, it is safe to repeat the call. If
    `dry_run` is true, only count the people who would be asked.
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
