"""Holds people back, makes them ready again, and says why a person is passed over."""

from collections.abc import Callable

from waitlist_cli.operations.action import ENTRY, Bulk, Document, Inverse, PersonAction
from waitlist_cli.terminal.output import format_value

# The field that says when a reason ends is usually named after the reason, as in `delayed_until`.
# The fields of these reasons have other names.
ENDS = {"resting": "rest_until", "declined": "delayed_until"}


def reasons_of(person: Document) -> list[tuple[str, str | None]]:
    """Return each reason why a person cannot be admitted or claimed, and when the reason ends.

    The end is None if nobody knows when the reason ends.
    """
    reasons = person.get("not_ready") or ()
    return [(reason, person.get(ENDS.get(reason, f"{reason}_until"))) for reason in reasons]


def passed_over(person: Document, until: Callable[[str], str] | None = None) -> str:
    """Return the reasons why a person cannot be admitted or claimed, such as `held back,
    unverified`. Return "" if there are none.

    If `until` is given, it formats the times when the reasons end, as in `delayed until 14:03:22`.
    """
    return ", ".join(
        reason.replace("_", " ") + (f" until {until(end)}" if until and end else "")
        for reason, end in reasons_of(person)
    )


def is_held_back(person: Document) -> bool:
    return "held_back" in (person["not_ready"] or ())


def _still_passed_over(person: Document) -> str:
    reasons = passed_over(person)
    rest = f" They are still passed over: {reasons}." if reasons else ""
    return f"{{who}} is no longer held back.{rest}"


HOLD_BACK = PersonAction(
    name="hold-back",
    summary="Hold a person back.",
    title="Hold {who} back?",
    consequence="The person keeps their place, but others go first until an operator makes the "
    "person ready.",
    path=f"{ENTRY}/ready",
    is_possible=lambda person: person["status"] == "waiting" and not is_held_back(person),
    body={"ready": False},
    notice="{who} is held back and keeps their place. Others go first.",
    outcome="held_back",
    inverse=lambda person, _: [Inverse("ready", person["entry_id"])],
    bulk=Bulk(
        "Hold {people} back?",
        "These people keep their place, but others go first until an operator makes them ready.",
        "{people}: held back.",
    ),
)
READY = PersonAction(
    name="ready",
    summary="Stop holding a person back.",
    title="Make {who} ready?",
    consequence="The person keeps their place. From now on, the person can be offered a slot, "
    "called or admitted again.",
    more=lambda person: (
        f"They chose to let others pass until {format_value(person['rest_until'])}. Only the "
        "customer can end this earlier."
        if person["rest_until"]
        else ""
    ),
    button="Make ready",
    path=f"{ENTRY}/ready",
    is_possible=is_held_back,
    body={"ready": True},
    notice=_still_passed_over,
    outcome="ready",
    inverse=lambda person, _: [
        Inverse("hold-back", person["entry_id"], {"reason": person["held_back_reason"] or ""})
    ],
    bulk=Bulk(
        "Make {people} ready?",
        "These people keep their place. From now on, they can be offered a slot, admitted or "
        "called.",
        "{people}: no longer held back.",
    ),
)
