"""Undoes the actions that operators have just taken in this console."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from waitlist_cli.console.actions import Form, with_form
from waitlist_cli.console.context import Console, waitlist_of
from waitlist_cli.errors import Refused
from waitlist_cli.operations.action import REASON, Inverse, ListRequest
from waitlist_cli.operations.every_action import LIST_ACTIONS, PERSON_ACTIONS, find_action
from waitlist_cli.operations.names import name_of
from waitlist_cli.operations.person import Person
from waitlist_cli.terminal.times import localize

# The reason in a person's history for an action that undoes another action.
REASON_OF_UNDO = "undo"


def routes(console: Console) -> list[Route]:
    def undo(request: Request, _form: Form) -> Response:
        waitlist_id, number = waitlist_of(request), request.path_params["number"]
        found = console.undos.get(waitlist_id, number)
        if found is None:
            raise Refused("This action was undone before, or the console was restarted.")
        # The number of the undo is part of each idempotency key, so pressing the button a second
        # time has no further effect.
        notices = [
            _send(console, waitlist_id, inverse, f"{found.key}.{step}")
            for step, inverse in enumerate(found.inverses)
        ]
        console.undos.forget(number)
        count = len(dict.fromkeys(inverse.entry_id for inverse in found.inverses))
        text = f"Undone for {count} people." if count > 1 else f"Undone. {notices[-1]}"
        response = console.done(text)
        # A dialog that is open stays open.
        response.headers["HX-Trigger"] = "undone"
        return response

    return [Route("/lists/{waitlist}/undo/{number}", with_form(undo), methods=["POST"])]


def _send(console: Console, waitlist_id: str, inverse: Inverse, key: str) -> str:
    """Carry out one of the actions that undo an earlier action, and return its notice."""
    waitlist = console.get(f"/{waitlist_id}")
    zone = waitlist["timezone"]
    if not inverse.entry_id:
        action = find_action(LIST_ACTIONS, inverse.action)
        notice, _ = action.carry_out(ListRequest(console.api, waitlist_id, key, inverse.values))
        return localize(notice, zone)
    action_on_person = find_action(PERSON_ACTIONS, inverse.action)
    person = Person(console.api, waitlist_id, inverse.entry_id, key)
    reason = {"reason": REASON_OF_UNDO} if REASON in action_on_person.fields else {}
    answer = person.send(action_on_person, **{**reason, **inverse.values})
    who = name_of(person.show(), waitlist)
    return localize(action_on_person.notice_after(answer, who), zone)
