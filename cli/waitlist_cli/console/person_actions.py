"""Says which actions the state of a person allows."""

from waitlist_cli.operations.action import Action, Document
from waitlist_cli.operations.admit import ADMIT_PERSON, EXIT, WITHDRAW
from waitlist_cli.operations.ban import BAN, UNBAN
from waitlist_cli.operations.bump import BUMP
from waitlist_cli.operations.claim import COMPLETE, EXTEND, PARK, RELEASE
from waitlist_cli.operations.edit import EDIT
from waitlist_cli.operations.leave import ERASE, REMOVE
from waitlist_cli.operations.readiness import HOLD_BACK, READY
from waitlist_cli.operations.redrives import REDRIVE
from waitlist_cli.operations.reinstate import REINSTATE
from waitlist_cli.operations.tokens import LINK, TOKEN, VERIFY
from waitlist_cli.terminal.output import format_value

CLAIM_ACTIONS = (COMPLETE, RELEASE, EXTEND, PARK)
STAY_ACTIONS = (EDIT, TOKEN, LINK, VERIFY, REMOVE, REINSTATE, BAN, UNBAN, ERASE)
ACTIONS = (
    *(BUMP, ADMIT_PERSON, HOLD_BACK, READY, WITHDRAW, REDRIVE, EXIT),
    *CLAIM_ACTIONS,
    *STAY_ACTIONS,
)


def name_of(person: Document) -> str:
    """Return the person's customer id. If the person has none, return the entry id."""
    return format_value(person["customer_id"] or person["entry_id"])


def possible(person: Document) -> list[Action]:
    """Return the actions that the person's state allows. The most common action comes first."""
    match person["status"]:
        case "waiting" if person["ready"]:
            actions = [BUMP, ADMIT_PERSON, HOLD_BACK, EDIT, TOKEN, LINK, REMOVE]
        case "waiting":
            # Do not offer ADMIT_PERSON here, because the service refuses to admit a person who is
            # not ready.
            is_held_back = "held_back" in (person["not_ready"] or ())
            is_unverified = "unverified" in (person["not_ready"] or ())
            actions = [READY if is_held_back else HOLD_BACK, BUMP, EDIT, TOKEN, LINK, REMOVE]
            actions[:0] = [VERIFY] if is_unverified else []
        case "offered" if person["offered_until"] is None:
            actions = [*CLAIM_ACTIONS, EDIT, TOKEN, LINK, REMOVE]
        case "offered":
            actions = [WITHDRAW, EDIT, TOKEN, LINK, REMOVE]
        case "parked":
            actions = [REDRIVE, REINSTATE, EDIT, TOKEN, LINK, REMOVE]
        case "admitted" if person["room_until"]:
            actions = [EXIT]
        case "left" if person["joined_at"] and not person["banned_at"]:
            actions = [REINSTATE]
        case _:
            actions = []
    return [*actions, UNBAN if person["banned_at"] else BAN, ERASE]
