"""Finds the route for an event, and rejects routes that API Gateway did not authorize."""

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.event_handler.api_gateway import Route

from waitlist_api.errors import MethodNotAllowed, NoSuchRoute

Event = Mapping[str, Any]
GET, HEAD = "GET", "HEAD"
# No id contains these characters. A slash would move the rest of the path into other parameters,
# and proxies may cut off a path at a question mark or a hash.
FORBIDDEN = re.compile(r"[/?#\x00-\x1f\x7f-\x9f]")


class Resolver(APIGatewayHttpResolver):
    """The Powertools resolver, extended with a method that returns its routes."""

    def all_routes(self) -> list[Route]:
        """Return all registered routes, in the order in which Powertools matches them."""
        return [*self._static_routes, *self._dynamic_routes]


class Routes:
    """The routes of the API.

    A request is rejected unless API Gateway and Powertools choose the same route.
    """

    def __init__(self, routes: Iterable[Route]) -> None:
        self._methods: dict[re.Pattern[str], dict[str, str]] = {}
        for route in routes:
            # Like API Gateway, `openapi_path` writes parameters as `{name}`.
            self._methods.setdefault(route.rule, {})[route.method] = route.openapi_path

    def check(self, event: Event) -> None:
        """Raise NoSuchRoute or MethodNotAllowed unless API Gateway chose the right route."""
        # API Gateway matches the encoded path, but Powertools matches the decoded path. An operator
        # who may only read one waitlist could list its customers with an encoded slash:
        # GET /v1/admin/waitlists/bakery%2Fentries
        http = event.get("requestContext", {}).get("http", {})
        path = path_of(event)
        allowed: dict[str, str] = {}
        for pattern, templates in self._methods.items():
            if found := pattern.fullmatch(path):
                if template := templates.get(http.get("method")):
                    _check_agreement(event, f"{http['method']} {template}", found.groupdict())
                    return
                allowed |= templates
        if GET in allowed:
            allowed[HEAD] = allowed[GET]
        raise MethodNotAllowed(allowed) if allowed else NoSuchRoute


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
    """Return the decoded path without the stage, as Powertools sees it."""
    path = str(event.get("rawPath", ""))
    stage = event.get("requestContext", {}).get("stage", "$default")
    return path if stage == "$default" else path[len(f"/{stage}") :]


def _check_agreement(event: Event, route_key: str, parameters: Mapping[str, str]) -> None:
    if event.get("routeKey") != route_key:
        raise NoSuchRoute
    given = event.get("pathParameters")
    for name, value in parameters.items():
        decoded = unquote(value)
        if FORBIDDEN.search(decoded):
            raise NoSuchRoute
        # If part of the path was cut off, API Gateway's parameter may still contain this part.
        if given is not None and unquote(str(given.get(name))) != decoded:
            raise NoSuchRoute
