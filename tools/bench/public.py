"""Measure the public function's processor time for a signup, for a position and for a cold start.
boto3's HTTP session passes each request to an in-memory DynamoDB or to the private function, whose
time does not count.

The time for building API Gateway's event does not count either.
"""

import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from statistics import median
from typing import Any
from unittest.mock import patch

import boto3
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders
from botocore.httpsession import URLLib3Session

from tools.bench.queue_client import BenchError, Handler
from tools.bench.sizes import Sizes
from tools.bench.targets import Row, Target
from tools.local.dynamodb.server import Database
from tools.local.gateway_event import gateway_event, iam_caller
from tools.local.http_message import HttpRequest
from tools.local.routes import Routes
from tools.local.table import create_table_request, read_template

TABLE_NAME = "bench"
WAITLIST_ID = "public"
ENTRIES = f"/v1/waitlists/{WAITLIST_ID}/entries"
ENVIRONMENT = {
    "TABLE_NAME": TABLE_NAME,
    "PRIVATE_FUNCTION_NAME": "private",
    "ENTRY_TOKEN_SECRET": "an-entry-token-secret-for-this-benchmark",
    "METRICS_NAMESPACE": "Waitlist/bench",
    "AWS_ACCESS_KEY_ID": "bench",
    "AWS_SECRET_ACCESS_KEY": "bench",
    "AWS_REGION": "us-east-1",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_LAMBDA_FUNCTION_NAME": "public",
    "POWERTOOLS_TRACE_DISABLED": "true",
}
# The targets of the measurements, as multiples of a baseline. An operation's baseline is the same
# calls with boto3 alone. The baseline for starting a function is the import of its libraries.
SIGNUP, POSITION, START_PUBLIC_TIMES, IMPORT_PRIVATE_TIMES = 1.6, 2.3, 1.5, 1.3

MEASURED = "import time; began = time.process_time(); {}; print(time.process_time() - began)"
# This program does the work of a first request: it creates the function's services and imports one
# route's module.
START_PUBLIC = MEASURED.format(
    "from waitlist_api.handlers.public import api; "
    "from waitlist_api.http.routing import SIGN_UP, find_route; "
    "api()._resolver(find_route(SIGN_UP))"
)
START_BOTO3 = MEASURED.format("import boto3; boto3.client('dynamodb'); boto3.client('lambda')")
IMPORT_PRIVATE = MEASURED.format("import waitlist_queue.app")
IMPORT_REDIS = MEASURED.format("import redis")


@dataclass
class Backends:
    """Answers botocore's requests in place of AWS, and measures the processor time of its answers,
    which must not count as the function's time.
    """

    private: Handler
    database: Database = field(default_factory=Database)
    seconds: float = 0.0
    canned: Iterator[bytes] | None = None
    answers: list[bytes] = field(default_factory=list)

    def send(self, request: AWSPreparedRequest) -> AWSResponse:
        """Replaces the method of botocore's HTTP session that would send the request."""
        with self.apart():
            status, body = (200, next(self.canned)) if self.canned else self._answer(request)
            self.answers.append(body)
            headers = {"content-type": "application/x-amz-json-1.0", "x-amzn-requestid": "1"}
            return AWSResponse(request.url, status, HTTPHeaders.from_dict(headers), _Raw(body))

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Do not count this block's processor time as the function's."""
        began = time.thread_time()
        try:
            yield
        finally:
            self.seconds += time.thread_time() - began

    def _answer(self, request: AWSPreparedRequest) -> tuple[int, bytes]:
        body: Any = request.body
        target = request.headers.get("X-Amz-Target")
        if target is None:
            return 200, self.private.ask(body.decode()).encode()
        response = self.database(HttpRequest("POST", "/", (("X-Amz-Target", _text(target)),), body))
        return response.status, response.body


class _Raw(io.BytesIO):
    """A response body with the urllib3 methods that botocore needs."""

    def stream(self, **_: Any) -> Iterator[bytes]:
        yield self.read()


@dataclass(frozen=True)
class _Context:
    aws_request_id: str = "bench"
    function_name: str = "public"
    memory_limit_in_mb: int = 512
    invoked_function_arn: str = "arn"

    def get_remaining_time_in_millis(self) -> int:
        return 10_000


@dataclass(frozen=True)
class Call:
    """A recorded call to an AWS client. The baseline repeats it with boto3 alone."""

    service: str
    operation: str
    parameters: Mapping[str, Any]


class PublicBench:
    def __init__(self, handler: Handler, sizes: Sizes) -> None:
        self._sizes = sizes
        self._backends = Backends(handler)
        self._routes = Routes.from_template(read_template())
        self._numbers = count()
        self._calls: list[Call] = []

    def rows(self, tick: Callable[[], None]) -> list[Row]:
        with self.function():
            self._made = self.request("PUT", f"/v1/admin/waitlists/{WAITLIST_ID}", {"name": "B"})
            signup = self._row("signup", SIGNUP, self._sign_up, tick)
            self._last = self._sign_up()
            position = self._row("position", POSITION, self._ask, tick)
        starts = self._starts(tick)
        return [signup, position, *starts]

    @contextmanager
    def function(self) -> Iterator[None]:
        with (
            patch.dict(os.environ, ENVIRONMENT),
            patch.object(URLLib3Session, "send", lambda _, request: self._backends.send(request)),
        ):
            from waitlist_api.handlers import public as handler

            self._handler: Callable[[Any, Any], Any] = handler.lambda_handler
            created = boto3.client("dynamodb")
            created.create_table(**create_table_request(TABLE_NAME))
            yield

    def _row(
        self, name: str, times: float, operation: Callable[[], Any], tick: Callable[[], None]
    ) -> Row:
        repeated = self._repeat_of(operation)
        ours, stock = [], []
        for _ in range(self._sizes.public_rounds):
            ours.append(self._millis(operation))
            stock.append(self._millis(repeated))
            tick()
        spent, beside = median(ours), median(stock)
        return Row(
            name=f"public {name}",
            beside="the same AWS calls with plain boto3",
            ratio=spent / beside,
            spread=None,
            ours=f"{spent:.2f} ms",
            baseline=f"{beside:.2f} ms",
            target=Target("≤", times),
        )

    def _millis(self, operation: Callable[[], Any]) -> float:
        """Return the function's own processor time for one operation, in milliseconds. The time
        spent in the fake DynamoDB and the private function is subtracted.
        """
        times = self._sizes.public_operations
        before = self._backends.seconds
        began = time.thread_time()
        for _ in range(times):
            operation()
        spent = time.thread_time() - began - (self._backends.seconds - before)
        return spent / times * 1000

    def _repeat_of(self, operation: Callable[[], Any]) -> Callable[[], None]:
        operation()  # Fill the caches that later requests use.
        self._backends.answers.clear()
        calls = _recorded(operation)
        answers = list(self._backends.answers)
        clients = {name: boto3.client(name) for name in ("dynamodb", "lambda")}
        methods = [
            (getattr(clients[call.service], call.operation), call.parameters) for call in calls
        ]

        def repeat() -> None:
            self._backends.canned = iter(answers)
            for method, parameters in methods:
                answer = method(**parameters)
                if "Payload" in answer:
                    json.loads(answer["Payload"].read())
            self._backends.canned = None

        return repeat

    def _sign_up(self) -> Any:
        number = next(self._numbers)
        return self.request("POST", ENTRIES, {"customer_id": f"customer-{number}"})

    def _ask(self) -> Any:
        return self.request("GET", f"{ENTRIES}/{self._last['entry_id']}", None)

    def request(self, method: str, path: str, body: Any) -> Any:
        with self._backends.apart():
            event = self._event(method, path, body)
        answer = self._handler(event, _Context())
        if answer["statusCode"] not in (200, 201, 202):
            raise BenchError(f"{method} answered {answer['statusCode']}: {answer['body']}")
        return json.loads(answer["body"])

    def _event(self, method: str, path: str, body: Any) -> Any:
        headers = [("host", "bench"), ("content-type", "application/json")]
        is_operators = path.startswith("/v1/admin/")
        if method in ("GET", "PATCH"):
            headers.append(("authorization", f"Bearer {self._last['entry_token']}"))
        return gateway_event(
            HttpRequest(
                method, path, tuple(headers), b"" if body is None else json.dumps(body).encode()
            ),
            self._routes.match(method, path),
            request_id="bench",
            now=datetime.now(UTC),
            authorizer={"iam": iam_caller("bench")} if is_operators else None,
        )

    def _starts(self, tick: Callable[[], None]) -> list[Row]:
        public, stock, private, bare = [], [], [], []
        for _ in range(self._sizes.starts):
            public.append(_started(START_PUBLIC))
            stock.append(_started(START_BOTO3))
            private.append(_started(IMPORT_PRIVATE))
            bare.append(_started(IMPORT_REDIS))
            tick()
        return [
            _beside(
                "public import and compose for a signup",
                median(public),
                "boto3 and two clients",
                median(stock),
                START_PUBLIC_TIMES,
            ),
            _beside(
                "private import",
                median(private),
                "import redis",
                median(bare),
                IMPORT_PRIVATE_TIMES,
            ),
        ]


def _beside(name: str, ours: float, beside: str, baseline: float, times: float) -> Row:
    return Row(
        name=name,
        beside=beside,
        ratio=ours / baseline,
        spread=None,
        ours=f"{ours:.0f} ms",
        baseline=f"{baseline:.0f} ms",
        target=Target("≤", times),
    )


def _started(program: str) -> float:
    """Return the processor time that a program takes in a new process, in milliseconds."""
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **ENVIRONMENT},
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        raise BenchError(run.stderr)
    return float(run.stdout.splitlines()[-1]) * 1000


def _recorded(operation: Callable[[], Any]) -> list[Call]:
    calls: list[Call] = []
    from botocore.client import BaseClient

    make = BaseClient._make_api_call  # type: ignore[attr-defined]

    def recording(client: Any, operation_name: str, parameters: Any) -> Any:
        names = client.meta.method_to_api_mapping
        method = next(name for name, operation in names.items() if operation == operation_name)
        calls.append(Call(client.meta.service_model.service_name, method, parameters))
        return make(client, operation_name, parameters)

    with patch.object(BaseClient, "_make_api_call", recording):
        operation()
    return calls


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
