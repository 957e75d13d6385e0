"""Bans people from a waitlist and ends bans."""

from waitlist_cli.operations.action import ENTRY, REASON, Document, Field, Inverse, PersonAction
from waitlist_cli.operations.leave import can_return, returns


def _end_of_ban(person: Document, after: Document) -> list[Inverse]:
    """Return the requests that end a ban and return the person to their place."""
    unban = Inverse("unban", person["entry_id"], {"banned_at": after["banned_at"]})
    return [unban, *(returns(person) if person["status"] == "waiting" else [])]


def _has_end(waitlist: Document, person: Document, body: Document) -> bool:
    """Return whether ending the ban would fully undo it.

    People who have been admitted or have left have no place that a ban could take away.
    """
    return person["status"] in ("admitted", "left") or can_return(waitlist, person, body)


BAN = PersonAction(
    name="ban",
    summary="Ban a person, and refuse their signups from then on.",
    title="Ban {who} from the list?",
    consequence="The person cannot sign up and cannot be imported until an operator ends the ban.",
    more=lambda person: (
        "The person's pass stays valid until it ends or an operator lets them out."
        if person["status"] == "admitted"
        else "If the person has a place, they lose it."
    ),
    path=f"{ENTRY}/remove",
    is_possible=lambda person: not person["banned_at"],
    body={"ban": True},
    notice="{who} is banned. Their signups are refused from now on.",
    outcome="banned",
    is_final=True,
    inverse=_end_of_ban,
    has_inverse_for=_has_end,
)
UNBAN = PersonAction(
    name="unban",
    summary="Allow a banned person to sign up again.",
    title="End {who}'s ban?",
    consequence="The person can sign up again, but will get a new place. To restore their former "
    "place, use the Reinstate action.",
    button="End the ban",
    path=f"{ENTRY}/unban",
    example="waitlist unban bakery --customer ada --reason 'an error'",
    is_possible=lambda person: bool(person["banned_at"]),
    # The request contains the time of the ban, so that it cannot end a later ban.
    fields=(Field("banned_at", "Banned at", "seen"), REASON),
    notice="{who} is no longer banned, and can sign up again.",
    outcome="unbanned",
    inverse=lambda person, _: [
        Inverse("ban", person["entry_id"], {"reason": person["ban_reason"] or ""})
    ],
)
