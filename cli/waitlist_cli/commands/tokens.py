"""Entry tokens: what guests prove their entries by, for those who have none."""

from waitlist_cli.command import command
from waitlist_cli.context import Context
from waitlist_cli.ids import checked_waitlist_id, chosen_entry_id
from waitlist_cli.parameters import Customer, EntryId, WaitlistId

PANEL = "People"


@command("token", PANEL, "waitlist token bakery --customer ada")
def token(
    context: Context, waitlist: WaitlistId, entry: EntryId = None, customer: Customer = None
) -> None:
    """Issue a person's entry_token: for a guest who was imported, or has lost theirs.

    Whoever has it may look at the entry and leave it. It alone is printed; earlier ones stay good.
    """
    entry_id = chosen_entry_id(checked_waitlist_id(waitlist), entry, customer)
    issued = context.call("POST", waitlist, f"/entries/{entry_id}/token")
    if context.output.as_json:
        context.output.json(issued)
    else:
        context.output.line(issued["entry_token"])
