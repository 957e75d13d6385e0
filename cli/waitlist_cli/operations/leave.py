"""Removes people from a waitlist, and erases them."""

from waitlist_cli.operations.action import ENTRY, Bulk, Document, Inverse, PersonAction


def can_return(_waitlist: Document, person: Document, _body: Document) -> bool:
    """Return whether reinstating this person would fully undo their removal.

    Reinstated people are waiting and count as verified. If the removed person had an offer or was
    letting others go first, for example, the removal cannot be fully undone.
    """
    return person["status"] == "waiting" and not {*(person["not_ready"] or ())} - {"held_back"}


def returns(person: Document) -> list[Inverse]:
    """Return the requests that undo the removal of a person."""
    requests = [Inverse("reinstate", person["entry_id"])]
    if "held_back" in (person["not_ready"] or ()):
        reason = {"reason": person["held_back_reason"] or ""}
        requests.append(Inverse("hold-back", person["entry_id"], reason))
    return requests


REMOVE = PersonAction(
    name="remove",
    summary="Remove a person who is waiting, is parked (set aside), or has an offer.",
    title="Remove {who} from the list?",
    consequence="The person loses their place, but an operator can reinstate them later. Their "
    "record and history are kept.",
    path=f"{ENTRY}/remove",
    notice="{who} is removed from the list. The record is kept.",
    outcome="removed",
    is_final=True,
    inverse=lambda person, _: returns(person),
    has_inverse_for=can_return,
    bulk=Bulk(
        "Remove {people} from the list?",
        "These people lose their place, but an operator can reinstate them later. Their records "
        "and histories are kept.",
        "{people}: removed from the list.",
    ),
)
ERASE = PersonAction(
    name="erase",
    summary="Erase all of a person's data.",
    title="Erase {who}?",
    consequence="The person's record, history and place are deleted for good. DynamoDB backups "
    "keep the data for 35 days.",
    button="Erase for good",
    label="Erase",
    sure="I want to erase all data of {who}.",
    method="DELETE",
    fields=(),
    path=ENTRY,
    example="waitlist erase bakery --customer ada --yes",
    is_possible=lambda _: True,
    is_daily=False,
    notice="{who} is erased.",
    outcome="erased",
    is_final=True,
    is_deleting=True,
    ends_claim=True,
)
