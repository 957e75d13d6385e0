"""The HTTP API: Powertools' resolver over the routes, every error as problem details."""

import binascii
import traceback
from collections.abc import Callable, Mapping
from typing import Any, cast

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import (
    RequestUnsupportedContentType,
    RequestValidationError,
)
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.auth.credentials import ADMIN_PATH, EntryTokens, operator_of
from waitlist_api.auth.issue_token import TokenIssuer
from waitlist_api.errors import InvalidFields, InvalidJson, NoSuchRoute, field_error
from waitlist_api.http import json_body
from waitlist_api.http.errors import problem
from waitlist_api.http.json_body import MAX_BODY_BYTES
from waitlist_api.http.openapi.document import CorrelatedResolver
from waitlist_api.http.openapi.responses import SECURITY_SCHEMES, SECURITY_SCHEMES_WITH_ISSUER
from waitlist_api.http.routes.admin.claims import admin_claim_routes
from waitlist_api.http.routes.admin.entries import admin_entry_routes
from waitlist_api.http.routes.admin.imports import admin_import_routes, is_import
from waitlist_api.http.routes.admin.segments import admin_segment_routes
from waitlist_api.http.routes.admin.tokens import admin_token_routes
from waitlist_api.http.routes.admin.waitlists import admin_waitlist_routes
from waitlist_api.http.routes.entries import entry_routes
from waitlist_api.http.routes.entry_responses import Looking
from waitlist_api.http.routes.health import health_routes
from waitlist_api.http.routes.own_entry import own_entry_routes
from waitlist_api.http.routes.waitlists import public_waitlist_routes
from waitlist_api.http.routing import Routes, path_of
from waitlist_api.http.schemas.imports import MAX_IMPORT_BYTES
from waitlist_api.services import Services
from waitlist_shared.errors import InternalError, WaitlistError

VERSION = "0.1.0"
Event = Mapping[str, Any]
# Other methods' bodies have no meaning (RFC 9110): no route asks for one, so none is looked at.
WITH_BODY = ("POST", "PUT", "PATCH")


class UnsupportedMediaType(WaitlistError):
    """The body is not declared as JSON."""

    code = "unsupported_media_type"
    advice = "Send the body as Content-Type: application/json."


class Api:
    """Answers API Gateway's HTTP API events (payload version 2.0)."""

    def __init__(self, services: Services, tokens: EntryTokens | None, logger: Logger) -> None:
        """Without entry tokens, customers are those of whom API Gateway's JWT authorizer tells."""
        self._logger = logger
        self.resolver = CorrelatedResolver(
            enable_validation=True,
            json_body_deserializer=self._parse,
            serializer=json_body.dumps,
        )
        self._is_import = False
        for router in _routers(services, tokens):
            self.resolver.include_router(router)
        self._map_errors()
        self.resolver.enable_swagger(
            path="/docs",
            title="Waiting list",
            version=VERSION,
            description="Sign up, see a true position, leave; operators order and admit.",
            security_schemes=SECURITY_SCHEMES if tokens else SECURITY_SCHEMES_WITH_ISSUER,
        )
        self._routes = Routes(self.resolver.routes())

    def handle(self, event: Event, context: object) -> dict[str, Any]:
        """Answer one request."""
        try:
            if path_of(event).startswith(ADMIN_PATH):
                operator_of(event)
            self._routes.check(event)
            # Powertools keeps the event in an attribute of its class, too: one request at a time.
            self._is_import = is_import(event)
            _check_size(event, MAX_IMPORT_BYTES if self._is_import else MAX_BODY_BYTES)
            event = _as_json(event)
        except WaitlistError as error:
            return as_lambda_response(problem(error))
        return self.resolver.resolve(dict(event), cast(Any, context))

    def _parse(self, text: str) -> Any:
        # Of an import each row is checked by itself: a bad one refuses no other.
        return json_body.parse(text) if self._is_import else json_body.loads(text)

    def _map_errors(self) -> None:
        handlers: dict[type[Exception], Callable[[Any], Response[str]]] = {
            WaitlistError: problem,
            RequestValidationError: self._invalid,
            UnicodeDecodeError: lambda _: problem(InvalidJson()),
            binascii.Error: lambda _: problem(InvalidJson()),
            RequestUnsupportedContentType: lambda _: problem(UnsupportedMediaType()),
            NotFoundError: lambda _: problem(NoSuchRoute()),
            Exception: self._broken,
        }
        for error, handler in handlers.items():
            self.resolver.exception_handler(error)(handler)

    def _invalid(self, error: RequestValidationError) -> Response[str]:
        return problem(InvalidFields(*map(field_error, error.errors())))

    def _broken(self, error: Exception) -> Response[str]:
        # Not its message: that may hold what somebody has sent.
        where = traceback.format_list(traceback.extract_tb(error.__traceback__))
        self._logger.error("a defect", extra={"error": type(error).__name__, "where": where})
        return problem(InternalError())


def _routers(services: Services, tokens: EntryTokens | None) -> list[APIGatewayHttpRouter]:
    token_issuer = TokenIssuer(tokens, services.entries, services.directory, services.signups)
    return [
        health_routes(services.queue, services.waitlist_records),
        public_waitlist_routes(services.directory, services.waitlists),
        _customer_routes(services, tokens),
        admin_waitlist_routes(services.directory, services.waitlists, services.now_millis),
        admin_segment_routes(services.segment_depths),
        admin_claim_routes(services.claims, services.holds),
        admin_import_routes(services.imports, token_issuer),
        admin_entry_routes(
            services.entry_queries, services.entry_edits, services.bumps, services.leaves
        ),
        admin_token_routes(token_issuer),
    ]


def _customer_routes(services: Services, tokens: EntryTokens | None) -> APIGatewayHttpRouter:
    looking = Looking(services.positions, services.segment_positions)
    if tokens is None:
        return own_entry_routes(services.signups, looking, services.leaves)
    return entry_routes(tokens, services.signups, looking, services.leaves)


def _check_size(event: Event, limit: int) -> None:
    is_base64 = bool(event.get("isBase64Encoded"))
    json_body.check_size(event.get("body") or "", is_base64=is_base64, limit=limit)


def _as_json(event: Event) -> Event:
    """Return the event with its media type as Powertools spells it; refuse all but JSON.

    Powertools would read other types as forms, and `curl -d` alone says that JSON is one.
    """
    if not event.get("body"):
        return event
    if event["requestContext"]["http"]["method"] not in WITH_BODY:
        return {**event, "body": None, "isBase64Encoded": False}
    headers = event.get("headers", {})
    media_type = str(headers.get("content-type", "")).partition(";")[0].strip().lower()
    if media_type not in ("", "application/json"):
        raise UnsupportedMediaType
    return {**event, "headers": {**headers, "content-type": "application/json"}}


def as_lambda_response(response: Response[str]) -> dict[str, Any]:
    """Return a response as API Gateway takes it, where the resolver has not made it."""
    return {
        "statusCode": response.status_code,
        "headers": response.headers,
        "cookies": [],
        "body": response.body,
        "isBase64Encoded": False,
    }
