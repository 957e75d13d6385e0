"""The routes of the HTTP API in `template.yaml`.

A request takes the route that API Gateway would choose.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

DEFAULT_ROUTE_KEY = "$default"
# Routes that show the OpenAPI document. Only the local service has them.
DOCUMENT_ROUTES = [("GET", "/docs"), ("HEAD", "/docs")]


def operations(template: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The result's keys are route keys, such as `GET /v1/health`."""
    paths = template["Resources"]["Api"]["Properties"]["DefinitionBody"]["paths"]
    return {
        f"{method.upper()} {path}": operation
        for path, item in paths.items()
        for method, operation in item.items()
    }


@dataclass(frozen=True)
class RouteMatch:
    route_key: str
    path_parameters: dict[str, str]


@dataclass(frozen=True)
class _Route:
    method: str
    template: str
    pattern: re.Pattern[str]

    @property
    def preference(self) -> tuple[bool, int, bool]:
        # API Gateway first prefers paths without a greedy variable, then paths with more literal
        # segments, and then routes with a method.
        greedy = "+}" in self.template
        literal_segments = sum("{" not in part for part in self.template.split("/"))
        return (greedy, -literal_segments, self.method == "ANY")


class Routes:
    def __init__(self, method_paths: list[tuple[str, str]]) -> None:
        routes = [_Route(method, path, _pattern(path)) for method, path in method_paths]
        self._routes = sorted(routes, key=lambda route: route.preference)

    @classmethod
    def from_template(cls, template: Mapping[str, Any]) -> "Routes":
        """Read the routes from the API document in the template.

        The local service also has a `$default` route, which passes all other requests to the
        function. API Gateway would answer these requests with 404.
        """
        return cls([*DOCUMENT_ROUTES, *(_method_path(route) for route in operations(template))])

    def match(self, method: str, raw_path: str) -> RouteMatch:
        for route in self._routes:
            if route.method in (method, "ANY") and (found := route.pattern.fullmatch(raw_path)):
                parameters = {name: unquote(value) for name, value in found.groupdict().items()}
                return RouteMatch(f"{route.method} {route.template}", parameters)
        return RouteMatch(DEFAULT_ROUTE_KEY, {})


def _method_path(route: str) -> tuple[str, str]:
    method, path = route.split(" ")
    return method, path


def _pattern(path: str) -> re.Pattern[str]:
    parts = []
    for part in re.split(r"(\{\w+\+?\})", path):
        if part.startswith("{"):
            name, characters = (part[1:-2], ".+") if part.endswith("+}") else (part[1:-1], "[^/]+")
            parts.append(f"(?P<{name}>{characters})")
        else:
            parts.append(re.escape(part))
    return re.compile("".join(parts))
