"""Shows the page for a service counter, where an operator calls one person after
another to a desk.
"""

import re
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from waitlist_cli.console.actions import Form, with_form
from waitlist_cli.console.context import Console, entry_of, waitlist_of
from waitlist_cli.console.decisions import Decision
from waitlist_cli.console.serve import claimed_person
from waitlist_cli.console.undo import send_inverse
from waitlist_cli.errors import Refused
from waitlist_cli.operations.action import Document, Inverse
from waitlist_cli.operations.claim import (
    CALL,
    CALL_ERRORS,
    CLAIM_TOKEN,
    EXTEND,
    claim_people,
    seconds_left,
)
from waitlist_cli.operations.counter import OUTCOMES, PUT_BACK, Outcome
from waitlist_cli.operations.names import data_beside_name, name_of
from waitlist_cli.operations.person import Person

PATH = "/lists/{waitlist}/counter"
REFRESH_SECONDS = 3
# The cookie in which the browser remembers the desk name.
ROOM = "room"
# The id of the element that shows the last action's result.
SAID = "said"
MOST_ROOM = 60
YEAR_SECONDS = 365 * 86_400
# The counter page reads the first HEAD people in the queue. Of these, it shows the first NEXT
# people who are ready and all people who are not ready.
HEAD = 10
NEXT = 3
# The page warns that a call is about to end when WARN_SECONDS are left, or when 1/WARN_PART of the
# usual call time is left, whichever is shorter.
WARN_SECONDS = 60
WARN_PART = 5
ELSEWHERE = 20
# The maximum number of requests that the page sends to the service at once. With more, a local
# service (`make run`) would have to start more instances of its function.
AT_ONCE = 2
NO_ROOM = (
    "Enter the name of this desk, such as Room 2. It is shown to everyone you call, and on the "
    "public screen."
)
LONG_ROOM = f"The desk name may have at most {MOST_ROOM} characters."
NOT_UNDONE = "This can no longer be undone here."


def routes(console: Console) -> list[Route]:
    decisions = console.decisions

    def show(request: Request) -> Response:
        return _page(console, request, room=room_of(request))

    def call_next(request: Request, form: Form) -> Response:
        waitlist_id, room = waitlist_of(request), _chosen_room(request, form)
        if problem := _problem_of(room):
            return _page(console, request, room=room, problem=problem, focus=ROOM)
        waitlist = console.get(f"/{waitlist_id}")
        for decision in decisions.open_in(waitlist_id):
            # Until the console sends the decision about a person, the person counts as claimed. If
            # the waitlist limits the number of claims, send the decision now to make room for the
            # next claim.
            #
            # *Put back* returns a person who was called by mistake to their old place. Send this
            # decision now too, so that the next call can reach them.
            if waitlist["max_claims"] or decision.label == PUT_BACK.label:
                decisions.send_all(waitlist_id, decision.entry_id)
        body = {"count": 1, "call": {"to": room}}
        # If the button is pressed twice, both requests have the same key and call the same person.
        key = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{form.key} {room}"))
        answer = claim_people(console.api, waitlist_id, key, body)
        decisions.renew_key(waitlist_id)
        console.keep_claims(waitlist_id, answer["claims"])
        names = [name_of(claim, waitlist) for claim in answer["claims"]]
        if names:
            said, focus = f"{names[0]} has been called to {room}.", f"name-{_entry_of(answer)}"
        elif answer["limit"]:
            said, focus = "The list's settings do not allow more open calls.", "next"
        else:
            said, focus = "No one can be called now.", "next"
        decisions.say(waitlist_id, said)
        response = _page(console, request, room=room, focus=focus)
        remember_room(response, waitlist_id, room)
        return response

    def end_call(request: Request, form: Form) -> Response:
        waitlist_id, entry_id = waitlist_of(request), entry_of(request)
        name = request.path_params["outcome"]
        outcome = next((one for one in OUTCOMES if one.name == name), None)
        if outcome is None:
            raise Refused(f"There is no outcome {name!r}.", "not_found", 404)
        if decisions.is_decided(waitlist_id, entry_id):
            # The operator has already decided about this person. Keep that decision and ignore this
            # one.
            return _page(console, request, room=room_of(request), focus="next")
        before, waitlist = console.person(waitlist_id, entry_id), console.get(f"/{waitlist_id}")
        who, action, token = name_of(before, waitlist), outcome.action, before["claim_token"]
        if not token or form.text("call") != _id_of_call(token):
            raise Refused(CALL_ERRORS["claim_expired"], "", 409)
        send = partial(_end_call, console, waitlist_id, entry_id, outcome, token, form.key)
        decision = Decision(waitlist_id, entry_id, who, outcome.label, send)
        if action.can_be_inverted(waitlist, before, outcome.values):
            send()
            inverses = console.inverses_of(action, waitlist, before, outcome.values)
            if inverses:
                take_back = partial(_take_back, console, waitlist_id, inverses, form.key)
                decisions.keep_sent(replace(decision, take_back=take_back))
            decisions.say(waitlist_id, action.notice_after({}, who))
        elif decisions.add(decision) is decision:
            decisions.say(waitlist_id, decisions.announce(decision), decisions.seconds)
        return _page(console, request, room=room_of(request), focus="next")

    def call_again(request: Request, form: Form) -> Response:
        """Call a person again, or call a person who has been claimed but not called yet."""
        waitlist_id, entry_id = waitlist_of(request), entry_of(request)
        person = console.person(waitlist_id, entry_id)
        if not person["claim_token"]:
            raise Refused(CALL_ERRORS["claim_expired"], "", 409)
        called = person["call"]
        room = _chosen_room(request, form) or (called["to"] if called else "")
        if problem := _problem_of(room):
            return _page(console, request, room=room, problem=problem, focus=ROOM)
        values = {CLAIM_TOKEN.name: person["claim_token"], "to": room}
        Person(console.api, waitlist_id, entry_id, form.key).send(CALL, **values)
        name = _find_name(console, waitlist_id, person)
        decisions.say(waitlist_id, f"{name} has been called to {room}{' again' if called else ''}.")
        return _page(console, request, room=room, focus=f"call-{entry_id}")

    def undo(request: Request, _form: Form) -> Response:
        waitlist_id, entry_id = waitlist_of(request), entry_of(request)
        is_cancelled = decisions.undo(decisions.find(waitlist_id, entry_id))
        is_undone = is_cancelled or decisions.take_back(waitlist_id, entry_id)
        person = console.person(waitlist_id, entry_id)
        name, is_called = _find_name(console, waitlist_id, person), bool(person["claim_token"])
        called = f"{name} is {'still called' if is_cancelled else 'called again'}"
        remains = called if is_called else f"Nothing has changed for {name}"
        decisions.say(waitlist_id, f"Undone: {remains}." if is_undone else NOT_UNDONE)
        focus = f"name-{entry_id}" if is_undone and is_called else SAID
        return _page(console, request, room=room_of(request), focus=focus)

    def dismiss(request: Request, _form: Form) -> Response:
        waitlist_id, entry_id = waitlist_of(request), entry_of(request)
        waitlist = console.get(f"/{waitlist_id}")
        if not claimed_person(console, waitlist, entry_id)["claim_token"]:
            console.claims.pop((waitlist_id, entry_id), None)
        return _page(console, request, room=room_of(request), focus="main")

    return [
        Route(PATH, show),
        Route(PATH, with_form(call_next), methods=["POST"]),
        Route(f"{PATH}/{{entry}}/call", with_form(call_again), methods=["POST"]),
        Route(f"{PATH}/{{entry}}/undo", with_form(undo), methods=["POST"]),
        Route(f"{PATH}/{{entry}}/dismiss", with_form(dismiss), methods=["POST"]),
        Route(f"{PATH}/{{entry}}/{{outcome}}", with_form(end_call), methods=["POST"]),
    ]


def _page(
    console: Console,
    request: Request,
    *,
    room: str,
    problem: str = "",
    focus: str = "",
) -> Response:
    """Return the page. After an action, `focus` is the id of the element that gets the focus."""
    waitlist_id = waitlist_of(request)
    path, decisions = f"/lists/{waitlist_id}/counter", console.decisions
    is_part = request.headers.get("hx-request") == "true"
    if request.method == "POST" and not is_part and not problem:
        # The page's scripts have not been loaded.
        return RedirectResponse(path, 303)
    claimed = [entry_id for owner, entry_id in list(console.claims) if owner == waitlist_id]
    waitlist = console.get(f"/{waitlist_id}")
    with ThreadPoolExecutor(AT_ONCE) as threads:
        stats = threads.submit(console.get, f"/{waitlist_id}/stats")
        entries = f"/{waitlist_id}/entries"
        offered = threads.submit(console.get, entries, status="offered", limit=ELSEWHERE)
        head = threads.submit(console.get, entries, limit=HEAD)
        people = list(threads.map(partial(claimed_person, console, waitlist), claimed))
    people = [one for one in people if not decisions.is_decided(waitlist_id, one["entry_id"])]
    first = head.result()["entries"]
    ready = [one for one in first if one["ready"]][:NEXT]
    passed = [one for one in first if not one["ready"]]
    warn_seconds = min(WARN_SECONDS, waitlist["lease_seconds"] / WARN_PART)
    response = console.page(
        request,
        "counter.html",
        waitlist=waitlist,
        stats=stats.result(),
        room=room,
        problem=problem,
        most_room=MOST_ROOM,
        room_cookie=_cookie_of(waitlist_id),
        # The person called last comes first.
        called=[
            {
                **one,
                "data": data_beside_name(one, waitlist),
                "call_id": _id_of_call(one["claim_token"]),
                "is_ending": seconds_left(one) <= warn_seconds,
            }
            for one in reversed(people)
            if one["claim_token"]
        ],
        ended=[one for one in people if not one["claim_token"]],
        undoable=decisions.open_in(waitlist_id),
        elsewhere=_named(
            [
                one
                for one in offered.result()["entries"]
                if one["call"] and one["entry_id"] not in claimed
            ],
            waitlist,
        ),
        head=_named(ready, waitlist),
        passed=_named(passed, waitlist),
        outcomes=OUTCOMES,
        said=decisions.said_in(waitlist_id),
        focus=focus,
        key=decisions.next_key(waitlist_id),
        again=str(uuid.uuid4()),
        every=REFRESH_SECONDS,
    )
    if request.method == "POST":
        # By default, a button's response replaces only the page's error messages. After a
        # successful action, replace the whole page instead.
        response.headers.update({"HX-Retarget": "#main", "HX-Reswap": "innerMorph"})
    return response


def _end_call(
    console: Console, waitlist_id: str, entry_id: str, outcome: Outcome, token: str, key: str
) -> None:
    """End the call with this claim token.

    If the call has already ended, the service refuses the request. Each call has its own token, so
    the request cannot end a newer call to the same person.
    """
    action, values = outcome.action, dict(outcome.values)
    person = Person(console.api, waitlist_id, entry_id, key)
    if CLAIM_TOKEN in action.fields:
        values[CLAIM_TOKEN.name] = token
    else:
        # This action's request contains no claim token, so the service would accept it even if
        # another console had called the person in the meantime. To prevent that, first send a
        # request with the token, which the service checks.
        person.send(EXTEND, **{CLAIM_TOKEN.name: token})
    person.send(action, **action.to_body(values))
    # If this console has called the person again in the meantime, keep the new claim.
    if console.claims.get((waitlist_id, entry_id), {}).get("claim_token") == token:
        console.claims.pop((waitlist_id, entry_id), None)


def _take_back(console: Console, waitlist_id: str, inverses: Sequence[Inverse], key: str) -> None:
    for step, inverse in enumerate(inverses):
        send_inverse(console, waitlist_id, inverse, f"{key}.undo.{step}")


def _id_of_call(token: str) -> str:
    """Return an id for the call with this claim token.

    A call's buttons send its id, so that an earlier call's button cannot end a later call. The
    token itself is a secret, so the page does not contain it.
    """
    return str(uuid.uuid5(uuid.NAMESPACE_URL, token))


def _named(people: list[dict[str, Any]], waitlist: Document) -> list[dict[str, Any]]:
    return [{**person, "name": name_of(person, waitlist)} for person in people]


def _find_name(console: Console, waitlist_id: str, person: Document) -> str:
    return name_of(person, console.get(f"/{waitlist_id}"))


def _entry_of(answer: dict[str, Any]) -> str:
    return str(answer["claims"][0]["entry_id"])


def _chosen_room(request: Request, form: Form) -> str:
    """Return the desk name in the form. If there is none, return the name that the browser
    remembers.
    """
    return " ".join(form.get(ROOM, room_of(request)).split())


def _problem_of(room: str) -> str:
    """Return the error message for an invalid desk name, or "" for a valid one."""
    return NO_ROOM if not room else LONG_ROOM if len(room) > MOST_ROOM else ""


def remember_room(response: Response, waitlist_id: str, room: str) -> None:
    """Make the browser remember the desk name."""
    response.headers.append("set-cookie", f"{ROOM}={quote(room)}; {_cookie_of(waitlist_id)}")


def _cookie_of(waitlist_id: str) -> str:
    """Return the attributes of the cookie that stores the desk name.

    The page's script sets the same cookie.
    """
    # The cookie is valid for all the waitlist's pages, because the dialogs on a person's page also
    # need the desk name.
    return f"path=/lists/{waitlist_id}; max-age={YEAR_SECONDS}; samesite=strict"


def room_of(request: Request) -> str:
    """Return the desk name that the browser remembers."""
    room = unquote(request.cookies.get(ROOM, ""))
    return room if re.fullmatch(r"[^\x00-\x1f\x7f]{1,60}", room) else ""
