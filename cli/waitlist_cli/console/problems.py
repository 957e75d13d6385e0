"""Turns errors of the service into pages that say what to do."""

from starlette.requests import Request
from starlette.responses import Response

from waitlist_cli.console.context import Console
from waitlist_cli.errors import CliError, Defective, Unauthorised, Unavailable, WrongUsage

# After these errors the page asks again by itself.
RETURNS = (Unavailable, Unauthorised, Defective)
RETRY_SECONDS = 5


def problem_page(console: Console, request: Request, error: CliError) -> Response:
    """Return an error: in the dialog that sent a form, above a page that is open, or as a page."""
    is_action = request.method == "POST"
    values = {
        "error": error,
        "advice": _advice(error, is_action=is_action),
        "every": None,
        "notices": [],
        "query": "",
    }
    response = console.pages.answer(request, "problem.html", _status(error), **values)
    if is_action:
        return response
    if request.headers.get("hx-request") == "true":
        # What the page shows stays, and the error stands above it.
        response.headers.update({"HX-Retarget": "#trouble", "HX-Reswap": "innerHTML"})
    elif isinstance(error, RETURNS):
        response.headers["Refresh"] = str(RETRY_SECONDS)
    return response


def _advice(error: CliError, *, is_action: bool) -> str:
    match error:
        case Unauthorised():
            return (
                "Renew your AWS credentials in a terminal (for example: aws sso login), or start "
                "the console again with another --profile. This page then goes on by itself."
            )
        case Unavailable() if is_action:
            return "Press the button again: a repeated request has one effect."
        case Unavailable():
            return "This page goes on by itself as soon as the service answers."
        case Defective():
            return "The service failed. Its log has the cause; this page asks again by itself."
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
