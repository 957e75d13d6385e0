"""Shows the people on a waitlist by status, and finds people by their id, address or other data."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from waitlist_cli.client.ids import ENTRY_ID, entry_id_of
from waitlist_cli.console.actions import Form, with_form
from waitlist_cli.console.context import Console, waitlist_of
from waitlist_cli.errors import Refused, WrongUsage
from waitlist_cli.operations.every_action import possible_for_people
from waitlist_cli.operations.search import exact_numbers_first, find_person
from waitlist_cli.terminal.times import since_of

PATH = "/lists/{waitlist}/people"
# The statuses of people who receive no messages. They occur only on a waitlist that sends messages.
UNREACHED = ("unreachable", "messages_off")
BY_TIME = ("inside", "admitted", "left", "banned", *UNREACHED)
STATUSES = ("waiting", "offered", "parked", *BY_TIME)
PARTS_OF_WAITING = {"ready": ("true", "false"), "only": ("unverified", "asked")}
ROWS = 50
# Each request examines up to 1,000 people.
MOST_REQUESTS = 10
REFRESH_SECONDS = 10
SEARCH_SECONDS = 1


def routes(console: Console) -> list[Route]:
    def show(request: Request) -> Response:
        waitlist_id = waitlist_of(request)
        query = request.query_params
        status = query.get("status", "waiting")
        if status not in STATUSES:
            raise WrongUsage(f"{status!r} is not a status. The statuses are {', '.join(STATUSES)}.")
        waitlist, stats = console.get(f"/{waitlist_id}"), console.get(f"/{waitlist_id}/stats")
        first = _position(query.get("first", "1"))
        params: dict[str, str | int] = {"status": status, "limit": ROWS}
        chosen = waiting_filter(query, status)
        params |= chosen
        if query.get("cursor"):
            params["cursor"] = query["cursor"]
        elif status == "waiting" and not chosen:
            params["first"] = first
        if status in BY_TIME:
            params |= since_of(
                query.get("since", "").strip() or None, zone=lambda: str(waitlist["timezone"])
            )
        found = _page(console, f"/{waitlist_id}/entries", params)
        return console.page(
            request,
            "people.html",
            waitlist=waitlist,
            stats=stats,
            status=status,
            statuses=[
                name
                for name in STATUSES
                if name not in UNREACHED or stats.get(name) or name == status
            ],
            by_time=BY_TIME,
            chosen=urlencode(chosen),
            people=found["entries"],
            columns=console.columns_of(waitlist, found["entries"]),
            bulk=possible_for_people(found["entries"]),
            cursor=found["cursor"],
            first=first,
            rows=ROWS,
            since=query.get("since", ""),
            is_later=bool(query.get("cursor")),
            every=REFRESH_SECONDS,
        )

    def search(request: Request, form: Form) -> Response:
        return _search(console, waitlist_of(request), form)

    def show_found(request: Request) -> Response:
        waitlist_id = waitlist_of(request)
        search = console.searches.get(waitlist_id, request.path_params["search"])
        if search is None:
            raise Refused("This search no longer exists. Search again.", "not_found", 404)
        if search.problem is not None:
            raise search.problem
        waitlist, people = (
            console.get(f"/{waitlist_id}"),
            exact_numbers_first(search.people, search.text),
        )
        return console.page(
            request,
            "found.html",
            waitlist=waitlist,
            search=search,
            people=people,
            columns=console.columns_of(waitlist, people),
            bulk=possible_for_people(people),
            find=search.text,
            search_seconds=SEARCH_SECONDS,
        )

    def choose(request: Request, form: Form) -> Response:
        waitlist_id, status = waitlist_of(request), form.text("status")
        console.columns[waitlist_id] = form.getlist("column")
        shown = status if status in STATUSES else STATUSES[0]
        return console.done(
            "The table shows the chosen columns.", f"/lists/{waitlist_id}/people?status={shown}"
        )

    return [
        Route(PATH, show),
        Route("/lists/{waitlist}/columns", with_form(choose), methods=["POST"]),
        # The search uses POST, because a customer id in a GET request's URL would stay in the
        # browser's history.
        Route(PATH, with_form(search), methods=["POST"]),
        Route("/lists/{waitlist}/found/{search}", show_found),
    ]


def _search(console: Console, waitlist_id: str, form: Form) -> Response:
    """Open the page of the person with exactly this id or address.

    If there is no such person, search for the text in everyone's data.
    """
    text = form.text("find")
    if not text:
        raise WrongUsage("Find: enter a customer id, or part of a customer id or profile.")
    exact = text if ENTRY_ID.fullmatch(text) else _entry_id(waitlist_id, text)
    found = (
        exact
        if _is_there(console, waitlist_id, exact)
        else _find_by_address(console, waitlist_id, text)
    )
    if found is not None:
        return Response(headers={"HX-Redirect": f"/lists/{waitlist_id}/people/{found}"})
    search = console.searches.start(console.api, waitlist_id, text)
    return Response(headers={"HX-Redirect": f"/lists/{waitlist_id}/found/{search.id}"})


def _entry_id(waitlist_id: str, text: str) -> str:
    try:
        return entry_id_of(waitlist_id, text)
    except UnicodeEncodeError as error:
        raise WrongUsage(f"{text!r} cannot be encoded as UTF-8.") from error


def _find_by_address(console: Console, waitlist_id: str, text: str) -> str | None:
    """Return the entry id of the person with this address, or None if there is none."""
    identity = console.get(f"/{waitlist_id}")["identity"]
    if identity is None:
        return None
    try:
        found = find_person(console.api, waitlist_id, {identity["field"]: text})
    except Refused as error:
        # The text is not the address of anyone on this waitlist. It may be part of an address or a
        # name, so search for it.
        if error.code in ("entry_not_found", "invalid_request"):
            return None
        raise
    return str(found["entry_id"])


def _is_there(console: Console, waitlist_id: str, entry_id: str) -> bool:
    try:
        console.get(f"/{waitlist_id}/entries/{entry_id}")
    except Refused as error:
        if error.code == "entry_not_found":
            return False
        raise
    return True


def waiting_filter(query: Mapping[str, str], status: str) -> dict[str, str]:
    """Return the query's filters for waiting people, or {} for any other status.

    Raises WrongUsage if a filter has an unknown value.
    """
    chosen = {name: query[name] for name in PARTS_OF_WAITING if query.get(name)}
    if status != "waiting":
        return {}
    for name, value in chosen.items():
        if value not in PARTS_OF_WAITING[name]:
            raise WrongUsage(
                f"{name}={value} is not valid. Use {' or '.join(PARTS_OF_WAITING[name])}."
            )
    return chosen


def _page(console: Console, path: str, params: dict[str, str | int]) -> Any:
    """Return a page of entries, skipping empty pages.

    The service examines a limited number of people for each page. If none of them match, the page
    is empty, but later pages can contain entries.
    """
    for _ in range(MOST_REQUESTS):
        found = console.get(path, **params)
        if found["entries"] or found["cursor"] is None:
            break
        params["cursor"] = found["cursor"]
    return found


def _position(text: str) -> int:
    digits: Any = text.strip().replace(",", "")
    if not (digits.isascii() and digits.isdecimal() and 0 < len(digits) < 13):
        raise WrongUsage(f"{text!r} is not a position. Enter a number of at least 1.")
    return max(1, int(digits))
