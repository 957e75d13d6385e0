"""Writes one log line for each request, and sets the correlation id of all log lines."""

import re
import time
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from waitlist_api.http.audit_log import read_audit_fields, read_next_page_fields
from waitlist_api.http.errors import CODE_HEADER
from waitlist_api.observability.metrics import MetricsCollector
from waitlist_shared.correlation import AWS_ID, Correlation, accept_client_id
from waitlist_shared.errors import InternalError
from waitlist_shared.telemetry import Span, Telemetry

HEADER = "X-Correlation-Id"
DONE = "ok"
UNKNOWN = "unknown"
# API Gateway's `routeKey` contains the names of path parameters, such as `{entry_id}`, and not
# their values.
ROUTE = re.compile(r"(GET|HEAD|POST|PUT|PATCH|DELETE) (/[a-z0-9_.-]+|/\{[a-z_]+\})+\Z")
Response = dict[str, Any]


class RequestLog(Struct, frozen=True):
    """Writes one log line for each request, even if the request fails."""

    telemetry: Telemetry
    correlation: Correlation
    metrics: MetricsCollector
    seconds: Callable[[], float] = time.perf_counter

    def respond(self, event: object, request_id: str, answer: Callable[[], Response]) -> Response:
        """Handle a request and write its log line, even if `answer` raises an exception."""
        id_ = choose_correlation_id(event, request_id)
        # The audit line is written first, so that it exists even if the process dies during the
        # request.
        if (asked := read_audit_fields(event)) is not None:
            self.telemetry.audit(asked, id_)
        self.correlation.id = id_
        began = self.seconds()
        response: Response | None = None
        try:
            response = answer()
            response.setdefault("headers", {})[HEADER] = id_
            return response
        finally:
            self.correlation.id = ""
            self._log(event, id_, response, (self.seconds() - began) * 1000)

    def _log(self, event: object, id_: str, response: Response | None, milliseconds: float) -> None:
        status = 500 if response is None else int(response["statusCode"])
        span = Span(
            operation=route_of(event),
            outcome=_outcome_of(status, response),
            correlation_id=id_,
            latency_ms=milliseconds,
            has_failed=status >= 500,
            measured=self.metrics.take(),
            about={"status": status},
            ids=read_next_page_fields(event),
        )
        self.telemetry.write(span)


def choose_correlation_id(event: object, request_id: str) -> str:
    """Return the client's correlation id if it is safe to log.

    Otherwise return the id of the request.
    """
    headers, request = _part(event, "headers"), _part(event, "requestContext")
    id_ = accept_client_id(headers.get(HEADER.lower())) or request.get("requestId")
    return id_ if isinstance(id_, str) and AWS_ID.match(id_) else request_id


def route_of(event: object) -> str:
    """Return the route of the request, which contains parameter names but no ids."""
    route = event.get("routeKey") if isinstance(event, Mapping) else None
    return route if isinstance(route, str) and ROUTE.match(route) else UNKNOWN


def _part(event: object, name: str) -> Mapping[str, Any]:
    part = event.get(name) if isinstance(event, Mapping) else None
    return part if isinstance(part, Mapping) else {}


def _outcome_of(status: int, response: Response | None) -> str:
    """Return `ok`, or the error code in the response."""
    if response is None:
        return InternalError.code
    if status < 400:
        return DONE
    return str(response["headers"].get(CODE_HEADER, InternalError.code))
