"""Returns people who were set aside (parked) to the queue, one after another."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from waitlist_cli.client.paging import pages
from waitlist_cli.client.retries import PATIENT
from waitlist_cli.errors import Refused
from waitlist_cli.operations.action import REASON, TO, Action, Field
from waitlist_cli.operations.admit import back_in_queue
from waitlist_cli.operations.person import Person

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

REDRIVE = Action(
    name="redrive",
    summary="Return a parked person to the queue.",
    title="Return {who} to the queue",
    consequence="The person waits again, and their attempts start at 0.",
    button="Return",
    path="/{waitlist_id}/parked/{entry_id}/redrive",
    # The service refuses if the person has been parked again since then.
    fields=(Field("parked_at", "Parked at", "seen"), TO, REASON),
    notice=back_in_queue,
)


def redrives(
    api: "Api", waitlist_id: str, to: str, reason: str, most: int | None = None
) -> Iterator[tuple[dict[str, Any], Refused | None]]:
    """Return the parked people to the queue, in the order in which they were parked.

    Each person is yielded with None, or with the service's refusal.
    """
    path = f"/{waitlist_id}/entries"
    # Each request removes a person from the list, so read the whole list first.
    parked = list(islice(pages(api, path, "entries", most, status="parked"), most))
    for entry in parked:
        person = Person(api, waitlist_id, entry["entry_id"], policy=PATIENT)
        try:
            person.send(REDRIVE, parked_at=entry.get("parked_at"), to=to, reason=reason)
        except Refused as error:
            yield entry, error
        else:
            yield entry, None
