"""Applies an action to several people who are selected in a table."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from waitlist_cli.client.ids import ENTRY_ID
from waitlist_cli.console.actions import Form, bulk_dialog, with_form
from waitlist_cli.console.context import Console, waitlist_of
from waitlist_cli.errors import Refused, WrongUsage
from waitlist_cli.operations.action import Bulk, Document, Inverse, PersonAction
from waitlist_cli.operations.every_action import PERSON_ACTIONS, find_action
from waitlist_cli.operations.names import name_of
from waitlist_cli.operations.person import Person
from waitlist_cli.terminal.output import format_count

PATH = "/lists/{waitlist}/bulk/{action}"
# The maximum number of people for one action, which needs a few requests for each person. A table
# never shows more people than this.
MOST_PEOPLE = 200


def routes(console: Console) -> list[Route]:
    def ask(request: Request) -> Response:
        waitlist_id = waitlist_of(request)
        action, bulk = _bulk_action(request)
        waitlist = console.get(f"/{waitlist_id}")
        people = chosen_people(console, waitlist_id, request.query_params.getlist("entry"))
        names = [name_of(person, waitlist) for person in people]
        entries = [person["entry_id"] for person in people]
        return bulk_dialog(console, request, action, bulk, names, entries)

    def act(request: Request, form: Form) -> Response:
        waitlist_id = waitlist_of(request)
        action, bulk = _bulk_action(request)
        key, waitlist, values = form.key, console.get(f"/{waitlist_id}"), form.read(action)
        seen = [field.name for field in action.fields if field.kind == "seen"]
        people = chosen_people(console, waitlist_id, form.getlist("entry"))
        if bulk.is_backwards(action.to_body(dict(values))):
            people.reverse()
        inverses: list[Inverse] = []
        refused = []
        for person in people:
            person_key = f"{key}.{person['entry_id']}"
            before = console.undos.person_before(person_key, partial(dict, person))
            body = action.to_body({**values, **{name: before[name] for name in seen}})
            try:
                Person(console.api, waitlist_id, person["entry_id"], person_key).send(
                    action, **body
                )
            except Refused as error:
                refused.append(f"{name_of(person, waitlist)}: {error.message}")
                continue
            inverses[:0] = console.inverses_of(action, waitlist_id, before)
        done = len(people) - len(refused)
        if not done:
            raise Refused(" ".join(refused))
        notice = bulk.notice.format(people=format_count(done, "person", "people"))
        if refused:
            notice += f" Refused for {len(refused)}. {' '.join(refused)}"
        return console.done(notice, undo=console.undos.keep(waitlist_id, inverses))

    return [Route(PATH, ask), Route(PATH, with_form(act), methods=["POST"])]


def _bulk_action(request: Request) -> tuple[PersonAction, Bulk]:
    action = find_action(PERSON_ACTIONS, request.path_params["action"])
    if action.bulk is None:
        raise WrongUsage(f"{action.button_text} is possible only for one person at a time.")
    return action, action.bulk


def chosen_people(
    console: Console, waitlist_id: str, entries: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the selected people in the order of the queue.

    People without a position come last, in the order of their signups.
    """
    chosen = [*dict.fromkeys(entries)]
    if not chosen or len(chosen) > MOST_PEOPLE or not all(map(ENTRY_ID.fullmatch, chosen)):
        raise WrongUsage(f"Tick from 1 to {MOST_PEOPLE} people in the table.")
    return sorted((console.person(waitlist_id, entry) for entry in chosen), key=_place)


def _place(person: Document) -> tuple[bool, int, str]:
    position = person["position"]
    return position is None, position or 0, person["joined_at"] or ""
