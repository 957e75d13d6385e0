"""Entry tokens: what guests prove their entries by, for those who have none."""

from waitlist_cli.commanding import command
from waitlist_cli.desk import Desk
from waitlist_cli.ids import checked_waitlist_id, chosen_entry_id
from waitlist_cli.parameters import Customer, EntryId, WaitlistId

PANEL = "People"


@command("token", PANEL, "waitlist token bakery --customer ada")
def token(
    desk: Desk, waitlist: WaitlistId, entry: EntryId = None, customer: Customer = None
) -> None:
    """Issue a person's entry_token: for a guest who was imported, or has lost theirs.

    Whoever has it may look at the entry and leave it. It alone is printed; earlier ones stay good.
    """
    entry_id = chosen_entry_id(checked_waitlist_id(waitlist), entry, customer)
    issued = desk.call("POST", waitlist, f"/entries/{entry_id}/token")
    if desk.out.as_json:
        desk.out.json(issued)
    else:
        desk.out.line(issued["entry_token"])
