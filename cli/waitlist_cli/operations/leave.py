"""Removes people from a waitlist, and erases them."""

from waitlist_cli.operations.action import ENTRY, Bulk, Inverse, PersonAction

REMOVE = PersonAction(
    name="remove",
    summary="Remove a person who is waiting, is parked (set aside), or has an offer.",
    title="Remove {who} from the list?",
    consequence="The person loses their place, but an operator can reinstate them later. The "
    "record and the history are kept.",
    path=f"{ENTRY}/remove",
    notice="{who} is removed from the list. The record is kept.",
    outcome="removed",
    is_final=True,
    inverse=lambda person, _: [Inverse("reinstate", person["entry_id"])],
    bulk=Bulk(
        "Remove {people} from the list?",
        "These people lose their places, but an operator can reinstate them later. The records and "
        "the histories are kept.",
        "{people}: removed from the list.",
    ),
)
ERASE = PersonAction(
    name="erase",
    summary="Erase all data of a person.",
    title="Erase {who}?",
    consequence="The record, the history and the place are deleted for good. The backups of "
    "DynamoDB keep the data for 35 days.",
    button="Erase for good",
    label="Erase",
    sure="I want to erase all data of {who}.",
    method="DELETE",
    fields=(),
    path=ENTRY,
    is_daily=False,
    notice="{who} is erased.",
    outcome="erased",
    is_final=True,
    is_deleting=True,
    ends_claim=True,
    cannot_be_undone=True,
)
