"""Applies an action to several people who are selected in a table."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from waitlist_cli.client.ids import ENTRY_ID
from waitlist_cli.console.actions import (
    Form,
    bulk_dialog,
    second_dialog,
    shown_people,
    with_form,
)
from waitlist_cli.console.context import Console, waitlist_of
from waitlist_cli.errors import Refused, WrongUsage
from waitlist_cli.operations.action import Bulk, Document, Inverse, PersonAction
from waitlist_cli.operations.every_action import PERSON_ACTIONS, find_action, possible_for_person
from waitlist_cli.operations.names import list_names, name_of
from waitlist_cli.operations.person import Person
from waitlist_cli.terminal.output import format_count

PATH = "/lists/{waitlist}/bulk/{action}"
# The maximum number of people in one action. The action takes a few requests for each person. A
# table never shows more people than this.
MOST_PEOPLE = 200


def routes(console: Console) -> list[Route]:
    def ask(request: Request) -> Response:
        waitlist_id = waitlist_of(request)
        action, bulk = _bulk_action(request)
        waitlist = console.get(f"/{waitlist_id}")
        people = chosen_people(console, waitlist_id, request.query_params.getlist("entry"))
        return bulk_dialog(console, request, action, bulk, waitlist, people)

    def act(request: Request, form: Form) -> Response:
        waitlist_id = waitlist_of(request)
        action, bulk = _bulk_action(request)
        key, waitlist, values = form.key, console.get(f"/{waitlist_id}"), form.read(action)
        seen = [field.name for field in action.fields if field.kind == "seen"]
        # If the browser submits the dialog twice, the second request must see the people as they
        # were before the action.
        people = [
            console.undos.person_before(f"{key}.{person['entry_id']}", partial(dict, person))
            for person in chosen_people(console, waitlist_id, form.getlist("entry"))
        ]
        common = action.to_body(dict(values))
        is_backwards = bulk.is_backwards(common)
        lasting = [
            person
            for person in people
            if action in possible_for_person(person)
            and not action.can_be_inverted(waitlist, person, common)
        ]
        if lasting and not form.text("sure"):
            title = bulk.title.format(people=format_count(len(people), "person", "people"))
            who = list_names([name_of(person, waitlist) for person in lasting])
            said = f"{bulk.consequence} This cannot be undone for {who}."
            everyone = shown_people(people, waitlist)
            return second_dialog(console, request, action, form, title, said, **everyone)
        inverses: list[Inverse] = []
        taken, refused = set(), []
        for person in reversed(people) if is_backwards else people:
            console.decisions.send_all(waitlist_id, person["entry_id"])
            person_key = f"{key}.{person['entry_id']}"
            body = action.to_body({**values, **{name: person[name] for name in seen}})
            try:
                Person(console.api, waitlist_id, person["entry_id"], person_key).send(
                    action, **body
                )
            except Refused as error:
                refused.append(f"{name_of(person, waitlist)}: {error.message}")
                continue
            taken.add(person["entry_id"])
            inverses[:0] = console.inverses_of(action, waitlist, person, body)
        if not taken:
            raise Refused(" ".join(refused))
        names = [name_of(person, waitlist) for person in people if person["entry_id"] in taken]
        notice = bulk.notice.format(people=list_names(names))
        if refused:
            notice += f" Refused for {len(refused)}. {' '.join(refused)}"
        done = [(action.name, entry_id) for entry_id in taken]
        return console.done(notice, undo=console.undos.keep(waitlist_id, inverses, done=done))

    return [Route(PATH, ask), Route(PATH, with_form(act), methods=["POST"])]


def _bulk_action(request: Request) -> tuple[PersonAction, Bulk]:
    action = find_action(PERSON_ACTIONS, request.path_params["action"])
    if action.bulk is None:
        raise WrongUsage(f"{action.button_text} is possible only for one person at a time.")
    return action, action.bulk


def chosen_people(
    console: Console, waitlist_id: str, entries: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the selected people in queue order.

    People without a position come last, ordered by signup time.
    """
    chosen = [*dict.fromkeys(entries)]
    if not chosen or len(chosen) > MOST_PEOPLE or not all(map(ENTRY_ID.fullmatch, chosen)):
        raise WrongUsage(f"Tick 1 to {MOST_PEOPLE} people in the table.")
    return sorted((console.person(waitlist_id, entry) for entry in chosen), key=_place)


def _place(person: Document) -> tuple[bool, int, str]:
    position = person["position"]
    return position is None, position or 0, person["joined_at"] or ""
