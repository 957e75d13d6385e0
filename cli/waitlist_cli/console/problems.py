"""Renders an error as a page that says what the operator can do."""

from starlette.requests import Request
from starlette.responses import Response

from waitlist_cli.console.context import Console
from waitlist_cli.errors import (
    UNREACHABLE,
    CliError,
    Defective,
    Unauthorised,
    Unavailable,
    WrongUsage,
)
from waitlist_cli.operations.claim import call_error

# If loading a page fails with one of these errors, the browser requests the page again
# automatically.
RETURNS = (Unavailable, Unauthorised, Defective)
RETRY_SECONDS = 5


def problem_page(console: Console, request: Request, error: CliError) -> Response:
    """Return the response to an error.

    If an action failed, its dialog shows the error. If a page could not be refreshed, the error
    appears above the page.
    """
    is_action = request.method == "POST"
    values = {
        "error": error,
        "message": call_error(error),
        "detail": error.message if error.code == UNREACHABLE else "",
        "advice": _advice(error, is_action=is_action),
        "every": None,
        "notices": [],
        "query": "",
    }
    response = console.pages.answer(request, "problem.html", _status(error), **values)
    if is_action:
        return response
    if request.headers.get("hx-request") == "true":
        # If htmx sent the request, show the error above the page and keep the rest of the page.
        response.headers.update({"HX-Retarget": "#trouble", "HX-Reswap": "innerHTML"})
    elif isinstance(error, RETURNS):
        response.headers["Refresh"] = str(RETRY_SECONDS)
    return response


def _advice(error: CliError, *, is_action: bool) -> str:
    match error:
        case Unauthorised():
            then = "press the button again" if is_action else "this page continues by itself"
            return (
                "Renew your AWS credentials in a terminal, for example with `aws sso login`, or "
                f"start the console again with another --profile. After that, {then}."
            )
        case Unavailable() if is_action:
            return (
                "Press the button again. The action is carried out only once, even if the service "
                "has received your first request."
            )
        case Unavailable():
            return "This page continues by itself as soon as the service answers."
        case Defective() if is_action:
            return (
                "The service failed. Look for the cause in the service's log, then press the "
                "button again."
            )
        case Defective():
            return (
                "The service failed. Look for the cause in the service's log. This page tries "
                "again by itself."
            )
        case _:
            return ""


def _status(error: CliError) -> int:
    match error:
        case WrongUsage():
            return 422
        case Unavailable():
            return 503
        case Defective():
            return 502
        case _:
            return error.status or 409
