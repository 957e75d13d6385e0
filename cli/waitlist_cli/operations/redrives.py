"""Returns parked (set aside) people to the queue, one by one."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from waitlist_cli.client.paging import pages
from waitlist_cli.client.retries import PATIENT
from waitlist_cli.errors import Refused
from waitlist_cli.operations.action import (
    REASON,
    TO,
    Bulk,
    Field,
    ListAction,
    ListRequest,
    PersonAction,
)
from waitlist_cli.operations.admit import back_in_queue
from waitlist_cli.operations.person import Person
from waitlist_cli.terminal.output import format_count

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

# One console action returns at most this many people to the queue, because browsers wait only about
# a minute for a response.
MOST_REDRIVEN = 500
REDRIVE = PersonAction(
    name="redrive",
    title="Return {who} to the queue",
    consequence="The person goes back to waiting, and their attempts are reset to 0.",
    button="Return",
    path="/{waitlist_id}/parked/{entry_id}/redrive",
    is_possible=lambda person: person["status"] == "parked",
    # The request says when the person was parked (set aside). If they have been parked again since,
    # the service refuses the request.
    fields=(Field("parked_at", "Parked at", "seen"), TO, REASON),
    notice=back_in_queue,
    bulk=Bulk(
        "Return {people} to the queue",
        "These people go back to waiting, and their attempts are reset to 0.",
        "{people}: back in the queue.",
    ),
)


def redrives(
    api: "Api", waitlist_id: str, to: str, reason: str, most: int | None = None
) -> Iterator[tuple[dict[str, Any], Refused | None]]:
    """Return the parked people to the queue, in the order in which they were parked.

    Yield each person together with the service's error, or with None if the person was returned.
    """
    path = f"/{waitlist_id}/entries"
    # Read all the people first, because each request removes a person from the list.
    parked = list(islice(pages(api, path, "entries", most, status="parked"), most))
    for entry in parked:
        person = Person(api, waitlist_id, entry["entry_id"], policy=PATIENT)
        try:
            person.send(REDRIVE, parked_at=entry.get("parked_at"), to=to, reason=reason)
        except Refused as error:
            yield entry, error
        else:
            yield entry, None


def _redrive_all(request: ListRequest) -> tuple[str, Any]:
    to, reason = request.values["to"], request.values["reason"]
    refusals = [
        refusal
        for _, refusal in redrives(request.api, request.waitlist_id, to, reason, MOST_REDRIVEN)
    ]
    returned = refusals.count(None)
    left = request.api.operator("GET", f"/{request.waitlist_id}/stats")["parked"]
    words = [f"{format_count(returned, 'person is', 'people are')} back in the queue."]
    if refused := len(refusals) - returned:
        words.append(f"{refused:,} were refused, because they are no longer set aside.")
    if left:
        words.append(f"{left:,} are still set aside. Press Return all again.")
    return " ".join(words), None


def _warn(request: ListRequest) -> str:
    parked = request.api.operator("GET", f"/{request.waitlist_id}/stats")["parked"]
    people = format_count(min(parked, MOST_REDRIVEN), "person goes", "people go")
    return f"{people} back to waiting. This cannot be undone."


REDRIVE_ALL = ListAction(
    name="redrive",
    title="Return everyone who is set aside on {who} to the queue",
    consequence="All these people go back to waiting, and their attempts are reset to 0. The "
    "people who were set aside first return first. "
    f"At most {MOST_REDRIVEN:,} people return at a time.",
    button="Return all",
    path=REDRIVE.path,
    fields=(TO, REASON),
    carry_out=_redrive_all,
    ask_again=_warn,
)
