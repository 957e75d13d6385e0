"""Offers slots, withdraws offers, and lets admitted people out."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.action import (
    ENTRY,
    REASON,
    Document,
    Field,
    ListAction,
    ListRequest,
    PersonAction,
)
from waitlist_cli.operations.claim import COUNT, FILTER
from waitlist_cli.terminal.output import format_count, format_value

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

MOST_ADMITTED = 100
MOST_ADMITTED_AT_ONCE = 1_000
QUOTA_ENDED = "The quota has ended. Open offers stay valid."
NO_MORE = "No one else is waiting, or max_inside leaves no more room."


def back_in_queue(entry: Document) -> str:
    return f"{{who}} is back in the queue, at position {format_value(entry['position'])}."


ADMIT_PERSON = PersonAction(
    name="admit",
    summary="Offer a slot to one person.",
    title="Admit {who} now?",
    consequence="The person gets a slot now, regardless of the position, the rate and the "
    "schedule.",
    path=f"{ENTRY}/admit",
    notice=lambda entry: (
        f"{{who}} has an offer until {format_value(entry['offered_until'])}."
        if entry["offered_until"]
        else "{who} is admitted."
    ),
)
WITHDRAW = PersonAction(
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
EXIT = PersonAction(
    name="exit",
    summary="Record the exit of an admitted person.",
    title="Let {who} out?",
    consequence="The slot inside becomes free at once, and the service treats the pass as ended.",
    button="Let out",
    path=f"{ENTRY}/exit",
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
    filters: Mapping[str, Any],
    *,
    key: str,
    refill: bool = False,
) -> Iterator[list[dict[str, Any]]]:
    """Offer `count` slots, and yield the entries that each request offered a slot.

    `filters` is the part of the request body that says which people get a slot. If `refill` is
    true, the requests fill a quota instead. A count of 0 ends the quota.
    """
    for number, first in enumerate(range(0, max(1, count), MOST_ADMITTED), start=1):
        body = {**filters, "count": min(MOST_ADMITTED, count - first)}
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


def _admit(request: ListRequest) -> tuple[str, Any]:
    filters = dict(request.values)
    count, unused = filters.pop(COUNT.name), filters.pop(UNUSED.name)
    refill, send = unused == "refill", partial(admissions, request.api, request.waitlist_id)
    if unused == "end":
        return QUOTA_ENDED, list(send(0, {}, key=request.key))
    if refill and filters:
        raise WrongUsage("A quota applies to the whole list. Leave the filter empty.")
    pages = send(count, filters, key=request.key, refill=refill)
    entries = [entry for page in pages for entry in page]
    notice = f"{format_count(len(entries), 'person has', 'people have')} a slot."
    if len(entries) < count:
        notice += " The quota continues with the next people." if refill else f" {NO_MORE}"
    return notice, entries


UNUSED = Field(
    "unused",
    "Unused slots",
    "choice",
    options=(
        ("lapse", "Lapse"),
        ("refill", "Go to the next people, until that many have entered"),
        ("end", "Offer no slots now, and end the rest of the quota"),
    ),
    value="lapse",
)
ADMIT = ListAction(
    name="admit",
    title="Admit people of {who}",
    consequence="The first people in the queue get a slot now, regardless of the rate and the "
    "schedule.",
    more=lambda waitlist: (
        "They are admitted at once."
        if (waitlist["admission"] or {}).get("acceptance") == "automatic"
        else "They get an offer."
    ),
    path="/{waitlist_id}/admit",
    fields=(
        replace(COUNT, at_most=MOST_ADMITTED_AT_ONCE),
        UNUSED,
        FILTER,
    ),
    carry_out=_admit,
)
