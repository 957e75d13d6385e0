"""Builds the events of an API Gateway HTTP API (payload format 2.0), and reads the answers."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, unquote

from tools.local.routes import Routes
from tools.local.table import read_template

ROUTES = Routes.from_template(read_template())
OPERATOR_ARN = "arn:aws:iam::123456789012:user/operator"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def code(self) -> str | None:
        return self.json.get("code") if self.status >= 400 else None


class Context:
    """The fields of a Lambda context that Powertools reads."""

    function_name = "public"
    memory_limit_in_mb = 512
    invoked_function_arn = "arn:aws:lambda:us-east-1:123456789012:function:public"
    aws_request_id = "00000000-0000-0000-0000-000000000000"

    def get_remaining_time_in_millis(self) -> int:
        return 10_000


class Caller:
    """Calls a handler of the public function the way API Gateway does."""

    def __init__(
        self, handler: Callable[[Any, Any], Any], stage_variables: Mapping[str, str] | None = None
    ) -> None:
        self._handler = handler
        self._stage_variables = stage_variables

    def request(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        raw_body: str | None = None,
        token: str | None = None,
        key: str | None = None,
        operator: bool = False,
        subject: str | None = None,
        headers: dict[str, str] | None = None,
        query: str = "",
        arn: str | None = None,
    ) -> Answer:
        sent = {"host": "api.example.com", "content-type": "application/json", **(headers or {})}
        if token is not None:
            sent["authorization"] = f"Bearer {token}"
        if key is not None:
            sent["idempotency-key"] = key
        text = raw_body if raw_body is not None else None if body is None else json.dumps(body)
        sent_event = event(method, path, sent, text, operator, query, subject)
        if arn is not None:
            sent_event["requestContext"]["authorizer"]["iam"]["userArn"] = arn
        if self._stage_variables:
            sent_event["stageVariables"] = dict(self._stage_variables)
        response = self._handler(sent_event, Context())
        return Answer(
            response["statusCode"],
            {name.lower(): value for name, value in response["headers"].items()},
            response.get("body") or "",
        )


def event(
    method: str,
    path: str,
    headers: dict[str, str],
    body: str | None,
    operator: bool = False,
    query: str = "",
    subject: str | None = None,
) -> dict[str, Any]:
    """Return the event for a request.

    `path` is percent-encoded. If `operator` is true, the event contains an operator's IAM fields.
    If `subject` is given, it contains JWT fields.
    """
    route, decoded = ROUTES.match(method, path), unquote(path)
    context: dict[str, Any] = {
        "accountId": "123456789012",
        "apiId": "api",
        "domainName": "api.example.com",
        "http": {
            "method": method,
            "path": decoded,
            "protocol": "HTTP/1.1",
            "sourceIp": "192.0.2.1",
            "userAgent": "test",
        },
        "requestId": "request",
        "routeKey": route.route_key,
        "stage": "$default",
        "time": "01/Jan/2026:00:00:00 +0000",
        "timeEpoch": 1767225600000,
    }
    if operator:
        context["authorizer"] = {"iam": {"userArn": OPERATOR_ARN, "accountId": "123456789012"}}
    if subject is not None:
        claims = {"iss": "https://issuer.example.com", "sub": subject, "exp": "1767229200"}
        context["authorizer"] = {"jwt": {"claims": claims, "scopes": None}}
    return {
        "version": "2.0",
        "routeKey": route.route_key,
        "rawPath": decoded,
        "rawQueryString": query,
        "headers": headers,
        "queryStringParameters": dict(parse_qsl(query)),
        "pathParameters": route.path_parameters,
        "requestContext": context,
        "body": body,
        "isBase64Encoded": False,
    }
