"""Offers slots, withdraws offers, and lets admitted people out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from waitlist_cli.operations.action import (
    ENTRY,
    REASON,
    Bulk,
    Document,
    Field,
    Inverse,
    ListAction,
    ListRequest,
    PersonAction,
)
from waitlist_cli.operations.claim import COUNT, FILTER
from waitlist_cli.operations.declared import defaults
from waitlist_cli.operations.names import MOST_NAMES, list_names, name_of
from waitlist_cli.operations.person import Person
from waitlist_cli.terminal.output import format_count, format_duration, format_value
from waitlist_cli.terminal.times import local_text

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

MOST_ADMITTED = 100
MOST_ADMITTED_AT_ONCE = 1_000
QUOTA_ENDED = "The quota has ended. Open offers stay valid."
NO_MORE = "No one else is waiting, or the max_inside limit is reached."
OFFER_SECONDS = Field(
    "offer_seconds",
    "Offers last, in seconds",
    "number",
    "Number of seconds that the person has to accept the offer, such as 172800 for two days. The "
    "maximum is 14 days. By default, the waitlist's offer_seconds setting decides.",
    at_least=10,
    at_most=14 * 86_400,
    option="--offer-seconds",
)


def end_after(seconds: int, zone: str) -> str:
    """Describe when an offer ends if it is made now and lasts this many seconds."""
    until = datetime.now(UTC) + timedelta(seconds=seconds)
    return moment_text(until.isoformat(), zone)


def moment_text(time: str, zone: str = "") -> str:
    """Format a time in a time zone, such as `14:03 on Sun 29 Nov 2026 (Europe/Berlin)`.

    Without a time zone, the time is in UTC, such as `2026-11-29 13:03:07Z`.
    """
    if not zone:
        return format_value(time)
    return local_text(datetime.fromisoformat(time), zone)


def offers_end(waitlist: Document) -> str:
    """Describe when an offer ends if an operator makes it now and chooses no other time."""
    policy = waitlist["admission"] or defaults("admission")
    if policy["acceptance"] == "automatic":
        return "People are admitted at once."
    seconds = policy["offer_seconds"]
    return (
        f"If you enter no other time, an offer lasts {format_duration(seconds)}. It ends at "
        f"{end_after(seconds, waitlist['timezone'])}."
    )


def offered_until(entries: list[dict[str, Any]], zone: str = "") -> str:
    """Describe when the offers to these entries end.

    If the offers end at different times, give only the earliest. Without a time zone, the time is
    in UTC.
    """
    ends = sorted({entry["offered_until"] for entry in entries if entry["offered_until"]})
    if not ends:
        return ""
    end = moment_text(ends[0], zone) if zone else ends[0]
    return f" {'The offers end' if len(ends) == 1 else 'The first offer ends'} at {end}."


def withdrawals(entries: Sequence[Document]) -> list[Inverse]:
    """Return the requests that withdraw these offers.

    People who were admitted at once, without an offer, stay admitted.
    """
    return [
        Inverse("withdraw", entry["entry_id"], {"offered_until": entry["offered_until"]})
        for entry in entries
        if entry["offered_until"]
    ]


def back_in_queue(entry: Document) -> str:
    return f"{{who}} is back in the queue, at position {format_value(entry['position'])}."


def makes_offers(waitlist: Document) -> bool:
    """Return whether people whom an operator admits get an offer that they must accept."""
    policy = waitlist["admission"] or defaults("admission")
    return bool(policy["acceptance"] != "automatic")


def _former_offer(person: Document, _: Document) -> list[Inverse]:
    """Return a request for an offer that ends when the withdrawn offer would have ended."""
    left = datetime.fromisoformat(person["offered_until"]) - datetime.now(UTC)
    seconds = max(OFFER_SECONDS.at_least, int(left.total_seconds()))
    return [Inverse("admit", person["entry_id"], {OFFER_SECONDS.name: seconds})]


ADMIT_PERSON = PersonAction(
    name="admit",
    summary="Offer a slot to one person.",
    title="Admit {who} now?",
    consequence="The person gets a slot now, regardless of their position, the rate and the "
    "schedule.",
    path=f"{ENTRY}/admit",
    is_possible=lambda person: bool(person["ready"]),
    fields=(OFFER_SECONDS, REASON),
    notice=lambda entry: (
        f"{{who}} has an offer until {format_value(entry['offered_until'])}."
        if entry["offered_until"]
        else "{who} is admitted."
    ),
    inverse=lambda _, person: withdrawals([person]),
    has_inverse_for=lambda waitlist, *_: makes_offers(waitlist),
    bulk=Bulk(
        "Admit {people} now?",
        "These people get a slot now, regardless of their positions, the rate and the schedule.",
        "{people}: admitted, or offered a slot.",
    ),
)
WITHDRAW = PersonAction(
    name="withdraw",
    summary="Withdraw an offer.",
    title="Take back {who}'s offer?",
    consequence="The person returns to their old place in the queue, and the next person gets the "
    "slot.",
    button="Take back",
    path=f"{ENTRY}/withdraw",
    is_possible=lambda person: person["status"] == "offered" and bool(person["offered_until"]),
    # The request contains the offer's deadline, so that it cannot withdraw a later offer.
    fields=(
        Field(
            "offered_until",
            "Offered until",
            "seen",
            option="--offered-until",
            help="The time when the offer ends. If the person now has a different offer, nothing "
            "is withdrawn. By default, the current offer is withdrawn.",
        ),
        REASON,
    ),
    notice=back_in_queue,
    inverse=_former_offer,
    bulk=Bulk(
        "Take back the offers to {people}?",
        "These people return to their old places in the queue, and the next people get the slots.",
        "{people}: offer taken back.",
    ),
)
EXIT = PersonAction(
    name="exit",
    summary="Record the exit of an admitted person.",
    title="Let {who} out?",
    consequence="The person's slot becomes free at once, and the service treats the pass as ended.",
    button="Let out",
    path=f"{ENTRY}/exit",
    is_possible=lambda person: person["status"] == "admitted" and bool(person["room_until"]),
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
    offer_seconds: int | None = None,
) -> Iterator[list[dict[str, Any]]]:
    """Offer `count` slots in several requests. After each request, yield the entries that got a
    slot.

    `filters` is the part of the request body that says who gets a slot.

    If `refill` is true, the service starts a quota: it offers unused slots to the next people until
    `count` people have entered. A count of 0 ends the quota.
    """
    for number, first in enumerate(range(0, max(1, count), MOST_ADMITTED), start=1):
        body = {**filters, "count": min(MOST_ADMITTED, count - first)}
        if refill:
            body["refill"] = True
        if offer_seconds is not None:
            body["offer_seconds"] = offer_seconds
        found = api.operator("POST", f"/{waitlist_id}/admit", body, key=f"{key}.{number}")[
            "entries"
        ]
        # A response without entries means that the queue is empty. A response with fewer entries
        # than requested does not, because the response to a repeated request leaves out offers that
        # have since ended.
        #
        # For a quota, send all requests even if the queue is empty, because the quota also applies
        # to people who join later.
        if not found and not refill:
            return
        yield found


def _admit(request: ListRequest) -> tuple[str, Any]:
    filters = dict(request.values)
    count, unused = filters.pop(COUNT.name), filters.pop(UNUSED.name)
    seconds = filters.pop(OFFER_SECONDS.name, None)
    refill, send = unused == "refill", partial(admissions, request.api, request.waitlist_id)
    if unused == "end":
        list(send(0, {}, key=request.key))
        return QUOTA_ENDED, ()
    pages = send(count, filters, key=request.key, refill=refill, offer_seconds=seconds)
    entries = [entry for page in pages for entry in page]
    waitlist = request.api.operator("GET", f"/{request.waitlist_id}")
    slots = format_count(len(entries), "person has", "people have")
    notice = f"{slots} a slot{_names(request, waitlist, entries)}."
    notice += offered_until(entries, waitlist["timezone"])
    if len(entries) < count:
        notice += " The quota continues with the next people." if refill else f" {NO_MORE}"
    ends = [Inverse("end-quota", notice="The quota has ended.")] if refill else []
    return notice, [*ends, *withdrawals(entries)]


def _names(request: ListRequest, waitlist: Document, entries: Sequence[Document]) -> str:
    """List the people's names after a colon, such as ": Ada and Bob". Return "" for more than three
    people or for nobody.
    """
    if not 0 < len(entries) <= MOST_NAMES:
        return ""
    people = [
        Person(request.api, request.waitlist_id, entry["entry_id"]).show() for entry in entries
    ]
    return f": {list_names([name_of(person, waitlist) for person in people])}"


def _warn(request: ListRequest) -> str:
    """Return a warning about what cannot be undone.

    Return "" if the people get offers, because an operator can withdraw offers.
    """
    count, unused = request.values[COUNT.name], request.values[UNUSED.name]
    if unused == "end":
        return _warn_of_end(request)
    if unused == "refill" and request.values.keys() & {"filter", "filters"}:
        raise FILTER.wrong("A quota applies to the whole list. Leave the filter empty.")
    if not makes_offers(request.api.operator("GET", f"/{request.waitlist_id}")):
        people = format_count(count, "person is", "people are")
        return f"Up to {people} admitted now. This cannot be undone."
    stats = request.api.operator("GET", f"/{request.waitlist_id}/stats")
    if unused == "refill" and stats["quota"]:
        return (
            f"{quota_text(stats)} {format_count(count, 'person is', 'people are')} added to this "
            "quota. Undo would end the whole quota."
        )
    return ""


def quota_text(stats: Document) -> str:
    """Describe the progress of a quota, which offers slots until enough people have entered.

    Return "" if the waitlist has no quota.
    """
    if not stats["quota"]:
        return ""
    return (
        f"A quota has been running since {format_value(stats['quota_since'])}. "
        f"{format_count(stats['quota_entered'], 'person has', 'people have')} entered, "
        f"{format_count(stats['quota_open'], 'offer is', 'offers are')} open, and "
        f"{format_count(stats['quota'], 'more person is', 'more people are')} to enter."
    )


def _end_quota(request: ListRequest) -> tuple[str, Any]:
    return QUOTA_ENDED, list(admissions(request.api, request.waitlist_id, 0, {}, key=request.key))


def _warn_of_end(request: ListRequest) -> str:
    stats = request.api.operator("GET", f"/{request.waitlist_id}/stats")
    return f"{quota_text(stats)} Ending a quota cannot be undone.".strip()


END_QUOTA = ListAction(
    name="end-quota",
    title="End the quota of {who}?",
    consequence="Open offers stay valid, but unused slots no longer go to the next people.",
    button="End the quota",
    path="/{waitlist_id}/admit",
    carry_out=_end_quota,
    ask_again=_warn_of_end,
)
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
    title="Admit people on {who}",
    consequence="The first people in the queue get a slot now, regardless of the rate and the "
    "schedule.",
    more=offers_end,
    path="/{waitlist_id}/admit",
    fields=(
        replace(COUNT, at_most=MOST_ADMITTED_AT_ONCE),
        OFFER_SECONDS,
        UNUSED,
        FILTER,
    ),
    carry_out=_admit,
    inverse=lambda inverses: inverses,
    ask_again=_warn,
)
