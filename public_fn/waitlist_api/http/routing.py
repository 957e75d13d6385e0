"""The routes of the API, and the modules that handle them.

A module is imported when the first request for one of its routes arrives, so that a Lambda function
starts quickly.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, wraps
from importlib import import_module
from inspect import signature
from typing import Any
from urllib.parse import unquote

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from msgspec import Struct

from waitlist_api.errors import NoSuchRoute
from waitlist_api.http.operation import Operation
from waitlist_api.http.routes.params import OwnEntryId
from waitlist_api.services import Services
from waitlist_api.settings.stack import Stack

Event = Mapping[str, Any]
GET, HEAD = "GET", "HEAD"
# Powertools writes parameters as `<name>`, and API Gateway as `{name}`.
ANGLE_BRACKETS = str.maketrans("{}", "<>")
# Characters that ids in a path must not contain. A slash in an id would split the id into two parts
# of the path. At a question mark or a hash, a proxy may cut off the rest of the path.
FORBIDDEN = re.compile(r"[/?#\x00-\x1f\x7f-\x9f]")
SIGN_UP = "POST /v1/waitlists/{waitlist_id}/entries"
# Maps each module to the methods of its `Routes` class, and each method to its route.
MODULES = {
    "openapi.docs": {"get_docs": "GET /docs"},
    "routes.health": {"health": "GET /v1/health"},
    "routes.page": {
        "get_asset": "GET /assets/{edition}/{file}",
        "get_page": "GET /w/{waitlist_id}",
        "get_view": "GET /w/{waitlist_id}/{view}",
    },
    "routes.waitlists": {
        "get_waitlist": "GET /v1/waitlists/{waitlist_id}",
        "get_board": "GET /v1/waitlists/{waitlist_id}/board",
    },
    "routes.screen": {"get_screen": "GET /v1/waitlists/{waitlist_id}/screen"},
    "routes.guests": {"sign_up": SIGN_UP},
    "routes.accounts": {"sign_up": SIGN_UP},
    "routes.customers": {
        "leave": "DELETE /v1/waitlists/{waitlist_id}/entries/{entry_id}",
        "get_entry": "GET /v1/waitlists/{waitlist_id}/entries/{entry_id}",
        "change_own_data": "PATCH /v1/waitlists/{waitlist_id}/entries/{entry_id}",
        "confirm": "POST /v1/waitlists/{waitlist_id}/entries/{entry_id}/confirm",
        "decline": "POST /v1/waitlists/{waitlist_id}/entries/{entry_id}/decline",
        "enter": "POST /v1/waitlists/{waitlist_id}/entries/{entry_id}/enter",
        "exit_entry": "POST /v1/waitlists/{waitlist_id}/entries/{entry_id}/exit",
        "get_pass": "GET /v1/waitlists/{waitlist_id}/entries/{entry_id}/pass",
        "rest": "POST /v1/waitlists/{waitlist_id}/entries/{entry_id}/rest",
        "resume": "POST /v1/waitlists/{waitlist_id}/entries/{entry_id}/resume",
    },
    "routes.verify": {
        "send_link": "POST /v1/waitlists/{waitlist_id}/links",
        "verify": "POST /v1/waitlists/{waitlist_id}/verify",
    },
    "routes.unsubscribe": {
        "ask_to_unsubscribe": "GET /v1/waitlists/{waitlist_id}/unsubscribe/{code}",
        "unsubscribe": "POST /v1/waitlists/{waitlist_id}/unsubscribe/{code}",
    },
    "routes.passes": {
        "get_pass_keys": "GET /.well-known/jwks.json",
        "get_pass_issuer": "GET /.well-known/openid-configuration",
    },
    "routes.admin.admission": {
        "admit": "POST /v1/admin/waitlists/{waitlist_id}/admit",
        "admit_person": "POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/admit",
        "exit_person": "POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/exit",
        "withdraw": "POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/withdraw",
    },
    "routes.admin.claims": {
        "claim": "POST /v1/admin/waitlists/{waitlist_id}/claims",
        "call": "POST /v1/admin/waitlists/{waitlist_id}/claims/{entry_id}/call",
        "claim_person": "POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/claim",
        "complete": "POST /v1/admin/waitlists/{waitlist_id}/claims/{entry_id}/complete",
        "extend": "POST /v1/admin/waitlists/{waitlist_id}/claims/{entry_id}/extend",
        "park": "POST /v1/admin/waitlists/{waitlist_id}/claims/{entry_id}/park",
        "release": "POST /v1/admin/waitlists/{waitlist_id}/claims/{entry_id}/release",
        "redrive": "POST /v1/admin/waitlists/{waitlist_id}/parked/{entry_id}/redrive",
    },
    "routes.admin.counts": {
        "get_stats": "GET /v1/admin/waitlists/{waitlist_id}/stats",
        "get_stats_history": "GET /v1/admin/waitlists/{waitlist_id}/stats/history",
    },
    "routes.admin.entries": {
        "list_entries": "GET /v1/admin/waitlists/{waitlist_id}/entries",
        "erase_person": "DELETE /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}",
        "get_person": "GET /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}",
        "edit_person": "PATCH /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}",
        "bump": "POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/bump",
        "set_ready": "POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/ready",
        "remove": "POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/remove",
        "unban": "POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/unban",
        "verify_person": "POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/verify",
        "find_person": "POST /v1/admin/waitlists/{waitlist_id}/find",
    },
    "routes.admin.imports": {
        "import_entries": "POST /v1/admin/waitlists/{waitlist_id}/import",
        "import_with_tokens": "POST /v1/admin/waitlists/{waitlist_id}/import/tokens",
    },
    "routes.admin.invitations": {
        "list_invitations": "GET /v1/admin/waitlists/{waitlist_id}/invitations",
        "invite": "POST /v1/admin/waitlists/{waitlist_id}/invitations",
        "get_invitation": "GET /v1/admin/waitlists/{waitlist_id}/invitations/{invitation_id}",
    },
    "routes.admin.messages": {
        "list_messages": "GET /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/messages",
        "preview_messages": "GET /v1/admin/waitlists/{waitlist_id}/messages",
        "send_message": "POST /v1/admin/waitlists/{waitlist_id}/messages",
        "send_test_message": "POST /v1/admin/waitlists/{waitlist_id}/messages/test",
    },
    "routes.admin.notice": {"put_notice": "PUT /v1/admin/waitlists/{waitlist_id}/notice"},
    "routes.admin.preview": {"preview_admission": "POST /v1/admin/waitlists/{waitlist_id}/preview"},
    "routes.admin.reinstate": {
        "reinstate": "POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/reinstate",
    },
    "routes.admin.segments": {"list_segments": "GET /v1/admin/waitlists/{waitlist_id}/segments"},
    "routes.admin.tokens": {
        "get_link": "POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/link",
        "issue_token": "POST /v1/admin/waitlists/{waitlist_id}/entries/{entry_id}/token",
    },
    "routes.admin.waitlists": {
        "list_waitlists": "GET /v1/admin/waitlists",
        "delete_waitlist": "DELETE /v1/admin/waitlists/{waitlist_id}",
        "get_waitlist_config": "GET /v1/admin/waitlists/{waitlist_id}",
        "change_waitlist": "PATCH /v1/admin/waitlists/{waitlist_id}",
        "put_waitlist": "PUT /v1/admin/waitlists/{waitlist_id}",
        "ask_all": "POST /v1/admin/waitlists/{waitlist_id}/confirm",
    },
    "routes.admin.webhooks": {"replay_webhook": "POST /v1/admin/webhook/replay"},
}


class Route(Struct, frozen=True):
    """A route of the API. Its handler is the `name` method of the `routes` class."""

    key: str
    routes: type[Any]
    name: str

    @property
    def operation_id(self) -> str:
        """The handler's name in camel case."""
        first, *others = self.name.split("_")
        return first + "".join(map(str.capitalize, others))

    @property
    def operation(self) -> Operation:
        operation: Operation = getattr(self.routes, self.name).operation
        return operation


@cache
def _names(*, has_accounts: bool) -> dict[str, tuple[str, str]]:
    """Return the module and method names that handle each route, by route key."""
    skipped = "routes.guests" if has_accounts else "routes.accounts"
    return {
        key: (module, name)
        for module, names in MODULES.items()
        if module != skipped
        for name, key in names.items()
    }


@cache
def find_route(key: str, *, has_accounts: bool = False) -> Route:
    """Return the route with this key, and import the module that handles it.

    Raise NoSuchRoute if there is no such route. If `has_accounts` is true, customers have accounts
    with an OIDC issuer, and a different module handles their signups.
    """
    names = _names(has_accounts=has_accounts)
    if key not in names:
        raise NoSuchRoute
    module, name = names[key]
    return Route(key, import_module(f"waitlist_api.http.{module}").Routes, name)


def import_routes() -> None:
    """Import the modules of all routes that a deployed stack has."""
    for module in MODULES:
        if module != "openapi.docs":
            import_module(f"waitlist_api.http.{module}")


def all_routes(*, has_accounts: bool = False) -> Iterator[Route]:
    """Import all modules, and yield all routes."""
    for key in _names(has_accounts=has_accounts):
        yield find_route(key, has_accounts=has_accounts)


def add_route(
    resolver: APIGatewayHttpResolver, route: Route, services: Services, **documentation: Any
) -> None:
    """Add a route to a resolver. Create the handler with the services that it needs."""
    method, path = route.key.translate(ANGLE_BRACKETS).split(" ")
    handler = getattr(services.get(route.routes), route.name)
    if route.operation.audience == "customer" and services.get(Stack).has_accounts:
        handler = _accepting_me(handler)
    add = resolver.route(
        path,
        method,
        operation_id=route.operation_id,
        compress=route.operation.compresses,
        include_in_schema=bool(route.operation.summary),
        **documentation,
    )
    add(handler)


def _accepting_me(handler: Callable[..., Any]) -> Callable[..., Any]:
    """Return a handler for customers with accounts. It accepts `me` as the `entry_id`."""

    @wraps(handler)
    def call(**arguments: Any) -> Any:
        return handler(**arguments)

    declared = signature(handler)
    parameters = [
        parameter.replace(annotation=OwnEntryId) if name == "entry_id" else parameter
        for name, parameter in declared.parameters.items()
    ]
    call.__signature__ = declared.replace(parameters=parameters)  # type: ignore[attr-defined]
    return call


def is_head(event: Event) -> bool:
    return bool(event.get("requestContext", {}).get("http", {}).get("method") == HEAD)


def as_get(event: Event) -> Event:
    """Convert a HEAD event to a GET event for the same route."""
    method, _, path = str(event.get("routeKey")).partition(" ")
    route_key = f"{GET} {path}" if method == HEAD else ""
    context = event["requestContext"]
    context = {**context, "http": {**context["http"], "method": GET}, "routeKey": route_key}
    return {**event, "routeKey": route_key, "requestContext": context}


def path_of(event: Event) -> str:
    """Return the request's decoded path without the stage. Powertools uses this path."""
    path = str(event.get("rawPath", ""))
    stage = event.get("requestContext", {}).get("stage", "$default")
    return path if stage == "$default" else path[len(f"/{stage}") :]


def check_path(event: Event) -> None:
    """Raise NoSuchRoute if the method or the path of a request differs from the route that API
    Gateway chose.
    """
    # API Gateway matches the encoded path to a route, and checks whether the operator may use this
    # route. Powertools matches the decoded path, which could belong to a different route. An
    # operator who may only read a waitlist could then list its entries with GET
    # /v1/admin/waitlists/bakery%2Fentries, so refuse such paths.
    method, _, template = event["routeKey"].partition(" ")
    given = event.get("pathParameters") or {}
    parameters = {name: unquote(str(value)) for name, value in given.items()}
    try:
        path = template.format(**parameters)
    except KeyError:
        raise NoSuchRoute from None
    # If a proxy has cut off the path at a question mark or a hash, the path parameter still
    # contains the whole id, so check the parameter too.
    is_same = (method, path) == (event["requestContext"]["http"]["method"], unquote(path_of(event)))
    if not is_same or any(FORBIDDEN.search(value) for value in parameters.values()):
        raise NoSuchRoute
