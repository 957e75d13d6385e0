"""Returns the parked people of a list to the queue, one after the other."""

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
    """Redrive the people who are parked now, at most `most`, those parked first at first.

    Yields each person with the service's refusal, such as of one who has been removed meanwhile. A
    repeat goes on with those who are still parked. Who is parked again meanwhile stays parked.
    """
    path = f"/{waitlist_id}/entries"
    # Read to the end before the first one is taken off the list that is read.
    parked = list(islice(pages(api, path, "entries", most, status="parked"), most))
    for one in parked:
        person = Person(api, waitlist_id, one["entry_id"], reason, policy=PATIENT)
        try:
            person.redrive(one.get("parked_at"), to)
        except Refused as error:
            yield one, error
        else:
            yield one, None
