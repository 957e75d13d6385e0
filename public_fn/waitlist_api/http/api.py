"""The HTTP API. Powertools resolves the routes, and every error is returned as problem details."""

import binascii
import re
import traceback
from collections.abc import Callable, Collection, Mapping
from typing import Any, cast

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from msgspec.structs import replace

from waitlist_api.auth.credentials import EntryTokens, identify_operator
from waitlist_api.bots.check import BotCheck
from waitlist_api.entries.identify import Identities
from waitlist_api.errors import (
    CodeRefused,
    InvalidFields,
    InvalidJson,
    NoSuchRoute,
    UnsupportedMediaType,
)
from waitlist_api.http import json_body
from waitlist_api.http.edge import check_edge, remove_key
from waitlist_api.http.errors import problem
from waitlist_api.http.field_errors import field_error
from waitlist_api.http.operation import JSON, WITH_BODY, Operation
from waitlist_api.http.origins import check_origin
from waitlist_api.http.request import Request
from waitlist_api.http.routing import (
    Route,
    add_route,
    as_get,
    check_path,
    find_route,
    is_head,
)
from waitlist_api.services import Services
from waitlist_api.settings.stack import Stack
from waitlist_shared.errors import InternalError, WaitlistError

Event = Mapping[str, Any]
# By default, caches must not store responses, because most are for a single caller. A route whose
# response is the same for all callers sets its own Cache-Control header.
ALWAYS = {
    "Cache-Control": "no-store",
    "Strict-Transport-Security": "max-age=31536000",
    "X-Content-Type-Options": "nosniff",
    # The CORS headers, which API Gateway adds, depend on the request's `Origin` header, so caches
    # must keep a separate response for each origin.
    "Vary": "Origin",
}

# An `Accept-Encoding` header refuses an encoding by giving it the weight 0 (RFC 9110, section
# 12.5.3).
REFUSED_GZIP = re.compile(r"(^|,)\s*gzip\s*;\s*q=0(\.0*)?\s*(,|$)", re.IGNORECASE)


def _no_code_keys() -> EntryTokens:
    raise CodeRefused


class Api:
    """Handles API Gateway events in the HTTP API format (payload version 2.0)."""

    def __init__(
        self,
        services: Services,
        tokens: EntryTokens | None,
        logger: Logger,
        cors_origins: Collection[str] = (),
        edge_keys: Collection[str] = (),
        code_keys: Callable[[], EntryTokens] = _no_code_keys,
    ) -> None:
        """Set up the API.

        `tokens` issues and checks guests' entry tokens. If it is None, customers have accounts with
        an OIDC issuer. `code_keys` then returns the keys that sign the codes in emails to these
        customers.
        """
        self._has_accounts = tokens is None
        self._request = Request()
        self._services = _with_credentials(services, tokens, code_keys, self._request)
        self._logger = logger
        self._cors_origins = cors_origins
        self._edge_keys = edge_keys
        self._resolvers: dict[str, APIGatewayHttpResolver] = {}

    def handle(self, event: Event, context: object) -> dict[str, Any]:
        """Return the response to an event. The response to a HEAD request has no body."""
        if not is_head(event):
            return self._answer(event, context)
        return {**self._answer(as_get(event), context), "body": "", "isBase64Encoded": False}

    def _answer(self, event: Event, context: object) -> dict[str, Any]:
        try:
            route = find_route(str(event.get("routeKey")), has_accounts=self._has_accounts)
            self._request.event = self._accept(event, route.operation)
        except WaitlistError as error:
            return as_lambda_response(problem(error))
        answer = self._resolver(route).resolve(self._request.event, cast(Any, context))
        return {**answer, "headers": {**ALWAYS, **answer["headers"]}}

    def _accept(self, event: Event, operation: Operation) -> dict[str, Any]:
        """Check the request, and return the event to call the handler with.

        Raise an error if the request must be refused.
        """
        check_path(event)
        if operation.audience == "operator":
            identify_operator(event)
        else:
            check_edge(event, self._edge_keys)
        event = remove_key(event)
        if operation.checks_origin:
            check_origin(event, self._cors_origins)
        is_base64 = bool(event.get("isBase64Encoded"))
        json_body.check_size(
            event.get("body") or "", is_base64=is_base64, limit=operation.max_body_bytes
        )
        return _for_powertools(event, operation.media_types)

    def _resolver(self, route: Route) -> APIGatewayHttpResolver:
        if route.key not in self._resolvers:
            self._resolvers[route.key] = self._make_resolver(route)
        return self._resolvers[route.key]

    def _make_resolver(self, route: Route) -> APIGatewayHttpResolver:
        """Return a resolver that has only this route."""
        resolver = APIGatewayHttpResolver(
            enable_validation=True,
            json_body_deserializer=route.operation.parse,
            serializer=json_body.dumps,
        )
        add_route(resolver, route, self._services)
        handlers: dict[type[Exception], Callable[[Any], Response[str]]] = {
            WaitlistError: problem,
            RequestValidationError: self._invalid,
            UnicodeDecodeError: lambda _: problem(InvalidJson()),
            binascii.Error: lambda _: problem(InvalidJson()),
            NotFoundError: lambda _: problem(NoSuchRoute()),
            Exception: self._internal_error,
        }
        for error, handler in handlers.items():
            resolver.exception_handler(error)(handler)
        return resolver

    def _invalid(self, error: RequestValidationError) -> Response[str]:
        return problem(InvalidFields(*map(field_error, error.errors())))

    def _internal_error(self, error: Exception) -> Response[str]:
        # Do not log the exception's message, because it may contain customer data.
        where = traceback.format_list(traceback.extract_tb(error.__traceback__))
        self._logger.error(
            "unhandled exception", extra={"error": type(error).__name__, "where": where}
        )
        return problem(InternalError())


def _with_credentials(
    services: Services,
    tokens: EntryTokens | None,
    code_keys: Callable[[], EntryTokens],
    request: Request,
) -> Services:
    given: dict[Any, Any] = {
        Request: request,
        EntryTokens | None: tokens,
        Callable[[], EntryTokens]: code_keys if tokens is None else lambda: tokens,
        Stack: replace(services.get(Stack), has_accounts=tokens is None),
    }
    if tokens is None:
        # Customers with accounts have already signed up with an OIDC issuer. Keeping bots out is
        # the issuer's job, so this service makes no bot check.
        return services.replaced({**given, Identities | None: None, BotCheck | None: None})
    services = services.replaced({**given, EntryTokens: tokens})
    return services.replaced({Identities | None: services.get(Identities)})


def _for_powertools(event: Event, media_types: Collection[str]) -> dict[str, Any]:
    """Return the event in the form that Powertools needs.

    The media type of the request body becomes `application/json`, because Powertools parses no
    other type. If the client refuses gzip, the event no longer contains the word `gzip`, because
    Powertools ignores weights such as `q=0`.

    Raise UnsupportedMediaType if the operation does not accept the body's actual media type.
    """
    method = event["requestContext"]["http"]["method"]
    # API Gateway sends header names in lower case, but `sam local start-api` keeps the original
    # case.
    headers = {name.lower(): value for name, value in event.get("headers", {}).items()}
    if method not in WITH_BODY or not media_types:
        event = {**event, "body": None, "isBase64Encoded": False}
    if event.get("body"):
        media_type = str(headers.get("content-type", "")).partition(";")[0].strip().lower()
        if media_type not in media_types:
            raise UnsupportedMediaType(filter(None, media_types), is_patch=method == "PATCH")
    if REFUSED_GZIP.search(headers.get("accept-encoding", "")):
        headers["accept-encoding"] = "identity"
    return {**event, "headers": {**headers, "content-type": JSON}}


def as_lambda_response(response: Response[str]) -> dict[str, Any]:
    """Convert a response that was built outside the resolver to the format that Lambda returns."""
    return {
        "statusCode": response.status_code,
        "headers": {**ALWAYS, **response.headers},
        "cookies": [],
        "body": response.body,
        "isBase64Encoded": False,
    }
