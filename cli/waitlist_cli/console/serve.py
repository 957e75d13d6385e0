"""Shows the page for a service counter, where operators claim people and end the claims."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from waitlist_cli.console.actions import Form, shown_fields, with_form
from waitlist_cli.console.context import Console, entry_of, waitlist_of
from waitlist_cli.errors import Refused
from waitlist_cli.operations.action import ListRequest
from waitlist_cli.operations.claim import CLAIM_PEOPLE, HOW
from waitlist_cli.operations.every_action import CLAIM_ACTIONS
from waitlist_cli.operations.names import name_of

PATH = "/lists/{waitlist}/serve"
REFRESH_SECONDS = 5
AT_ONCE = 8


def routes(console: Console) -> list[Route]:
    def show(request: Request) -> Response:
        waitlist_id = waitlist_of(request)
        waitlist = console.get(f"/{waitlist_id}")
        claimed = [
            entry_id
            for owner, entry_id in list(console.claims)
            if owner == waitlist_id and not console.decisions.is_decided(waitlist_id, entry_id)
        ]
        with ThreadPoolExecutor(AT_ONCE) as threads:
            people = list(threads.map(partial(claimed_person, console, waitlist), claimed))
        return console.page(
            request,
            "serve.html",
            waitlist=waitlist,
            waiting=console.get(f"/{waitlist_id}/stats")["waiting"],
            held=[person for person in people if person["claim_token"]],
            ended=[person for person in people if not person["claim_token"]],
            fields=shown_fields(
                [field for field in CLAIM_PEOPLE.fields if field != HOW], waitlist, {}
            ),
            actions=CLAIM_ACTIONS,
            key=str(uuid.uuid4()),
            every=REFRESH_SECONDS,
        )

    def serve(request: Request, form: Form) -> Response:
        waitlist_id = waitlist_of(request)
        claim = ListRequest(console.api, waitlist_id, form.key, form.read(CLAIM_PEOPLE))
        notice, answer = CLAIM_PEOPLE.carry_out(claim)
        console.keep_claims(waitlist_id, answer["claims"])
        is_part = request.headers.get("hx-request") == "true"
        # If htmx sent the request, do not reload the page, so that the form keeps its values for
        # the next claim.
        return console.done(notice, None if is_part else request.url.path, key=str(uuid.uuid4()))

    def dismiss(request: Request, _form: Form) -> Response:
        waitlist_id, entry_id = waitlist_of(request), entry_of(request)
        waitlist = console.get(f"/{waitlist_id}")
        if not claimed_person(console, waitlist, entry_id)["claim_token"]:
            console.claims.pop((waitlist_id, entry_id), None)
        return console.done("Dismissed.")

    return [
        Route(PATH, show),
        Route(PATH, with_form(serve), methods=["POST"]),
        Route(f"{PATH}/{{entry}}/dismiss", with_form(dismiss), methods=["POST"]),
    ]


def claimed_person(console: Console, waitlist: Any, entry_id: str) -> dict[str, Any]:
    """Read a person whom this console has claimed.

    If the claim has ended, the result has an empty `claim_token`.
    """
    try:
        person = console.person(waitlist["waitlist_id"], entry_id)
    except Refused as error:
        if error.code != "entry_not_found":
            raise
        person = {"entry_id": entry_id, "customer_id": None, "status": "erased", "claim_token": ""}
    return {**person, "name": name_of(person, waitlist)}
