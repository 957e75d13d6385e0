"""Returns the parked people of a waitlist to the queue, one by one."""

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
    """Redrive the people who are parked now, at most `most` of them, in the order of their parking.

    Yield each person with the service's refusal, or None if the service did not refuse. It refuses
    a person who has been removed in the meantime, for example. A repeated run continues with the
    people who are still parked. People who are parked again in the meantime stay parked.
    """
    path = f"/{waitlist_id}/entries"
    # Read the whole list first, because each redrive removes a person from the list.
    parked = list(islice(pages(api, path, "entries", most, status="parked"), most))
    for entry in parked:
        person = Person(api, waitlist_id, entry["entry_id"], reason, policy=PATIENT)
        try:
            person.redrive(entry.get("parked_at"), to)
        except Refused as error:
            yield entry, error
        else:
            yield entry, None
