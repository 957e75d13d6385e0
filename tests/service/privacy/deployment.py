"""Provides all deployed functions behind a local gateway, and everything they log."""

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import pytest

from tests.service.privacy.marks import CUSTOMER, entry_tokens_of
from tests.support.dynamodb import TABLE
from tests.support.gateway import Context
from tests.support.lambdas import MAINTENANCE, PRIVATE, InProcessLambda
from tests.support.plain_http import plain_client
from tests.support.stores import empty_redis
from tests.support.world import KMS, SECRET
from tests.unit.tools.fakes import serving, url_of
from tools.local.dynamodb.streamed_table import StreamedTable
from tools.local.function import Invocation
from tools.local.jwt_authorizer import JwtAuthorizer, guarded_routes
from tools.local.jwt_issuer import LocalIssuer
from tools.local.kms import KEY_ARN
from tools.local.local_gateway import LocalGateway
from tools.local.operator import local_operator
from tools.local.routes import Routes
from tools.local.table import read_template
from waitlist_api.handlers import maintenance, public
from waitlist_queue import app as private_app

ISSUER = "https://issuer.example.com"
NAMESPACE = "Waitlist/test"
Handler = Callable[[Any, Any], Any]


class MaintenanceContext(Context):
    """The context that Lambda passes to maintenance. It contains the function's name, which
    maintenance uses to start itself again.
    """

    invoked_function_arn = MAINTENANCE

    def get_remaining_time_in_millis(self) -> int:
        return 300_000


@dataclass(frozen=True)
class InProcess:
    handler: Handler

    def invoke(self, payload: bytes) -> Invocation:
        return Invocation(json.dumps(self.handler(json.loads(payload), Context())).encode())


@dataclass
class Deployment:
    """All of the service's functions with their real entry points, behind an HTTP server."""

    http: httpx.Client
    redis: Any
    table: StreamedTable
    lambda_: InProcessLambda
    token: str | None
    urls: list[str] = field(default_factory=list)
    issued: set[str] = field(default_factory=set)
    is_wrong: bool = False

    def customer(self, method: str, path: str, token: str = "", **more: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token or self.token}", **more.pop("headers", {})}
        return self._sent(method, path, headers=headers, **more)

    def operator(self, method: str, path: str, **more: Any) -> httpx.Response:
        return self._sent(method, path, auth=local_operator(), **more)

    def maintain(self) -> None:
        """Run maintenance, including the separate runs that it starts."""
        maintenance.lambda_handler({}, MaintenanceContext())
        while self.lambda_.started:
            maintenance.lambda_handler(self.lambda_.started.pop(), MaintenanceContext())

    def _sent(self, method: str, path: str, **more: Any) -> httpx.Response:
        response = self.http.request(method, path, **more)
        assert response.status_code in (*range(200, 500), 503), (
            method,
            response.status_code,
            response.text,
        )
        self.issued |= entry_tokens_of(response.text)
        if not self.is_wrong:
            # A client may put personal data into a URL by mistake. The test checks only the URLs
            # that the API itself defines.
            self.urls.append(str(response.request.url))
        return response


@contextmanager
def deployed(patch: pytest.MonkeyPatch, *, issuer: bool) -> Iterator[Deployment]:
    """Run the whole service at log level DEBUG, so that tests see everything it could log."""
    redis, table = empty_redis(), StreamedTable()
    lambda_ = InProcessLambda(lambda message: private_app.lambda_handler(message, None))
    patch.setattr(private_app, "connect", lambda _: redis)
    for module in (public, maintenance):
        patch.setattr(module, "dynamodb_client", lambda *_: table)
    patch.setattr(public, "lambda_client", lambda _: lambda_)
    patch.setattr(public, "kms", KMS)
    patch.setattr(maintenance, "patient_lambda_client", lambda: lambda_)
    for name, value in _environ(issuer).items():
        patch.setenv(name, value)
    caches = (
        public.api,
        public.request_log,
        maintenance.runner,
        maintenance.run_log,
        private_app.service,
    )
    for cached in caches:
        cached.cache_clear()
    gateway = LocalGateway(
        InProcess(public.lambda_handler),
        {},
        Routes.from_template(read_template()),
        jwt_authorizer=_guard() if issuer else None,
    )
    token = _issuer().token(CUSTOMER, int(time.time())) if issuer else None
    with serving(gateway) as server, plain_client(url_of(server)) as http:
        yield Deployment(http, redis, table, lambda_, token)
    for cached in caches:
        cached.cache_clear()


@cache
def _issuer() -> LocalIssuer:
    """Return a JWT issuer. All tests share it, because generating a key is slow."""
    with TemporaryDirectory() as folder:
        return LocalIssuer(ISSUER, "waitlist", Path(folder) / "key.json")


@cache
def _guard() -> JwtAuthorizer:
    return JwtAuthorizer(ISSUER, ("waitlist",), _issuer().keys, guarded_routes(read_template()))


def _environ(issuer: bool) -> dict[str, str]:
    return {
        "TABLE_NAME": TABLE,
        "PRIVATE_FUNCTION_NAME": PRIVATE,
        "MAINTENANCE_FUNCTION_NAME": MAINTENANCE,
        "ENTRY_TOKEN_SECRET": SECRET,
        "JWT_ISSUER": ISSUER if issuer else "",
        "PASS_KEY_ARNS": KEY_ARN,
        "REDIS_URL": "redis://queue.example.com:6379",
        "LOG_LEVEL": "DEBUG",
        "METRICS_NAMESPACE": NAMESPACE,
        # Powertools loggers with the same name share a stream, so each deployment gets its own
        # name.
        "POWERTOOLS_SERVICE_NAME": f"privacy-{token_hex(8)}",
        "PATH": os.environ["PATH"],
    }
