"""Asks a waitlist's customers whether they are still waiting."""

from typing import TYPE_CHECKING, Any

from waitlist_cli.client.paging import PAGE
from waitlist_cli.client.retries import PATIENT
from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.action import Field, ListAction, ListRequest
from waitlist_cli.terminal.output import format_count

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api


def ask_all(api: "Api", waitlist_id: str, days: int = 0, *, dry_run: bool = False) -> int:
    """Ask all people in the queue whether they are still waiting.

    Return the number of people asked. A person is skipped if they have signed up, confirmed or been
    asked in the last `days` days.
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


def _ask(request: ListRequest) -> tuple[str, Any]:
    count = ask_all(request.api, request.waitlist_id, request.values.get("days", 0))
    people = format_count(count, "person was", "people were")
    return f"{people} asked whether they are still waiting.", count


def _count(request: ListRequest) -> str:
    """Say how many people would be asked whether they are still waiting.

    Raise WrongUsage if nobody would be asked.
    """
    days = request.values.get("days", 0)
    count = ask_all(request.api, request.waitlist_id, days, dry_run=True)
    if not count:
        raise WrongUsage("No one would be asked.")
    return f"{format_count(count, 'person', 'people')} would be asked. This cannot be undone."


DAYS = Field(
    "days",
    "Leave out the last … days",
    "number",
    "Number of days. People who have signed up, confirmed or been asked within this time are "
    "left out. By default, everyone is asked.",
)
ASK = ListAction(
    name="ask",
    title="Ask everyone on {who} whether they are still waiting",
    consequence="The service publishes an event for each person, so that you can send a message. "
    "It skips people who have already been asked, who are letting others go first, or whom an "
    "operator is holding back.",
    more=lambda waitlist: (
        f"They have {format_count(waitlist['confirm']['answer_days'], 'day', 'days')} to confirm."
        if waitlist["confirm"]
        else "The settings do not say what happens to people who do not answer. Change the "
        "settings first."
    ),
    label="Still there?",
    path="/{waitlist_id}/confirm",
    fields=(DAYS,),
    carry_out=_ask,
    ask_again=_count,
    first_button="Count the people",
)
