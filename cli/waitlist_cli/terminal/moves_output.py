"""Prints why a person has their current position in the queue."""

from collections.abc import Callable, Iterator
from dataclasses import asdict

from waitlist_cli.operations.explain_place import Explanation, Step
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.entry_output import name_in_arn, place
from waitlist_cli.terminal.output import format_count, format_value

PLACES = ("gained", "before", "after")
STEP = ("at", "event", *PLACES, "by", "reason")
ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def print_explanation(context: Context, found: Explanation) -> None:
    """Print the person's position, the events that changed it, and how many people ahead were
    admitted or left.
    """
    if context.output.as_json:
        context.output.json(asdict(found))
    elif context.output.console.is_terminal:
        context.output.text("\n".join(standing(found)))
        context.output.rows(STEP, [_row(step, name_in_arn) for step in found.steps], right=PLACES)
        context.output.text("\n".join(happened(found)))
    else:
        context.output.rows(STEP, [_row(step, str) for step in found.steps])


def standing(found: Explanation) -> Iterator[str]:
    """Yield sentences about the current position, the position at signup, and the reasons for the
    current state.
    """
    known = {"position": found.position, "total": found.total}
    where = place(known) if isinstance(found.position, int) else ""
    yield f"{found.customer_id or found.entry_id}: {found.status}{where}."
    at = found.joined_as
    joined_as = f"as {ordinal(at)}" if isinstance(at, int) else "at an unknown place"
    yield f"Joined {format_value(found.joined_at)} {joined_as}."
    yield from found.why


def happened(found: Explanation) -> Iterator[str]:
    """Yield sentences about the people who were or are ahead of this person."""
    if isinstance(found.gained_since, int) and found.steps:
        places = format_count(abs(found.gained_since), "place", "places")
        way = "nearer to the head" if found.gained_since >= 0 else "farther from the head"
        yield f"Since the last event above: {places} {way}, because of other people."
    ahead = found.ahead
    least = "" if ahead.is_whole else "at least "
    yield (
        f"Since the signup, {least}{format_count(ahead.admitted, 'person was', 'people were')} "
        f"admitted, of whom {ahead.admitted_later:,} had joined later, and "
        f"{least}{format_count(ahead.left, 'person', 'people')} who had joined earlier left."
    )
    if isinstance(found.position, int):
        people = format_count(found.position - 1, "person", "people")
        yield f"Of the {people} ahead now, {least}{ahead.ahead_later:,} joined later."


def ordinal(number: int) -> str:
    """Format a number as an ordinal, such as 1st, 2nd, 3rd, 4th, 11th or 318th."""
    ending = "th" if number % 100 in (11, 12, 13) else ENDINGS.get(number % 10, "th")
    return f"{number:,}{ending}"


def _row(step: Step, shorten: Callable[[str], str]) -> list[object]:
    by = shorten(step.by)
    return [step.at, step.event, step.gained, step.before, step.after, by, step.reason]
