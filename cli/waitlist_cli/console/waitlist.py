"""Shows a waitlist's live page, with its numbers, charts, next people and actions."""

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from waitlist_cli.console.actions import Form, dialog, second_dialog, shown_people, with_form
from waitlist_cli.console.bulk import chosen_people
from waitlist_cli.console.context import Console, waitlist_of
from waitlist_cli.console.numbers import line_of, series
from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.action import ListRequest
from waitlist_cli.operations.admit import quota_text
from waitlist_cli.operations.broadcast import ENTRIES, WHO_GETS_IT
from waitlist_cli.operations.claim import CLAIM_PEOPLE, HOW
from waitlist_cli.operations.every_action import LIST_ACTIONS, find_action, possible_for_list
from waitlist_cli.operations.lists import DELETE
from waitlist_cli.operations.policies import policy_text
from waitlist_cli.terminal.output import format_value
from waitlist_cli.terminal.times import localize

PATH = "/lists/{waitlist}"
HEAD = 10
REFRESH_SECONDS = 5
PERIODS = ("hour", "day", "week")


def routes(console: Console) -> list[Route]:
    def show(request: Request) -> Response:
        waitlist_id = waitlist_of(request)
        waitlist = console.get(f"/{waitlist_id}")
        stats = console.get(f"/{waitlist_id}/stats")
        head = console.get(f"/{waitlist_id}/entries", limit=HEAD)
        return console.page(
            request,
            "waitlist.html",
            waitlist=waitlist,
            stats=stats,
            line=line_of(waitlist, stats),
            policy=policy_text(waitlist["admission"]),
            quota=localize(quota_text(stats), waitlist["timezone"]),
            people=head["entries"],
            columns=console.columns_of(waitlist, head["entries"]),
            actions=possible_for_list(waitlist),
            every=REFRESH_SECONDS,
        )

    def charts(request: Request) -> Response:
        period = request.query_params.get("period", "hour")
        if period not in PERIODS:
            raise WrongUsage(f"{period!r} is not a period. The periods are {', '.join(PERIODS)}.")
        path = f"/{waitlist_of(request)}/stats/history"
        return JSONResponse(series(console.get(path, period=period)))

    def ask(request: Request) -> Response:
        waitlist: dict[str, Any] = console.get(f"/{waitlist_of(request)}")
        action = find_action(LIST_ACTIONS, request.path_params["action"])
        chosen = _chosen(waitlist["waitlist_id"], request.query_params.getlist("entry"))
        known = WHO_GETS_IT if chosen else ()
        who = format_value(waitlist["name"])
        return dialog(console, request, action, waitlist, who, known=known, chosen=chosen)

    def act(request: Request, form: Form) -> Response:
        waitlist_id = waitlist_of(request)
        action = find_action(LIST_ACTIONS, request.path_params["action"])
        waitlist = console.get(f"/{waitlist_id}")
        values = form.read(action, action.asked(waitlist, {}))
        chosen = _chosen(waitlist_id, form.getlist("entry"))
        if chosen:
            values[ENTRIES.name] = " ".join(person["entry_id"] for person in chosen)
        sent = ListRequest(console.api, waitlist_id, form.key, values)
        if not form.text("sure") and (said := action.ask_again(sent)):
            title = action.title.format(who=format_value(waitlist["name"]))
            people = shown_people(chosen, waitlist)
            return second_dialog(
                console, request, action, form, title, said, waitlist=waitlist, **people
            )
        notice, answer = action.carry_out(sent)
        notice = localize(notice, waitlist["timezone"])
        to = None
        if action is DELETE:
            to = "/"
        elif action is CLAIM_PEOPLE and values[HOW.name] == HOW.value:
            console.keep_claims(waitlist_id, answer["claims"])
            to = f"/lists/{waitlist_id}/serve"
        inverses = action.inverse(answer) if action.inverse else ()
        undo = console.undos.keep(waitlist_id, inverses, done=[(action.name, "")])
        if action.stays_open:
            return console.go_on(notice, undo)
        return console.done(notice, to=to, undo=undo)

    def _chosen(waitlist_id: str, entries: Sequence[str]) -> list[dict[str, Any]]:
        """Return the people whom the operator has ticked in a table, if any."""
        return chosen_people(console, waitlist_id, entries) if entries else []

    return [
        Route(PATH, show),
        Route(f"{PATH}/charts", charts),
        Route(f"{PATH}/do/{{action}}", ask),
        Route(f"{PATH}/do/{{action}}", with_form(act), methods=["POST"]),
    ]
