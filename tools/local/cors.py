"""Adds API Gateway's CORS headers to responses for pages of other origins, if the stack allows such
pages.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp

EXTENSION = "x-amazon-apigateway-cors"


@dataclass(frozen=True)
class CorsRules:
    """The CORS rules for pages from `origins`. The origin `*` includes all origins."""

    origins: tuple[str, ...]
    methods: tuple[str, ...]
    headers: tuple[str, ...]
    exposed_headers: tuple[str, ...]
    max_age_seconds: int

    @classmethod
    def from_template(cls, template: Mapping[str, Any], origins: tuple[str, ...]) -> Self:
        """Read the rules from the template, but replace the allowed origins with `origins`."""
        document = template["Resources"]["Api"]["Properties"]["DefinitionBody"]
        _, rules, _ = document[EXTENSION]["Fn::If"]
        return cls(
            origins=origins,
            methods=tuple(rules["allowMethods"]),
            headers=tuple(rules["allowHeaders"]),
            exposed_headers=tuple(rules["exposeHeaders"]),
            max_age_seconds=rules["maxAge"],
        )


class GatewayCors(CORSMiddleware):
    """A middleware that answers preflight requests as API Gateway does: with status 204 for every
    origin, and without authorization.
    """

    def __init__(self, app: ASGIApp, rules: CorsRules) -> None:
        super().__init__(
            app,
            allow_origins=rules.origins,
            allow_methods=rules.methods,
            allow_headers=rules.headers,
            expose_headers=rules.exposed_headers,
            max_age=rules.max_age_seconds,
        )

    def preflight_response(self, request_headers: Headers) -> Response:
        origin = request_headers["origin"]
        if not self.is_allowed_origin(origin):
            return Response(status_code=204)
        allowed = "*" if self.allow_all_origins else origin
        headers = {**self.preflight_headers, "Access-Control-Allow-Origin": allowed}
        return Response(status_code=204, headers=headers)
