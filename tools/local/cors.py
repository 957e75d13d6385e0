"""What API Gateway adds for browsers on other origins, where it is told of any."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from tools.local.http_message import Headers, HttpApp, HttpRequest, HttpResponse

EXTENSION = "x-amazon-apigateway-cors"


@dataclass(frozen=True)
class CorsRules:
    """What is allowed from `origins`; `*` among them is any."""

    origins: tuple[str, ...]
    methods: tuple[str, ...]
    headers: tuple[str, ...]
    exposed_headers: tuple[str, ...]
    max_age_seconds: int

    @classmethod
    def from_template(cls, template: Mapping[str, Any], origins: tuple[str, ...]) -> Self:
        """Take all but the origins from where the template has them, under its condition."""
        document = template["Resources"]["Api"]["Properties"]["DefinitionBody"]
        _, rules, _ = document[EXTENSION]["Fn::If"]
        return cls(
            origins=origins,
            methods=tuple(rules["allowMethods"]),
            headers=tuple(rules["allowHeaders"]),
            exposed_headers=tuple(rules["exposeHeaders"]),
            max_age_seconds=rules["maxAge"],
        )

    def allows(self, origin: str) -> bool:
        return "*" in self.origins or origin in self.origins


class Cors:
    """Answers preflights itself, before any authorizer, and lets browsers read other answers."""

    def __init__(self, app: HttpApp, rules: CorsRules) -> None:
        self._app = app
        self._rules = rules

    def __call__(self, request: HttpRequest) -> HttpResponse:
        origin = request.header("origin")
        if origin is None:
            return self._app(request)
        if request.method == "OPTIONS" and request.header("access-control-request-method"):
            return HttpResponse(204, self._preflight(origin))
        response = self._app(request)
        return HttpResponse(response.status, (*response.headers, *self._of(origin)), response.body)

    def _of(self, origin: str) -> Headers:
        if not self._rules.allows(origin):
            return ()
        allowed = "*" if "*" in self._rules.origins else origin
        exposed = ",".join(self._rules.exposed_headers)
        return (
            ("access-control-allow-origin", allowed),
            ("access-control-expose-headers", exposed),
        )

    def _preflight(self, origin: str) -> Headers:
        if not self._rules.allows(origin):
            return ()
        return (
            *self._of(origin),
            ("access-control-allow-methods", ",".join(self._rules.methods)),
            ("access-control-allow-headers", ",".join(self._rules.headers)),
            ("access-control-max-age", str(self._rules.max_age_seconds)),
        )
