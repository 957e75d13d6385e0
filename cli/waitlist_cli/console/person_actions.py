"""Defines the actions that an operator can take on one person."""

from collections.abc import Callable, Sequence
from typing import Any

from starlette.responses import Response

from waitlist_cli.console.actions import (
    LEASE,
    REASON,
    Action,
    Call,
    Document,
    Field,
    send_then_notify,
)
from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.readiness import passed_over
from waitlist_cli.terminal.output import escaped_json, format_value
from waitlist_cli.terminal.parameters import attributes_of, json_object, quote_value, unquote_line

ENDS = {"front": "Front of their priority", "back": "End of the queue, at priority 0"}
WHERE = Field(
    "where",
    "Where to",
    "choice",
    options=(
        *ENDS.items(),
        ("places", "Forward by a number of places"),
        ("priority", "Another priority"),
    ),
    value="front",
)
TO = Field(
    "to",
    "Where to",
    "choice",
    options=(("place", "Their old place"), ("back", "End of the queue")),
    value="place",
)


def name_of(person: Document) -> str:
    """Return the person's customer id. If the person has none, return the entry id."""
    return format_value(person["customer_id"] or person["entry_id"])


def _bump(call: Call) -> Response:
    where = call.form.text("where")
    number = call.form.number("number", "Places or priority")
    if where in ENDS:
        to: dict[str, Any] = {"to": where}
    elif number is None:
        raise WrongUsage("Places or priority: enter a number.")
    else:
        to = {where: number}
    found = call.person.bump(**to)
    return call.console.done(
        f"The person is now at position {format_value(found['position'])}, with priority "
        f"{found['priority']}."
    )


def _edit(call: Call) -> Response:
    profile = json_object(call.form.get("profile", ""), "Profile")
    attributes = attributes_of(
        {}, [*map(unquote_line, call.form.lines("attributes"))], "Attributes"
    )
    call.person.edit(profile=profile, attributes=attributes)
    return call.console.done("The profile and the attributes are saved.")


def _edit_fields(person: Document) -> Sequence[Field]:
    profile = escaped_json(person["profile"], indent=2)
    lines = [
        f"{name}={quote_value(value)}"
        for name, values in person["attributes"].items()
        for value in (values if isinstance(values, list) else [values])
    ]
    return (
        Field("profile", "Profile", "long", "A JSON object of at most 8 KB.", profile),
        Field(
            "attributes",
            "Attributes",
            "long",
            "One NAME=VALUE per line. Repeat a name to give it several values. A value in double "
            "quotes is a JSON string, in which an escape such as \\u202e is a hidden character.",
            "\n".join(lines),
        ),
        REASON,
    )


def _make_ready(call: Call) -> Response:
    found = call.person.ready(True)
    notice = "The person is no longer held back."
    if reasons := passed_over(found):
        notice += f" They are still passed over: {reasons}."
    return call.console.done(notice)


def _reinstate(call: Call) -> Response:
    found = call.person.reinstate()
    return call.console.done(f"The person is back at position {format_value(found['position'])}.")


def _erase(call: Call) -> Response:
    call.person.erase()
    call.console.claims.pop((call.waitlist_id, call.entry_id), None)
    return call.console.done("The person is erased.", to=f"/lists/{call.waitlist_id}/people")


def _back(found: Document) -> str:
    return f"The person is back in the queue, at position {format_value(found['position'])}."


def _with_claim_token(
    send: Callable[[Call, str], object], notice: str
) -> Callable[[Call], Response]:
    def carry_out(call: Call) -> Response:
        claim_key = (call.waitlist_id, call.entry_id)
        claim = call.console.claims.get(claim_key, {})
        token = call.form.text("claim_token") or claim.get("claim_token")
        if not token:
            raise WrongUsage(
                "Enter the claim token. The client that made the claim has received the token."
            )
        send(call, token)
        if send is not _extend:
            call.console.claims.pop(claim_key, None)
        return call.console.done(notice)

    return carry_out


def _extend(call: Call, token: str) -> None:
    call.person.extend(token, call.form.number("lease_seconds", "Lease in seconds"))


def _claim_fields(*fields: Field) -> Callable[[Document], Sequence[Field]]:
    def fields_for(person: Document) -> Sequence[Field]:
        if person["claim_token"]:
            return fields
        hint = "Another client made this claim and has the token."
        return (Field("claim_token", "Claim token", hint=hint, is_required=True), *fields)

    return fields_for


BUMP = Action(
    "bump",
    "Move {who}",
    "The person moves at once and loses their old place. You can move the person again.",
    "Move",
    _bump,
    (
        WHERE,
        Field(
            "number",
            "Places or priority",
            "number",
            "A priority is from 0 to 255. The usual priority is 0.",
        ),
        REASON,
    ),
)
EDIT = Action(
    "edit",
    "Edit {who}",
    "The person keeps their position. New attributes can put the person into other segments.",
    "Save",
    _edit,
    _edit_fields,
    label="Edit",
)
HOLD_BACK = Action(
    "hold-back",
    "Hold {who} back?",
    ("The person keeps their place, but others go first until an operator makes the person ready."),
    "Hold back",
    send_then_notify(
        lambda call: call.person.ready(False),
        "The person is held back and keeps their place. Others go first.",
    ),
    (REASON,),
)
READY = Action(
    "ready",
    "Make {who} ready?",
    lambda person: (
        "The person keeps their place, and can be offered a slot, claimed or admitted again."
        + (
            f" They chose to rest until {format_value(person['rest_until'])}. Only the customer can"
            " end this rest."
            if person["rest_until"]
            else ""
        )
    ),
    "Make ready",
    _make_ready,
    (REASON,),
)
REMOVE = Action(
    "remove",
    "Remove {who} from the list?",
    "The person loses their place, but an operator can reinstate them later. The record and "
    "the history are kept.",
    "Remove",
    send_then_notify(
        lambda call: call.person.remove(),
        "The person is removed from the list. The record is kept.",
    ),
    (REASON,),
    is_final=True,
)
REINSTATE = Action(
    "reinstate",
    "Give {who} their former place back?",
    (
        "The person returns to exactly their former place. The former entry token "
        "no longer works. A guest needs a new link, which you get with the action "
        "Link."
    ),
    "Reinstate",
    _reinstate,
    (REASON,),
)
BAN = Action(
    "ban",
    "Ban {who} from the list?",
    lambda person: (
        "The service refuses signups and imports of the person until an operator ends the ban. "
        + (
            "The admission stays valid: the person is inside until the pass ends or an "
            "operator lets them out."
            if person["status"] == "admitted"
            else "If the person has a place, they lose it."
        )
    ),
    "Ban",
    send_then_notify(
        lambda call: call.person.ban(),
        "The person is banned. Their signups are refused from now on.",
    ),
    (REASON,),
    is_final=True,
)
UNBAN = Action(
    "unban",
    "End the ban of {who}?",
    "The person can sign up again. Only the action Reinstate gives them their former place back.",
    "End the ban",
    send_then_notify(
        lambda call: call.person.unban(call.form.text("banned_at")),
        "The ban has ended. The person can sign up again.",
    ),
    # Send the time of the ban that the operator saw, so that a later ban stays in force.
    lambda person: (Field("banned_at", "Banned at", value=person["banned_at"] or ""), REASON),
)
ERASE = Action(
    "erase",
    "Erase {who}?",
    (
        "The record, the history and the place are deleted for good. DynamoDB's "
        "backups keep the data for 35 days."
    ),
    "Erase for good",
    _erase,
    is_final=True,
    label="Erase",
)
TOKEN = Action(
    "token",
    "Issue an entry token for {who}",
    ("Anyone who has the token can act as the customer. Earlier tokens stay valid."),
    "Issue",
    lambda call: call.console.done(
        "The entry token, which is a secret:", code=call.person.token()["entry_token"]
    ),
    label="Token",
)
LINK = Action(
    "link",
    "Get the link for {who}",
    (
        "Anyone who has the link can act as the customer, so send it only to the address in the"
        " profile. If the address is not verified yet, the customer can verify it with the link."
    ),
    "Get",
    lambda call: call.console.done("The link, which is a secret:", code=call.person.link()["url"]),
    label="Link",
)
VERIFY = Action(
    "verify",
    "Mark {who} verified?",
    "Do this only if you know that the address belongs to the person. They can then be offered a "
    "slot, claimed or admitted.",
    "Mark verified",
    send_then_notify(
        lambda call: call.person.verify(call.person.show()["joined_at"]),
        "The address is verified.",
    ),
    (REASON,),
)
EXIT = Action(
    "exit",
    "Let {who} out?",
    "The slot inside becomes free at once, and the service treats the pass as ended.",
    "Let out",
    send_then_notify(
        lambda call: call.person.exit(),
        lambda found: (
            f"The person exited at {format_value(found['exited_at'])}. The slot inside is free."
        ),
    ),
    (REASON,),
    is_final=True,
)
ADMIT = Action(
    "admit",
    "Admit {who} now?",
    "The person gets a slot now, regardless of the position, the rate and the schedule.",
    "Admit",
    send_then_notify(
        lambda call: call.person.admit(),
        lambda found: (
            f"The person has an offer until {format_value(found['offered_until'])}."
            if found["offered_until"]
            else "The person is admitted."
        ),
    ),
    (REASON,),
)
WITHDRAW = Action(
    "withdraw",
    "Take back the offer of {who}?",
    "The person waits at their old place again, and the next person gets the slot.",
    "Take back",
    send_then_notify(lambda call: call.person.withdraw(call.form.text("offered_until")), _back),
    # Send the deadline of the offer that the operator saw, so that a later offer stays valid.
    lambda person: (
        Field("offered_until", "Offered until", value=person["offered_until"] or ""),
        REASON,
    ),
)
REDRIVE = Action(
    "redrive",
    "Return {who} to the queue",
    "The person waits again, and their attempts start at 0.",
    "Return",
    send_then_notify(
        lambda call: call.person.redrive(call.form.text("parked_at") or None, call.form.text("to")),
        _back,
    ),
    # Send the time at which the person was set aside, so that the service refuses if they have been
    # set aside again since then.
    lambda person: (Field("parked_at", "Parked at", value=person["parked_at"] or ""), TO, REASON),
)
COMPLETE = Action(
    "complete",
    "Admit {who}?",
    "The claim ends, and the person is admitted. This cannot be undone.",
    "Admit",
    _with_claim_token(lambda call, token: call.person.complete(token), "The person is admitted."),
    _claim_fields(REASON),
    is_final=True,
)
RELEASE = Action(
    "release",
    "Release {who} to the queue",
    "The claim ends, and the person waits again.",
    "Release",
    _with_claim_token(
        lambda call, token: call.person.release(
            token,
            call.form.text("to"),
            call.form.number("delay_seconds", "Seconds without a claim") or 0,
        ),
        "The person waits again.",
    ),
    _claim_fields(
        TO,
        Field(
            "delay_seconds",
            "Seconds without a claim",
            "number",
            "The person keeps their place, but cannot be claimed for this time, at most 12 "
            "hours. Leave empty for no pause.",
        ),
        REASON,
    ),
)
EXTEND = Action(
    "extend",
    "Extend the claim of {who}",
    "The lease starts again from now.",
    "Extend",
    _with_claim_token(_extend, "The lease has started again."),
    _claim_fields(LEASE),
)
PARK = Action(
    "park",
    "Park {who}",
    "The claim ends, and the person stays out of the queue until an operator returns them.",
    "Park",
    _with_claim_token(lambda call, token: call.person.park(token), "The person is parked."),
    _claim_fields(REASON),
)
CLAIM_ACTIONS = (COMPLETE, RELEASE, EXTEND, PARK)
STAY_ACTIONS = (EDIT, TOKEN, LINK, VERIFY, REMOVE, REINSTATE, BAN, UNBAN, ERASE)
ACTIONS = (BUMP, ADMIT, HOLD_BACK, READY, WITHDRAW, *CLAIM_ACTIONS, REDRIVE, EXIT, *STAY_ACTIONS)


def possible(person: Document) -> list[Action]:
    """Return the actions that the person's state allows. The most common action comes first."""
    match person["status"]:
        case "waiting" if person["ready"]:
            actions = [BUMP, ADMIT, HOLD_BACK, EDIT, TOKEN, LINK, REMOVE]
        case "waiting":
            # Do not offer ADMIT here, because the service refuses to admit a person who is not
            # ready.
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
