"""One person: where they are and why, history, actions."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from waitlist_cli.console.actions import Call, Form, dialog, named, with_form
from waitlist_cli.console.desk import Desk, entry_of, waitlist_of
from waitlist_cli.console.person_actions import ACTIONS, name_of, possible
from waitlist_cli.explain import actor, explanation
from waitlist_cli.paging import pages

PATH = "/lists/{waitlist}/people/{entry}"
REFRESH_SECONDS = 10


def routes(desk: Desk) -> list[Route]:
    def show(request: Request) -> Response:
        waitlist_id, entry_id = waitlist_of(request), entry_of(request)
        waitlist = desk.get(f"/{waitlist_id}")
        person = _person(desk, waitlist_id, entry_id)
        history = person["history"]
        if request.query_params.get("history") == "all":
            path = f"/{waitlist_id}/entries/{entry_id}"
            history = list(pages(desk.api, path, "history", include="history"))
        return desk.page(
            request,
            "person.html",
            waitlist=waitlist,
            person=person,
            name=name_of(person),
            explanation=explanation(person, waitlist),
            actions=possible(person),
            history=[{**one, "by": actor(one["by"])} for one in reversed(history)],
            has_more=person["cursor"] is not None and history is person["history"],
            every=REFRESH_SECONDS,
        )

    def ask(request: Request) -> Response:
        person = _person(desk, waitlist_of(request), entry_of(request))
        action = named(ACTIONS, request.path_params["action"])
        return dialog(desk, request, action, person, name_of(person))

    def act(request: Request, form: Form) -> Response:
        action = named(ACTIONS, request.path_params["action"])
        return action.carry_out(Call(desk, waitlist_of(request), entry_of(request), form))

    return [
        Route(PATH, show),
        Route(f"{PATH}/{{action}}", ask),
        Route(f"{PATH}/{{action}}", with_form(act), methods=["POST"]),
    ]


def _person(desk: Desk, waitlist_id: str, entry_id: str) -> dict[str, Any]:
    """Return an entry, with the token of the claim that this console made, if it did."""
    person = desk.get(f"/{waitlist_id}/entries/{entry_id}")
    held = person["status"] == "offered" and person["offered_until"] is None
    token = desk.claims.get((waitlist_id, entry_id)) if held else None
    return {**person, "claim_token": token}
