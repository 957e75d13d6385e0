"""Offers slots, withdraws offers, and lets admitted people out."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from waitlist_cli.operations.action import ENTRY, REASON, Action, Document, Field
from waitlist_cli.terminal.output import format_value

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

MOST_ADMITTED = 100


def back_in_queue(entry: Document) -> str:
    return f"{{who}} is back in the queue, at position {format_value(entry['position'])}."


ADMIT_PERSON = Action(
    name="admit",
    summary="Offer a slot to one person.",
    title="Admit {who} now?",
    consequence="The person gets a slot now, regardless of the position, the rate and the "
    "schedule.",
    button="Admit",
    path=f"{ENTRY}/admit",
    fields=(REASON,),
    notice=lambda entry: (
        f"{{who}} has an offer until {format_value(entry['offered_until'])}."
        if entry["offered_until"]
        else "{who} is admitted."
    ),
)
WITHDRAW = Action(
    name="withdraw",
    summary="Withdraw an offer.",
    title="Take back the offer of {who}?",
    consequence="The person waits at their old place again, and the next person gets the slot.",
    button="Take back",
    path=f"{ENTRY}/withdraw",
    # A later offer stays valid.
    fields=(
        Field(
            "offered_until",
            "Offered until",
            "seen",
            option="--offered-until",
            help="Withdraw the offer only if it ends at this time. Default: withdraw the current "
            "offer.",
        ),
        REASON,
    ),
    notice=back_in_queue,
)
EXIT = Action(
    name="exit",
    summary="Record the exit of an admitted person.",
    title="Let {who} out?",
    consequence="The slot inside becomes free at once, and the service treats the pass as ended.",
    button="Let out",
    path=f"{ENTRY}/exit",
    fields=(REASON,),
    notice=lambda answer: (
        f"{{who}} has been out since {format_value(answer['exited_at'])}. The slot inside is free."
    ),
    prints_notice=True,
    is_final=True,
)


def admissions(
    api: "Api",
    waitlist_id: str,
    count: int,
    filter_: dict[str, str] | None = None,
    *,
    key: str,
    filters: list[dict[str, str]] | None = None,
    refill: bool = False,
) -> Iterator[list[dict[str, Any]]]:
    """Offer `count` slots, and yield the entries that each request offered a slot.

    If `refill` is true, the requests fill a quota instead. A count of 0 ends the quota.
    """
    for number, first in enumerate(range(0, max(1, count), MOST_ADMITTED), start=1):
        body: dict[str, Any] = {"count": min(MOST_ADMITTED, count - first), "filter": filter_}
        if filters:
            body["filters"] = filters
        if refill:
            body["refill"] = True
        found = api.operator("POST", f"/{waitlist_id}/admit", body, key=f"{key}.{number}")[
            "entries"
        ]
        # A repeated request leaves out offers that have ended, so only an empty response means that
        # nobody is left. A quota goes on even if nobody gets a slot yet.
        if not found and not refill:
            return
        yield found
