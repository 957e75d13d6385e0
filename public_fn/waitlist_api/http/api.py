"""The HTTP API. Powertools resolves the routes, and every error is returned as problem details."""

import binascii
import traceback
from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter
from msgspec.structs import replace

from waitlist_api.auth.credentials import ADMIN_PATH, EntryTokens, identify_operator
from waitlist_api.entries.identify import Identities
from waitlist_api.entries.issue_token import TokenIssuer
from waitlist_api.entries.unsubscribe import Unsubscriptions
from waitlist_api.entries.verify import Verifications
from waitlist_api.errors import (
    CodeRefused,
    InvalidFields,
    InvalidJson,
    NoSuchRoute,
    UnsupportedMediaType,
    field_error,
)
from waitlist_api.http import json_body
from waitlist_api.http.edge import check_edge, remove_key
from waitlist_api.http.errors import problem
from waitlist_api.http.even_times import EvenTimes
from waitlist_api.http.json_body import MAX_BODY_BYTES
from waitlist_api.http.origins import check_origin
from waitlist_api.http.routes.accounts import AccountCredentials
from waitlist_api.http.routes.admin.admission import admin_admission_routes
from waitlist_api.http.routes.admin.claims import admin_claim_routes
from waitlist_api.http.routes.admin.counts import admin_count_routes
from waitlist_api.http.routes.admin.entries import admin_entry_routes
from waitlist_api.http.routes.admin.imports import admin_import_routes, is_import
from waitlist_api.http.routes.admin.messages import admin_message_routes
from waitlist_api.http.routes.admin.preview import admin_preview_routes
from waitlist_api.http.routes.admin.reinstate import admin_reinstate_routes
from waitlist_api.http.routes.admin.segments import admin_segment_routes
from waitlist_api.http.routes.admin.tokens import admin_token_routes
from waitlist_api.http.routes.admin.waitlists import admin_waitlist_routes
from waitlist_api.http.routes.admin.webhooks import admin_webhook_routes
from waitlist_api.http.routes.admission import CustomerAdmission
from waitlist_api.http.routes.customers import customer_routes
from waitlist_api.http.routes.entry_responses import EntryResponses
from waitlist_api.http.routes.guests import GuestCredentials
from waitlist_api.http.routes.health import health_routes
from waitlist_api.http.routes.page import page_routes
from waitlist_api.http.routes.passes import pass_routes
from waitlist_api.http.routes.unsubscribe import is_one_click, unsubscribe_routes
from waitlist_api.http.routes.verify import verify_routes
from waitlist_api.http.routes.waitlists import public_waitlist_routes
from waitlist_api.http.routing import Resolver, Routes, as_get, is_head, path_of
from waitlist_api.http.schemas.imports import MAX_IMPORT_BYTES
from waitlist_api.services import Services
from waitlist_shared.errors import InternalError, WaitlistError

if TYPE_CHECKING:
    from waitlist_api.http.openapi.document import DocumentedResolver

DOCS = "GET /docs"
Event = Mapping[str, Any]
# Ignore the bodies of all other methods, because RFC 9110 gives such bodies no meaning.
WITH_BODY = ("POST", "PUT", "PATCH")
JSON = "application/json"
# Changes by customers must be JSON. A browser asks for permission before it lets a page of another
# site send JSON, but any page can send plain text.
MEDIA_TYPES = (JSON,)
OPERATORS_MEDIA_TYPES = (JSON, "")
MERGE_PATCH = "application/merge-patch+json"
# Only changes to waitlists may be merge patches. A PATCH of an entry replaces the whole profile, so
# data would be lost if an operator sent a merge patch there.
MERGED = "PATCH /v1/admin/waitlists/{waitlist_id}"
# Most responses are for one caller, so caches must not store them. If a response is the same for
# all callers, its route sets its own Cache-Control.
ALWAYS = {
    "Cache-Control": "no-store",
    "Strict-Transport-Security": "max-age=31536000",
    "X-Content-Type-Options": "nosniff",
    # API Gateway adds CORS headers that depend on the `Origin` header of the request.
    "Vary": "Origin",
}


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
        """Set up the API's routes.

        If `tokens` is None, JWTs identify customers, and `code_keys` returns the keys for the codes
        in mails.
        """
        self._services = services
        self._tokens = tokens
        self._code_keys = code_keys if tokens is None else lambda: tokens
        self._logger = logger
        self._cors_origins = cors_origins
        self._edge_keys = edge_keys
        self._resolver = Resolver(
            enable_validation=True,
            json_body_deserializer=self._parse,
            serializer=json_body.dumps,
        )
        self._is_import = False
        for router in _routers(services, tokens, self._code_keys):
            self._resolver.include_router(router)
        self._map_errors()
        self._routes = Routes(self._resolver.all_routes())

    def handle(self, event: Event, context: object) -> dict[str, Any]:
        """Return the response to an event. The response to a HEAD request has no body."""
        if not is_head(event):
            return self._answer(event, context)
        return {**self._answer(as_get(event), context), "body": "", "isBase64Encoded": False}

    def _answer(self, event: Event, context: object) -> dict[str, Any]:
        if event.get("routeKey") == DOCS:
            return self.documented.resolve(dict(event), cast(Any, context))
        try:
            is_operator = path_of(event).startswith(ADMIN_PATH)
            if is_operator:
                identify_operator(event)
            else:
                check_edge(event, self._edge_keys)
            event = remove_key(event)
            self._routes.check(event)
            is_click = is_one_click(event)
            if not is_operator and not is_click:
                check_origin(event, self._cors_origins)
            # It is safe to store this in an attribute, because each process handles one request at
            # a time.
            self._is_import = is_import(event)
            _check_size(event, MAX_IMPORT_BYTES if self._is_import else MAX_BODY_BYTES)
            if is_click:
                event = _without_body(event)
            event = _as_json(event, OPERATORS_MEDIA_TYPES if is_operator else MEDIA_TYPES)
        except WaitlistError as error:
            return as_lambda_response(problem(error))
        answer = self._resolver.resolve(dict(event), cast(Any, context))
        return {**answer, "headers": {**ALWAYS, **answer["headers"]}}

    @cached_property
    def documented(self) -> "DocumentedResolver":
        """The resolver for the route `/docs`, which exists only in the local server."""
        from waitlist_api.http.openapi.document import DocumentedResolver

        routers = _routers(self._services, self._tokens, self._code_keys)
        return DocumentedResolver(*routers, knows_issuer=self._tokens is None)

    def _parse(self, text: str) -> Any:
        # Check each row of an import separately, so that an invalid row does not make the whole
        # request fail.
        return json_body.parse(text) if self._is_import else json_body.loads(text)

    def _map_errors(self) -> None:
        handlers: dict[type[Exception], Callable[[Any], Response[str]]] = {
            WaitlistError: problem,
            RequestValidationError: self._invalid,
            UnicodeDecodeError: lambda _: problem(InvalidJson()),
            binascii.Error: lambda _: problem(InvalidJson()),
            NotFoundError: lambda _: problem(NoSuchRoute()),
            Exception: self._internal_error,
        }
        for error, handler in handlers.items():
            self._resolver.exception_handler(error)(handler)

    def _invalid(self, error: RequestValidationError) -> Response[str]:
        return problem(InvalidFields(*map(field_error, error.errors())))

    def _internal_error(self, error: Exception) -> Response[str]:
        # Do not log the exception's message, because the message may contain customer data.
        where = traceback.format_list(traceback.extract_tb(error.__traceback__))
        self._logger.error(
            "unhandled exception", extra={"error": type(error).__name__, "where": where}
        )
        return problem(InternalError())


def _routers(
    services: Services, tokens: EntryTokens | None, code_keys: Callable[[], EntryTokens]
) -> list[APIGatewayHttpRouter]:
    token_issuer = TokenIssuer(
        tokens, services.entries, services.waitlist_cache, services.joins, services.now_millis
    )
    responses = EntryResponses(services.polls, services.now_millis)
    # If customers have accounts, the issuer of the accounts has to keep bots out.
    bot_check = None if tokens is None else services.bot_check
    identities = None if tokens is None else Identities(tokens, services.waitlist_cache)
    even_times = EvenTimes(services.now_millis, services.pause)
    stack = replace(services.stack, has_accounts=tokens is None)
    return [
        health_routes(services.queue, services.waitlists),
        pass_routes(services.passes),
        public_waitlist_routes(
            services.waitlists,
            bot_check,
            stack,
            services.now_millis,
        ),
        page_routes(services.waitlists, bot_check),
        _customer_routes(services, tokens, responses, identities),
        admin_waitlist_routes(services.waitlists, services.questions, stack, services.now_millis),
        admin_count_routes(
            services.waitlists,
            services.count_history,
            services.archive,
            services.now_millis,
        ),
        admin_preview_routes(services.previews),
        admin_segment_routes(services.segment_counts),
        admin_claim_routes(services.claims, services.holds),
        admin_admission_routes(services.admissions, services.withdrawals, services.exits),
        admin_import_routes(services.imports, token_issuer, identities, services.passes.issuer),
        admin_entry_routes(
            services.entry_queries,
            services.archive,
            services.entry_edits,
            services.readiness,
            services.bumps,
            services.leaves,
            services.bans,
            identities,
        ),
        admin_message_routes(
            services.entry_queries,
            services.waitlists,
            services.trials,
            services.now_millis,
            services.passes.issuer,
        ),
        verify_routes(
            _verifications(services, tokens),
            responses,
            identities,
            services.unproven_signups,
            even_times,
        ),
        admin_token_routes(token_issuer, services.passes.issuer),
        admin_reinstate_routes(services.reinstatements),
        admin_webhook_routes(services.replays),
        unsubscribe_routes(services.waitlists, Unsubscriptions(code_keys, services.recipients)),
    ]


def _verifications(services: Services, tokens: EntryTokens | None) -> Verifications:
    return Verifications(
        tokens,
        services.waitlist_cache,
        services.address_changes,
        services.readiness,
        services.positions,
        services.entries,
        services.now_millis,
    )


def _customer_routes(
    services: Services,
    tokens: EntryTokens | None,
    responses: EntryResponses,
    identities: Identities | None,
) -> APIGatewayHttpRouter:
    admission = CustomerAdmission(
        services.own_admissions,
        services.declines,
        services.exits,
        services.passes,
        responses,
        services.now_millis,
    )
    return customer_routes(
        AccountCredentials() if tokens is None else _guests(services, tokens),
        services.signups,
        responses,
        services.leaves,
        admission,
        services.readiness,
        services.questions,
        services.own_data,
        identities,
    )


def _guests(services: Services, tokens: EntryTokens) -> GuestCredentials:
    return GuestCredentials(
        tokens,
        Identities(tokens, services.waitlist_cache),
        services.unproven_signups,
        EvenTimes(services.now_millis, services.pause),
        services.bot_check,
    )


def _check_size(event: Event, limit: int) -> None:
    is_base64 = bool(event.get("isBase64Encoded"))
    json_body.check_size(event.get("body") or "", is_base64=is_base64, limit=limit)


def _as_json(event: Event, media_types: Collection[str]) -> Event:
    """Return the event with the content type set to JSON.

    Raise UnsupportedMediaType if the request has a body of another media type.
    """
    method = event["requestContext"]["http"]["method"]
    # API Gateway sends header names in lower case, but `sam local start-api` keeps the original
    # case.
    headers = {name.lower(): value for name, value in event.get("headers", {}).items()}
    if method not in WITH_BODY:
        event = _without_body(event)
    if event.get("body"):
        media_type = str(headers.get("content-type", "")).partition(";")[0].strip().lower()
        if event["routeKey"] == MERGED:
            media_types = (*media_types, MERGE_PATCH)
        if media_type not in media_types:
            raise UnsupportedMediaType(filter(None, media_types), is_patch=method == "PATCH")
    return {**event, "headers": {**headers, "content-type": JSON}}


def _without_body(event: Event) -> Event:
    return {**event, "body": None, "isBase64Encoded": False}


def as_lambda_response(response: Response[str]) -> dict[str, Any]:
    """Convert a response that was built outside the resolver to the format that Lambda returns."""
    return {
        "statusCode": response.status_code,
        "headers": {**ALWAYS, **response.headers},
        "cookies": [],
        "body": response.body,
        "isBase64Encoded": False,
    }
