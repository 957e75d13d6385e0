"""Defines the actions that an operator can take on a whole waitlist."""

from collections.abc import Callable, Sequence
from typing import Any

from starlette.responses import Response

from waitlist_cli.console.actions import Call, ListAction, send_then_notify
from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.action import REASON, TO, Document, Field
from waitlist_cli.operations.admit import admissions
from waitlist_cli.operations.ask import ask_all
from waitlist_cli.operations.claim import LEASE, MOST_CLAIMED, claim_people
from waitlist_cli.operations.redrives import redrives
from waitlist_cli.operations.settings import change
from waitlist_cli.operations.sign_up import address_field, sign_up
from waitlist_cli.terminal.output import format_count
from waitlist_cli.terminal.parameters import attributes_of, filters_of, json_object
from waitlist_cli.terminal.times import parse_utc_option

MOST_ADMITTED_AT_ONCE = 1_000
# A browser waits for about a minute. One action therefore returns at most this many people.
MOST_REDRIVEN = 500
LIMITED = " The list's settings allow no more claims at once."
NO_MORE = " No one else is waiting, or max_inside leaves no more room."


def _set(name: str, value: bool, notice: str) -> Callable[[Call], Response]:
    return send_then_notify(
        lambda call: change(call.console.api, call.waitlist_id, {name: value}), notice
    )


def _delete(call: Call) -> Response:
    if call.form.text("id") != call.waitlist_id:
        raise WrongUsage(f"To delete the list, type its id: {call.waitlist_id}")
    call.console.api.operator("DELETE", f"/{call.waitlist_id}")
    return call.console.done(f"{call.waitlist_id} is deleted.", to="/")


ONLY_COUNT = "count"
ASK_OR_COUNT = (("ask", "Ask them"), (ONLY_COUNT, "Only count the people who would be asked"))


def _ask(call: Call) -> Response:
    days = call.form.number("days", "Days") or 0
    if call.form.text("mode") == ONLY_COUNT:
        count = ask_all(call.console.api, call.waitlist_id, days, dry_run=True)
        words = format_count(count, "person", "people")
        return call.console.done(f"{words} would be asked. No one has been asked.")
    count = ask_all(call.console.api, call.waitlist_id, days)
    words = format_count(count, "person was", "people were")
    return call.console.done(f"{words} asked whether they are still waiting.")


def _count(call: Call, most: int) -> int:
    count = call.form.number("count", "How many")
    if not count or count > most:
        raise WrongUsage(f"How many: enter a number from 1 to {most:,}.")
    return count


def _filters(call: Call) -> dict[str, Any]:
    """Return the filters from the form as an argument of the request."""
    found = filters_of(call.form.text("filter"), "Filter")
    return {"filter_": (found or [{}])[0] or None} if len(found) < 2 else {"filters": found}


def _admit(call: Call) -> Response:
    refill = call.form.text("unused") == "refill"
    if call.form.text("unused") == "end":
        list(admissions(call.console.api, call.waitlist_id, 0, key=call.key))
        return call.console.done("The quota has ended. Open offers stay valid.")
    count, filters = _count(call, MOST_ADMITTED_AT_ONCE), _filters(call)
    if refill and any(filters.values()):
        raise WrongUsage("A quota applies to the whole list. Leave the filter empty.")
    api = call.console.api
    calls = admissions(api, call.waitlist_id, count, key=call.key, refill=refill, **filters)
    entries = [entry for page in calls for entry in page]
    words = format_count(len(entries), "person has", "people have")
    rest = " The quota continues with the next people." if refill else NO_MORE
    return call.console.done(f"{words} a slot.{'' if len(entries) == count else rest}")


def claim(call: Call) -> str:
    """Claim people, or admit them at once. Return the text of the notice."""
    filters, complete = _filters(call), call.form.text("how") == "complete"
    answer = claim_people(
        call.console.api,
        call.waitlist_id,
        call.key,
        count=_count(call, MOST_CLAIMED),
        **filters,
        newest=call.form.text("order") == "newest",
        lease_seconds=call.form.number("lease_seconds", "Lease in seconds"),
        complete=complete,
    )
    claims, limit = answer["claims"], LIMITED if answer.get("limit") else ""
    words = format_count(len(claims), "person", "people")
    if complete:
        return f"{words} admitted.{limit}"
    call.console.claims.update({(call.waitlist_id, made["entry_id"]): made for made in claims})
    if claims or limit:
        return f"{words} claimed.{limit}"
    return (
        "No one in the queue matches the filter."
        if any(filters.values())
        else "There is no one to claim."
    )


def _claim(call: Call) -> Response:
    notice = claim(call)
    holds = call.form.text("how") != "complete"
    return call.console.done(notice, to=f"/lists/{call.waitlist_id}/serve" if holds else None)


def _add(call: Call) -> Response:
    text = call.form.text
    joined_at, address, customer_id = text("joined_at"), text("address"), text("customer_id")
    profile = json_object(text("profile") or "{}", "Profile")
    if address and customer_id:
        raise WrongUsage(
            "Enter either the address or the customer id, not both. A customer id is only for a "
            "person without an address."
        )
    if address:
        field = address_field(call.console.get(f"/{call.waitlist_id}"))
        profile = {**profile, field or "email": address}
    result = sign_up(
        call.console.api,
        call.waitlist_id,
        call.key,
        ended=text("ended"),
        customer_id=customer_id or None,
        profile=profile,
        attributes=attributes_of({}, call.form.lines("attributes"), "Attributes"),
        priority=call.form.number("priority", "Priority") or 0,
        joined_at=parse_utc_option(joined_at, "Joined at") if joined_at else None,
    )
    notices = {
        "joined": "The person has joined.",
        "already": "The person was already on the list and keeps their place.",
        "ended": "The person left or was admitted before, and was not added again.",
    }
    page = f"/lists/{call.waitlist_id}/people/{result['entry_id']}"
    return call.console.done(notices[result["outcome"]], to=page)


def _who(waitlist: Document) -> Sequence[Field]:
    """Return the fields that identify a new person in the signup request."""
    field = address_field(waitlist)
    if field is None:
        hint = "Use visible ASCII characters only."
        return (Field("customer_id", "Customer id", hint=hint, is_required=True),)
    label = {"email": "Mail address", "phone": "Telephone number"}[field]
    return (
        Field(
            "address",
            label,
            hint="If someone signs up with this address later, it is the same person.",
        ),
        Field(
            "customer_id",
            "Customer id",
            hint="Enter a customer id only if the person has no address.",
        ),
    )


def _redrive(call: Call) -> Response:
    returned = refused = 0
    to, reason = call.form.text("to") or "place", call.form.text("reason")
    api, most = call.console.api, MOST_REDRIVEN
    for _, refusal in redrives(api, call.waitlist_id, to, reason, most):
        returned += refusal is None
        refused += refusal is not None
    left = call.console.get(f"/{call.waitlist_id}/stats")["parked"]
    words = [f"{format_count(returned, 'person waits', 'people wait')} again."]
    if refused:
        words.append(f"{refused:,} were refused, because they are no longer parked.")
    if left:
        words.append(f"{left:,} are still parked. Return all again.")
    return call.console.done(" ".join(words))


def _filter_field(waitlist: Document) -> Sequence[Field]:
    if not waitlist["segments"]:
        return ()
    declared = " or ".join("+".join(names) for names in waitlist["segments"])
    hint = (
        f"One NAME=VALUE per line, for each attribute of a segment: {declared}. After a blank "
        "line, you can add a filter that is used if no one matches the first. The word anyone "
        "as a filter matches everyone."
    )
    return (Field("filter", "Only people with", "long", hint),)


def claim_fields(waitlist: Document) -> Sequence[Field]:
    """Return the form fields for a claim: how many people, who goes first, and the lease."""
    return (COUNT, ORDER, LEASE, *_filter_field(waitlist))


COUNT = Field("count", "How many", "number", is_required=True, value="1")
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
ORDER = Field(
    "order",
    "From",
    "choice",
    options=(("oldest", "The head of the queue"), ("newest", "The end of the queue")),
    value="oldest",
)
REDRIVE_ALL = ListAction(
    "redrive",
    "Return the parked people of {who} to the queue",
    (
        "All parked people wait again, and their attempts start at 0. The people who were parked "
        f"first return first. At most {MOST_REDRIVEN:,} people return at a time."
    ),
    "Return all",
    _redrive,
    (TO, REASON),
)
ASK = ListAction(
    "ask",
    "Ask everyone on {who} whether they are still waiting",
    lambda waitlist: (
        "The service publishes an event for each person, so that you can send a message. The "
        f"person has {format_count(waitlist['confirm']['answer_days'], 'day', 'days')} to confirm. "
        "People who were already asked, who rest or who are held back are not asked."
        if waitlist["confirm"]
        else "The settings do not say what happens to people who do not answer. Change the "
        "settings first."
    ),
    "Ask",
    _ask,
    lambda _: (
        Field(
            "days",
            "Leave out the last … days",
            "number",
            "People who signed up, were asked or confirmed within this many days are not asked. "
            "Leave empty to ask everyone.",
        ),
        Field("mode", "What to do", "choice", options=ASK_OR_COUNT, value="ask"),
    ),
    label="Still there?",
)
PAUSE = ListAction(
    "pause",
    "Pause {who}?",
    "No one is admitted or claimed until you resume the list. Customers can still sign up.",
    "Pause",
    _set("paused", True, "The list is paused."),
)
RESUME = ListAction(
    "resume",
    "Resume {who}?",
    "The policy and the operators can admit people again at once.",
    "Resume",
    _set("paused", False, "The list admits people again."),
)
OPEN = ListAction(
    "open",
    "Open {who}?",
    "Customers can sign up again.",
    "Open",
    _set("open", True, "The list is open."),
)
CLOSE = ListAction(
    "close",
    "Close {who}?",
    "Signups are refused until you open the list again. People on the list keep their places.",
    "Close",
    _set("open", False, "The list is closed."),
)
DELETE = ListAction(
    "delete",
    "Delete {who} and everyone on it?",
    lambda waitlist: (
        f"The list {waitlist['waitlist_id']} and all its entries are deleted for good, with their "
        "records and histories. Export the people first if you want to keep a copy."
    ),
    "Delete for good",
    _delete,
    lambda waitlist: (Field("id", f"Type {waitlist['waitlist_id']} to confirm", is_required=True),),
    is_final=True,
)
ADMIT = ListAction(
    "admit",
    "Admit people of {who}",
    lambda waitlist: (
        "The first people in the queue are admitted at once, regardless of the rate and the "
        "schedule."
        if (waitlist["admission"] or {}).get("acceptance") == "automatic"
        else "The first people in the queue get an offer now, regardless of the rate and the "
        "schedule."
    ),
    "Admit",
    _admit,
    lambda waitlist: (COUNT, UNUSED, *_filter_field(waitlist)),
)
CLAIM = ListAction(
    "claim",
    "Claim people of {who}",
    "The console forgets the claim tokens when it ends. The leases continue after that.",
    "Claim",
    _claim,
    lambda waitlist: (
        *claim_fields(waitlist),
        Field(
            "how",
            "And then",
            "choice",
            options=(("hold", "Hold them under a lease"), ("complete", "Admit them at once")),
            value="hold",
        ),
    ),
)
ADD = ListAction(
    "add",
    "Add a person to {who}",
    "You can add people even while the list is closed. A customer who is already on the list "
    "keeps their place.",
    "Add",
    _add,
    lambda waitlist: (
        *_who(waitlist),
        Field(
            "priority",
            "Priority",
            "number",
            "Enter a number from 0 to 255. People with a higher priority go first.",
            "0",
        ),
        Field(
            "joined_at",
            "Joined at",
            hint="This time determines the place in the queue. Leave the field empty for the "
            "current time. Example: 2026-03-01T09:30:00+01:00.",
        ),
        Field("profile", "Profile", "long", "A JSON object.", "{}"),
        Field("attributes", "Attributes", "long", "Enter one attribute per line, as NAME=VALUE."),
        Field(
            "ended",
            "If the customer left or was admitted before",
            "choice",
            options=(("skip", "Leave them out"), ("rejoin", "Let them join again")),
            value="skip",
        ),
    ),
)
ACTIONS = (ADMIT, CLAIM, ADD, ASK, PAUSE, RESUME, OPEN, CLOSE, DELETE, REDRIVE_ALL)


def possible(waitlist: Document) -> list[ListAction]:
    """Return the actions that the page header of this waitlist offers."""
    return [
        ADMIT,
        CLAIM,
        ADD,
        *([ASK] if waitlist["confirm"] else []),
        RESUME if waitlist["paused"] else PAUSE,
        CLOSE if waitlist["open"] else OPEN,
    ]
