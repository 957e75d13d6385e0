"""Undoes the actions that operators have just taken in this console."""

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from waitlist_cli.console.actions import Form, with_form
from waitlist_cli.console.context import Console, entry_of, waitlist_of
from waitlist_cli.errors import Refused
from waitlist_cli.operations.action import REASON, WHO, Inverse, ListRequest
from waitlist_cli.operations.every_action import LIST_ACTIONS, PERSON_ACTIONS, find_action
from waitlist_cli.operations.names import MOST_NAMES, name_of
from waitlist_cli.operations.person import Person
from waitlist_cli.operations.settings import change_back
from waitlist_cli.terminal.output import format_count
from waitlist_cli.terminal.times import localize

# The reason that a person's history shows for an action that undoes an earlier one.
REASON_OF_UNDO = "undo"
RESTORED = "Undone: The former settings are restored."


def routes(console: Console) -> list[Route]:
    def undo(request: Request, _form: Form) -> Response:
        waitlist_id, number = waitlist_of(request), request.path_params["number"]
        found = console.undos.get(waitlist_id, number)
        if found is None:
            raise Refused("This action has already been undone, or the console was restarted.")
        if found.decision is not None and not console.decisions.undo(found.decision):
            raise Refused("This action has already been carried out, and can no longer be undone.")
        if found.change is not None:
            change_back(console.api, waitlist_id, found.change)
            console.undos.forget(number)
            return console.done(RESTORED, to=found.page)
        # Each request has an idempotency key that begins with the key of the undo. If the operator
        # presses *Undo* twice, both presses send the same keys, so the second press has no effect.
        sent = [
            send_inverse(console, waitlist_id, inverse, f"{found.key}.{step}")
            for step, inverse in enumerate(found.inverses)
        ]
        # Each request can change the positions of other people. The notices are written after the
        # last request, so that they contain the final positions.
        notices = [write_notice() for write_notice in sent]
        console.undos.forget(number)
        if found.decision is not None:
            notices = [f"Nothing has changed for {found.decision.name}."]
        text = f"Undone: {' '.join(notices)}"
        if len(notices) > MOST_NAMES:
            people = len({inverse.entry_id for inverse in found.inverses} - {""})
            text = f"Undone for {format_count(people, 'person', 'people')}."
        response = console.done(text)
        # The `undone` event refreshes the page, but does not close an open dialog.
        response.headers["HX-Trigger"] = "undone"
        return response

    def dismiss(request: Request, _form: Form) -> Response:
        console.decisions.dismiss(waitlist_of(request), entry_of(request))
        return console.done("Dismissed.")

    problem = "/lists/{waitlist}/problems/{entry}/dismiss"
    return [
        Route("/lists/{waitlist}/undo/{number}", with_form(undo), methods=["POST"]),
        Route(problem, with_form(dismiss), methods=["POST"]),
    ]


def send_inverse(
    console: Console, waitlist_id: str, inverse: Inverse, key: str
) -> Callable[[], str]:
    """Carry out one of the actions that undo an earlier action.

    Return a function that writes the notice for the operator. The notice contains the person's
    position at the moment when that function is called.
    """
    waitlist = console.get(f"/{waitlist_id}")
    zone = waitlist["timezone"]
    if not inverse.entry_id:
        action = find_action(LIST_ACTIONS, inverse.action)
        notice, _ = action.carry_out(ListRequest(console.api, waitlist_id, key, inverse.values))
        return lambda: localize(inverse.notice or notice, zone)
    action_on_person = find_action(PERSON_ACTIONS, inverse.action)
    person = Person(console.api, waitlist_id, inverse.entry_id, key)
    reason = {"reason": REASON_OF_UNDO} if REASON in action_on_person.fields else {}
    answer = console.send(person, action_on_person, **{**reason, **inverse.values})

    def write_notice() -> str:
        found = person.show()
        who = name_of(found, waitlist)
        now = {**(answer or {}), "position": found["position"]}
        notice = inverse.notice.replace(WHO, who) or action_on_person.notice_after(now, who)
        return localize(notice, zone)

    return write_notice
