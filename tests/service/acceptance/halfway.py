"""Functions that leave a request half done, after it has written to DynamoDB and before it has
called Redis.
"""

from tests.support.admissions import Admissions
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.facets import Intent, Joined, Numbering
from waitlist_api.records.leaves import Leave
from waitlist_shared import contracts as c

NUMBERING = Numbering(prefix="A", is_daily=True, timezone="UTC")


def leaving(people: Admissions, name: str) -> None:
    """Simulate a crash after a customer's departure was written to DynamoDB, but before Redis was
    told.
    """
    services = people.world.services
    services.leaves.begin(people.waitlist_id, people.id_of(name), Leave(by="customer"))


def intending(people: Admissions, name: str, *, numbered: bool = False) -> EntryRecord:
    """Simulate a crash after a signup's first write to DynamoDB, but before Redis was told."""
    services = people.world.services
    now_millis = services.now_millis()
    intent = EntryRecord(
        waitlist_id=people.waitlist_id,
        entry_id=people.id_of(name),
        customer_id=name,
        status="joining",
        join_id="0123abcd",
        joined=Joined(millis=now_millis),
        updated_millis=now_millis,
        intent=Intent(numbering=NUMBERING if numbered else None),
    )
    services.entries.begin_join(intent)
    return intent


def joining(people: Admissions, name: str, *, numbered: bool = False) -> None:
    """Simulate a crash after a signup's call to Redis.

    DynamoDB contains only the first step of the signup.
    """
    intent = intending(people, name, numbered=numbered)
    people.world.services.queue.send(
        c.Signup(waitlist_id=intent.waitlist_id, entry_id=intent.entry_id, join_id=intent.join_id)
    )
