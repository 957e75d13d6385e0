"""Returns the parked people of a waitlist to the queue, one after another."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from waitlist_cli.client.paging import pages
from waitlist_cli.client.retries import PATIENT
from waitlist_cli.errors import Refused
from waitlist_cli.operations.person import Person

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api


def redrives(
    api: "Api", waitlist_id: str, to: str, reason: str, most: int | None = None
) -> Iterator[tuple[dict[str, Any], Refused | None]]:
    """Return the people who are parked now to the queue, in the order in which they were parked.

    At most `most` people are returned. The function yields each person with the service's refusal,
    or with None if the service returned the person to the queue. For example, the service refuses
    if the person has been removed in the meantime.

    If the run is interrupted, another run continues with the people who are still parked. People
    who are parked again during the run stay parked.
    """
    path = f"/{waitlist_id}/entries"
    # Read the whole list before the first redrive, because each redrive removes a person from the
    # list.
    parked = list(islice(pages(api, path, "entries", most, status="parked"), most))
    for entry in parked:
        person = Person(api, waitlist_id, entry["entry_id"], reason, policy=PATIENT)
        try:
            person.redrive(entry.get("parked_at"), to)
        except Refused as error:
            yield entry, error
        else:
            yield entry, None
