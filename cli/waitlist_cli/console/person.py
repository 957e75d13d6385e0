"""Shows a person's position, the reasons for it, their history, and the possible actions."""

from dataclasses import replace
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from waitlist_cli.client.paging import pages
from waitlist_cli.console.actions import Form, dialog, second_dialog, with_form
from waitlist_cli.console.context import Console, entry_of, waitlist_of
from waitlist_cli.console.counter import remember_room, room_of
from waitlist_cli.console.decisions import Decision
from waitlist_cli.operations.action import Document, PersonAction
from waitlist_cli.operations.claim import (
    CALL,
    CALL_TO,
    CALLED_TO,
    CLAIM_PERSON,
    CLAIM_TOKEN,
    EXTEND,
    LEASE,
)
from waitlist_cli.operations.every_action import PERSON_ACTIONS, find_action, possible_for_person
from waitlist_cli.operations.explain import actor, explanation
from waitlist_cli.operations.explain_place import explain, steps_of
from waitlist_cli.operations.messages import describe_result
from waitlist_cli.operations.names import name_of
from waitlist_cli.operations.person import Person
from waitlist_cli.operations.tokens import LINK
from waitlist_cli.terminal.moves_output import happened
from waitlist_cli.terminal.output import format_duration
from waitlist_cli.terminal.times import localize

PATH = "/lists/{waitlist}/people/{entry}"
REFRESH_SECONDS = 10
# To explain a position, the console examines at most this many people of each status.
MOST_AHEAD = 1_000
# The durations, in seconds, that the *Call* dialog offers in addition to the one in the waitlist's
# settings.
USUAL_LEASES = (300, 900, 1800, 3600)


def routes(console: Console) -> list[Route]:
    def show(request: Request) -> Response:
        waitlist_id, entry_id = waitlist_of(request), entry_of(request)
        waitlist = console.get(f"/{waitlist_id}")
        person = console.person(waitlist_id, entry_id)
        history, query = person["history"], request.query_params
        if query.get("history") == "all":
            path = f"/{waitlist_id}/entries/{entry_id}"
            history = list(pages(console.api, path, "history", include="history"))
        notes = []
        if waitlist["messages"]:
            notes = Person(console.api, waitlist_id, entry_id).messages()["messages"]
        ahead = None
        if query.get("ahead"):
            ahead = list(
                happened(explain(partial(pages, console.api), waitlist, person, MOST_AHEAD))
            )
        return console.page(
            request,
            "person.html",
            waitlist=waitlist,
            person=person,
            name=name_of(person, waitlist),
            explanation=explanation(person, waitlist),
            actions=possible_for_person(person),
            ahead=ahead,
            notes=[{**note, "became": describe_result(note)} for note in reversed(notes)],
            history=_with_places(history),
            has_more=person["cursor"] is not None and history is person["history"],
            every=None if ahead else REFRESH_SECONDS,
        )

    def ask(request: Request) -> Response:
        waitlist_id = waitlist_of(request)
        waitlist = console.get(f"/{waitlist_id}")
        person = console.person(waitlist_id, entry_of(request))
        action = find_action(PERSON_ACTIONS, request.path_params["action"])
        # If this console has made the claim, it knows the claim token, and the operator need not
        # enter it.
        known = (CLAIM_TOKEN,) if person["claim_token"] else ()
        who = name_of(person, waitlist)
        if action in (CLAIM_PERSON, CALL, EXTEND):
            action = _call_to_desk(action, waitlist, room_of(request))
        return dialog(console, request, action, waitlist, who, person, known)

    def act(request: Request, form: Form) -> Response:
        waitlist_id, entry_id = waitlist_of(request), entry_of(request)
        action = find_action(PERSON_ACTIONS, request.path_params["action"])
        key, waitlist = form.key, console.get(f"/{waitlist_id}")
        earlier = console.decisions.find(waitlist_id, entry_id)
        if earlier is not None and earlier.form_key != key:
            # The operator has taken a new action on this person, so send the earlier decision
            # first. The earlier decision can then no longer be undone.
            console.decisions.send_all(waitlist_id, entry_id)
        before = console.undos.person_before(key, partial(console.person, waitlist_id, entry_id))
        values = form.read(action, action.asked(waitlist, before), form.seen())
        if CLAIM_TOKEN in action.fields:
            made = console.claims.get((waitlist_id, entry_id), {}).get("claim_token")
            values[CLAIM_TOKEN.name] = values[CLAIM_TOKEN.name] or made or before["claim_token"]
            if not values[CLAIM_TOKEN.name]:
                raise CLAIM_TOKEN.wrong(
                    "This console has not called the person. Enter the call's token, which the "
                    "other desk or program has received."
                )
        if action is CLAIM_PERSON and not values[CALL_TO.name]:
            raise CALL_TO.wrong("Enter the place that the person should come to.")
        body = action.to_body(action.read_answers(values, waitlist, before))
        who = name_of(before, waitlist)
        if action.sure and not form.text("sure"):
            title = f"{action.title.format(who=who)} There is no way back."
            sure = action.sure.format(who=who)
            return second_dialog(console, request, action, form, title, "", sure=sure)

        def send() -> Any:
            person = Person(console.api, waitlist_id, entry_id, key)
            answer = console.send(person, action, **body)
            if action.ends_claim:
                console.claims.pop((waitlist_id, entry_id), None)
            return answer

        # If the person's status does not allow the action, send the action at once. The service
        # refuses it, and the dialog shows the operator the error.
        waits = console.can_wait(action, waitlist, before, body)
        if waits and action in possible_for_person(before):
            label = action.button_text
            return console.decide(Decision(waitlist_id, entry_id, who, label, send, key))
        answer = send()
        inverses = console.inverses_of(action, waitlist, before, body)
        response = console.done(
            localize(action.notice_after(answer, who), waitlist["timezone"]),
            to=f"/lists/{waitlist_id}/people" if action.is_deleting else None,
            code=answer[action.reveals] if action.reveals else "",
            is_link=action is LINK,
            undo=console.undos.keep(waitlist_id, inverses, done=[(action.name, entry_id)]),
        )
        if action in (CLAIM_PERSON, CALL):
            room = values.get(CALL_TO.name) or values[CALLED_TO.name]
            remember_room(response, waitlist_id, room)
        return response

    return [
        Route(PATH, show),
        Route(f"{PATH}/{{action}}", ask),
        Route(f"{PATH}/{{action}}", with_form(act), methods=["POST"]),
    ]


def _call_to_desk(action: PersonAction, waitlist: Document, room: str) -> PersonAction:
    """Return the action with suggested values in its dialog: this desk as the place, and the usual
    duration of a claim on this waitlist.
    """
    lease = int(waitlist["lease_seconds"])
    durations = [(str(one), format_duration(one)) for one in sorted({lease, *USUAL_LEASES})]
    for_desk = {
        CALLED_TO: replace(CALLED_TO, value=room),
        CALL_TO: replace(CALL_TO, value=room, is_required=True, hint=CALLED_TO.hint),
        LEASE: replace(
            LEASE,
            label="How long the call lasts",
            kind="select",
            value=str(lease),
            options=durations,
            hint=f"The list's settings say {format_duration(lease)}.",
        ),
    }
    return replace(action, fields=[for_desk.get(field, field) for field in action.fields])


def _with_places(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a history's events, newest first, with the person's position before and after each
    event.
    """
    steps = {(step.at, step.event): step for step in steps_of(history)}
    return [
        {**event, "by": actor(event["by"]), "step": steps.get((event["at"], event["event"]))}
        for event in reversed(history)
    ]
