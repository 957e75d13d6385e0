"""What an operator can do to one person."""

from collections.abc import Callable, Sequence
from typing import Any

from starlette.responses import Response

from waitlist_cli.console.actions import LEASE, REASON, Action, Call, Document, Field, done
from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.readiness import passed_over
from waitlist_cli.terminal.output import escaped_json, shown
from waitlist_cli.terminal.parameters import attributes_of, json_object, quoted, unquoted

ENDS = {"front": "Front of their priority", "back": "End of the queue, at priority 0"}
WHERE = Field(
    "where",
    "Where to",
    "choice",
    options=(
        *ENDS.items(),
        ("places", "Ahead by a number of places"),
        ("priority", "Another priority"),
    ),
    value="front",
)
TO = Field(
    "to",
    "Where to",
    "choice",
    options=(("place", "Its old place"), ("back", "End of the queue")),
    value="place",
)


def name_of(person: Document) -> str:
    """Return what an operator calls a person."""
    return shown(person["customer_id"] or person["entry_id"])


def _bump(call: Call) -> Response:
    where = call.form.text("where")
    number = call.form.number("number", "Places or priority")
    if where in ENDS:
        to: dict[str, Any] = {"to": where}
    elif number is None:
        raise WrongUsage(f"Give the number: how many places, or which priority ({where}).")
    else:
        to = {where: number}
    found = call.person.bump(**to)
    return call.console.done(
        f"Now at position {shown(found['position'])}, priority {found['priority']}."
    )


def _edit(call: Call) -> Response:
    profile = json_object(call.form.get("profile", ""), "Profile")
    attributes = attributes_of({}, [*map(unquoted, call.form.lines("attributes"))], "Attributes")
    call.person.edit(profile=profile, attributes=attributes)
    return call.console.done("Profile and attributes are saved.")


def _edit_fields(person: Document) -> Sequence[Field]:
    profile = escaped_json(person["profile"], indent=2)
    lines = [
        f"{name}={quoted(value)}"
        for name, values in person["attributes"].items()
        for value in (values if isinstance(values, list) else [values])
    ]
    return (
        Field("profile", "Profile", "long", "A JSON object, at most 8 KB.", profile),
        Field(
            "attributes",
            "Attributes",
            "long",
            "One NAME=VALUE a line; several lines with one name are several values. A value in "
            "double quotes is JSON, in which \\u202e is a letter that is not shown.",
            "\n".join(lines),
        ),
        REASON,
    )


def _make_ready(call: Call) -> Response:
    found = call.person.ready(True)
    notice = "The person is not held back any more."
    if reasons := passed_over(found):
        notice += f" Still passed over: {reasons}."
    return call.console.done(notice)


def _reinstate(call: Call) -> Response:
    found = call.person.reinstate()
    return call.console.done(f"Back at position {shown(found['position'])}.")


def _erase(call: Call) -> Response:
    call.person.erase()
    call.console.claims.pop((call.waitlist_id, call.entry_id), None)
    return call.console.done("The person is erased.", to=f"/lists/{call.waitlist_id}/people")


def _back(found: Document) -> str:
    return f"Back in the queue at position {shown(found['position'])}."


def _of_claim(send: Callable[[Call, str], object], notice: str) -> Callable[[Call], Response]:
    def carry_out(call: Call) -> Response:
        about = (call.waitlist_id, call.entry_id)
        claim = call.console.claims.get(about, {})
        token = call.form.text("claim_token") or claim.get("claim_token")
        if not token:
            raise WrongUsage("Give the claim_token, which the claimer of this entry has.")
        send(call, token)
        if send is not _extend:
            call.console.claims.pop(about, None)
        return call.console.done(notice)

    return carry_out


def _extend(call: Call, token: str) -> None:
    call.person.extend(token, call.form.number("lease_seconds", "Lease in seconds"))


def _claim_fields(*fields: Field) -> Callable[[Document], Sequence[Field]]:
    def of(person: Document) -> Sequence[Field]:
        if person["claim_token"]:
            return fields
        hint = "This console did not make the claim; its claimer has the token."
        return (Field("claim_token", "Claim token", hint=hint, is_required=True), *fields)

    return of


BUMP = Action(
    "bump",
    "Move {who}",
    "The new place is final at once; another move can change it again.",
    "Move",
    _bump,
    (
        WHERE,
        Field("number", "Places or priority", "number", "A priority is 0 to 255; 0 is usual."),
        REASON,
    ),
)
EDIT = Action(
    "edit",
    "Edit {who}",
    "The position stays; segments follow the attributes.",
    "Save",
    _edit,
    _edit_fields,
    label="Edit",
)
HOLD_BACK = Action(
    "hold-back",
    "Hold {who} back?",
    (
        "Others are offered, claimed and admitted first. The person keeps the place, and is passed"
        " over until an operator makes them ready."
    ),
    "Hold back",
    done(
        lambda call: call.person.ready(False),
        "The person is held back: others go first, the place stays.",
    ),
    (REASON,),
)
READY = Action(
    "ready",
    "Make {who} ready?",
    lambda person: (
        "The person may be taken again, at the same place."
        + (
            f" Their own rest until {shown(person['rest_until'])} goes on: only the customer ends"
            " it."
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
    "The person loses the place; an operator can reinstate it. Record and history stay.",
    "Remove",
    done(lambda call: call.person.remove(), "The person is off the list. The record stays."),
    (REASON,),
    is_final=True,
)
REINSTATE = Action(
    "reinstate",
    "Give {who} the former place back?",
    (
        "The person waits between the former neighbours again, with the former priority and time "
        "of signup. It is a new stay: the former token fits no more, and the attempts begin at 0. "
        "A guest needs a new link, which Link gets."
    ),
    "Reinstate",
    _reinstate,
    (REASON,),
)
BAN = Action(
    "ban",
    "Ban {who} from the list?",
    lambda person: (
        "Signups and imports of the person are refused until an operator ends the ban. "
        + (
            "The admission stays: the person is inside until the pass ends or they are let out."
            if person["status"] == "admitted"
            else "The place, if there is one, is lost."
        )
    ),
    "Ban",
    done(
        lambda call: call.person.ban(),
        "The person is banned: signups are refused from now on.",
    ),
    (REASON,),
    is_final=True,
)
UNBAN = Action(
    "unban",
    "End the ban of {who}?",
    "The person may sign up again; the former place comes back by Reinstate alone.",
    "End the ban",
    done(
        lambda call: call.person.unban(call.form.text("banned_at")),
        "The ban has ended: the person may sign up again.",
    ),
    # Of the ban that the operator has seen: not of a later one.
    lambda person: (Field("banned_at", "Banned at", value=person["banned_at"] or ""), REASON),
)
ERASE = Action(
    "erase",
    "Erase {who}?",
    (
        "Record, history and place are deleted for good. DynamoDB's recovery keeps former states of"
        " its table for 35 days, and the stream of changes one day."
    ),
    "Erase for good",
    _erase,
    is_final=True,
    label="Erase",
)
TOKEN = Action(
    "token",
    "Issue an entry token for {who}",
    (
        "The holder of the token can act as the customer: see the entry, accept or decline an"
        " offer, take the pass, exit and leave. Earlier tokens stay valid."
    ),
    "Issue",
    lambda call: call.console.done(
        "The entry token, which is a secret:", code=call.person.token()["entry_token"]
    ),
    label="Token",
)
LINK = Action(
    "link",
    "Get the link of {who}",
    (
        "Whoever has it has the place: send it to the address of the profile alone. While the"
        " address is not verified, the reader verifies it by the link."
    ),
    "Get",
    lambda call: call.console.done("The link, which is a secret:", code=call.person.link()["url"]),
    label="Link",
)
VERIFY = Action(
    "verify",
    "Mark {who} verified?",
    "You have a proof of your own that the address is the person's, who may then be taken.",
    "Mark verified",
    done(
        lambda call: call.person.verify(call.person.show()["joined_at"]),
        "The address is verified.",
    ),
    (REASON,),
)
EXIT = Action(
    "exit",
    "Let {who} go out?",
    "The place inside is free at once, and the pass counts as over.",
    "Let out",
    done(
        lambda call: call.person.exit(),
        lambda found: f"Out since {shown(found['exited_at'])}. The place inside is free.",
    ),
    (REASON,),
    is_final=True,
)
ADMIT = Action(
    "admit",
    "Admit {who} now?",
    "The person gets a slot now, wherever they wait, whatever rate and schedule say.",
    "Admit",
    done(
        lambda call: call.person.admit(),
        lambda found: (
            f"Offered until {shown(found['offered_until'])}."
            if found["offered_until"]
            else "The person is admitted."
        ),
    ),
    (REASON,),
)
WITHDRAW = Action(
    "withdraw",
    "Take the offer of {who} back?",
    "The person waits at the old place, and the next one gets the slot.",
    "Take back",
    done(lambda call: call.person.withdraw(call.form.text("offered_until")), _back),
    # Of the offer that the operator has seen: not of one that has followed it.
    lambda person: (
        Field("offered_until", "Offered until", value=person["offered_until"] or ""),
        REASON,
    ),
)
REDRIVE = Action(
    "redrive",
    "Return {who} to the queue",
    "The entry waits again, with no attempt counted.",
    "Return",
    done(
        lambda call: call.person.redrive(call.form.text("parked_at") or None, call.form.text("to")),
        _back,
    ),
    # Of the parking that the operator has seen: not of a later one.
    lambda person: (Field("parked_at", "Parked at", value=person["parked_at"] or ""), TO, REASON),
)
COMPLETE = Action(
    "complete",
    "Admit {who}?",
    "The claim ends and the person is admitted for good.",
    "Admit",
    _of_claim(lambda call, token: call.person.complete(token), "The person is admitted."),
    _claim_fields(REASON),
    is_final=True,
)
RELEASE = Action(
    "release",
    "Give {who} back to the queue",
    "The claim ends and the person waits again.",
    "Release",
    _of_claim(
        lambda call, token: call.person.release(
            token, call.form.text("to"), call.form.number("delay_seconds", "Passed over") or 0
        ),
        "The person waits again.",
    ),
    _claim_fields(
        TO,
        Field(
            "delay_seconds",
            "Passed over for so many seconds",
            "number",
            "The person keeps the place and is claimed again after that, within 12 hours; empty: "
            "at once.",
        ),
        REASON,
    ),
)
EXTEND = Action(
    "extend",
    "Extend the claim of {who}",
    "The lease starts again from now.",
    "Extend",
    _of_claim(_extend, "The lease starts again."),
    _claim_fields(LEASE),
)
PARK = Action(
    "park",
    "Park {who}",
    "The claim ends, and the person stays out of the queue until an operator redrives.",
    "Park",
    _of_claim(lambda call, token: call.person.park(token), "The person is parked."),
    _claim_fields(REASON),
)
OF_CLAIM = (COMPLETE, RELEASE, EXTEND, PARK)
OF_STAY = (EDIT, TOKEN, LINK, VERIFY, REMOVE, REINSTATE, BAN, UNBAN, ERASE)
ACTIONS = (BUMP, ADMIT, HOLD_BACK, READY, WITHDRAW, *OF_CLAIM, REDRIVE, EXIT, *OF_STAY)


def possible(person: Document) -> list[Action]:
    """Return the actions that the state of a person allows, the commonest first."""
    match person["status"]:
        case "waiting" if person["ready"]:
            own = [BUMP, ADMIT, HOLD_BACK, EDIT, TOKEN, LINK, REMOVE]
        case "waiting":
            # Admitting one who is not ready is refused.
            is_held_back = "held_back" in (person["not_ready"] or ())
            is_unverified = "unverified" in (person["not_ready"] or ())
            own = [READY if is_held_back else HOLD_BACK, BUMP, EDIT, TOKEN, LINK, REMOVE]
            own[:0] = [VERIFY] if is_unverified else []
        case "offered" if person["offered_until"] is None:
            own = [*OF_CLAIM, EDIT, TOKEN, LINK, REMOVE]
        case "offered":
            own = [WITHDRAW, EDIT, TOKEN, LINK, REMOVE]
        case "parked":
            own = [REDRIVE, REINSTATE, EDIT, TOKEN, LINK, REMOVE]
        case "admitted" if person["room_until"]:
            own = [EXIT]
        case "left" if person["joined_at"] and not person["banned_at"]:
            own = [REINSTATE]
        case _:
            own = []
    return [*own, UNBAN if person["banned_at"] else BAN, ERASE]
