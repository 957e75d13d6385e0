"""Shows the live page of a waitlist: the numbers, the charts, the next people and the actions."""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from waitlist_cli.console.actions import Call, Form, dialog, find_action, resolve, with_form
from waitlist_cli.console.context import Console, waitlist_of
from waitlist_cli.console.numbers import line_of, series
from waitlist_cli.console.waitlist_actions import ACTIONS, possible
from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.policies import policy_text
from waitlist_cli.terminal.output import format_value

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
            people=head["entries"],
            columns=console.columns_of(waitlist, head["entries"]),
            actions=possible(waitlist),
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
        action = find_action(ACTIONS, request.path_params["action"])
        fields, consequence = (
            resolve(part, waitlist) for part in (action.fields, action.consequence)
        )
        name = format_value(waitlist["name"])
        return dialog(console, request, action, consequence, fields, name)

    def act(request: Request, form: Form) -> Response:
        action = find_action(ACTIONS, request.path_params["action"])
        return action.carry_out(Call(console, waitlist_of(request), "", form))

    return [
        Route(PATH, show),
        Route(f"{PATH}/charts", charts),
        Route(f"{PATH}/do/{{action}}", ask),
        Route(f"{PATH}/do/{{action}}", with_form(act), methods=["POST"]),
    ]
