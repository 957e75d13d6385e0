"""Finds the route of an event, and rejects routes that API Gateway did not authorize."""

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
# and proxies may cut off the path after a question mark or a hash.
FORBIDDEN = re.compile(r"[/?#\x00-\x1f\x7f-\x9f]")


class Resolver(APIGatewayHttpResolver):
    """Powertools' resolver with a method that returns its routes."""

    def all_routes(self) -> list[Route]:
        """Return every registered route, in the order in which Powertools matches routes."""
        return [*self._static_routes, *self._dynamic_routes]


class Routes:
    """The routes of the API.

    IAM authorizes the route that API Gateway has chosen (the event's `routeKey`). API Gateway
    chooses the route before it decodes the path. The resolver matches the decoded path, in which an
    encoded slash is an ordinary separator. `GET /v1/admin/waitlists/bakery%2Fentries` would
    therefore be authorized for reading a waitlist, but would list its customers. A request is
    rejected unless both routes agree.
    """

    def __init__(self, routes: Iterable[Route]) -> None:
        self._methods: dict[re.Pattern[str], dict[str, str]] = {}
        for route in routes:
            # `openapi_path` writes parameters as `{name}`, like API Gateway.
            self._methods.setdefault(route.rule, {})[route.method] = route.openapi_path

    def check(self, event: Event) -> None:
        """Raise NoSuchRoute or MethodNotAllowed unless API Gateway chose this path's route."""
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
    """Return a HEAD event as a GET event of the same route.

    API Gateway has a HEAD route for each GET route, with the same authorizer. An event whose route
    is not a HEAD route gets an empty route key, and is rejected.
    """
    method, _, path = str(event.get("routeKey")).partition(" ")
    route_key = f"{GET} {path}" if method == HEAD else ""
    context = event["requestContext"]
    context = {**context, "http": {**context["http"], "method": GET}, "routeKey": route_key}
    return {**event, "routeKey": route_key, "requestContext": context}


def path_of(event: Event) -> str:
    """Return the decoded path without the stage, as Powertools' resolver reads it."""
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
        # API Gateway's own parameter may contain a part that was cut off from the path.
        if given is not None and unquote(str(given.get(name))) != decoded:
            raise NoSuchRoute
