"""The application on the local port: the public function's HTTP API, and the AWS APIs that the
functions call.
"""

import json
import logging
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from tools.local.aws import ACCESS_KEY
from tools.local.function import (
    Invocable,
    Invocation,
    PayloadTooLargeError,
    ThrottledError,
    invoke_within_limits,
)
from tools.local.gateway_event import gateway_event, iam_caller
from tools.local.gateway_response import (
    gateway_response,
    internal_server_error,
    service_unavailable,
    too_large,
)
from tools.local.http_message import HttpApp, HttpRequest, HttpResponse, json_response
from tools.local.jwt_authorizer import JwtAuthorizer, TokenError
from tools.local.routes import RouteMatch, Routes
from tools.local.signature import SignatureError, verified_access_key
from tools.local.start_page import start_page

ADMIN_PATH = "/v1/admin"
# The Retry-After for requests that are refused because all execution environments are busy. Lambda
# would start another environment instead.
BUSY_SECONDS = 2

logger = logging.getLogger(__name__)


class LocalGateway:
    """The local service's HTTP application.

    If a request's path begins with a key of `endpoints`, the request goes to this key's handler.
    All other requests become API Gateway events for the `public` function.
    """

    def __init__(
        self,
        public: Invocable,
        endpoints: Mapping[str, HttpApp],
        routes: Routes,
        utc_now: Callable[[], datetime] = lambda: datetime.now(UTC),
        jwt_authorizer: JwtAuthorizer | None = None,
    ) -> None:
        self._public = public
        self._endpoints = endpoints
        self._routes = routes
        self._utc_now = utc_now
        self._jwt_authorizer = jwt_authorizer
        self._closing = False

    def close(self) -> None:
        """Refuse new requests. Current requests may still call functions."""
        self._closing = True

    def __call__(self, request: HttpRequest) -> HttpResponse:
        for beginning, endpoint in self._endpoints.items():
            if request.raw_path.startswith(beginning):
                return endpoint(request)
        if self._closing:
            return service_unavailable(BUSY_SECONDS)
        host = request.header("host")
        is_start = request.method in ("GET", "HEAD") and request.raw_path == "/"
        if is_start and host is not None and request.names_this_machine:
            return self._start_page(host)
        route = self._routes.match(request.method, request.raw_path)
        try:
            authorizer = self._authorize(request, route)
        except SignatureError as error:
            return _forbidden(str(error))
        except TokenError as error:
            return _unauthorized(str(error))
        return self._invoke_public(request, route, authorizer)

    def _start_page(self, host: str) -> HttpResponse:
        asked = HttpRequest("GET", f"{ADMIN_PATH}/waitlists")
        route = self._routes.match(asked.method, asked.raw_path)
        answered = self._invoke_public(asked, route, {"iam": iam_caller(ACCESS_KEY)})
        found = json.loads(answered.body)["waitlists"] if answered.status == 200 else None
        return start_page(found, host)

    def _authorize(self, request: HttpRequest, route: RouteMatch) -> dict[str, Any] | None:
        path = request.path
        if path == ADMIN_PATH or path.startswith(f"{ADMIN_PATH}/"):
            if not request.names_this_machine:
                # The local credentials are public, so a web page could use them. They are accepted
                # only with a local host name.
                raise SignatureError(
                    "Operators must call the local service at 127.0.0.1 or localhost."
                )
            access_key = verified_access_key(request, self._utc_now())
            return {"iam": iam_caller(access_key)} if access_key else None
        if self._jwt_authorizer is None or not self._jwt_authorizer.guards(route.route_key):
            return None
        now_seconds = int(self._utc_now().timestamp())
        claims = self._jwt_authorizer.claims(request, now_seconds)
        return {"jwt": {"claims": claims, "scopes": None}}

    def _invoke_public(
        self, request: HttpRequest, route: RouteMatch, authorizer: dict[str, Any] | None
    ) -> HttpResponse:
        request_id = str(uuid.uuid4())
        event = gateway_event(
            request,
            route,
            request_id=request_id,
            now=self._utc_now(),
            authorizer=authorizer,
        )
        try:
            payload = json.dumps(event, ensure_ascii=False).encode()
            invocation = invoke_within_limits(self._public, payload)
        except PayloadTooLargeError:
            return too_large()
        except ThrottledError:
            return service_unavailable(BUSY_SECONDS)
        response = _answer(invocation)
        headers = (*response.headers, ("apigw-requestid", request_id))
        return HttpResponse(response.status, headers, response.body)


def _answer(invocation: Invocation) -> HttpResponse:
    answer: Any = json.loads(invocation.payload)
    if not invocation.failed:
        return gateway_response(answer)
    logger.error("the public function failed: %s", invocation.error_text())
    if answer.get("errorType") == "Sandbox.Timedout":
        return service_unavailable()
    return internal_server_error()


def _unauthorized(description: str) -> HttpResponse:
    """API Gateway itself sends this response, so the body does not have the format of the service's
    errors.
    """
    error = f' scope="" error="invalid_token" error_description="{description}"'
    header = ("www-authenticate", f"Bearer{error if description else ''}")
    return json_response(401, {"message": "Unauthorized"}, (header,))


def _forbidden(detail: str) -> HttpResponse:
    problem = {
        "type": "about:blank",
        "title": "Forbidden",
        "status": 403,
        "code": "forbidden",
        "detail": detail,
    }
    return json_response(403, problem, content_type="application/problem+json")
