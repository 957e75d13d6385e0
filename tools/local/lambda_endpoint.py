"""AWS Lambda's Invoke API, for the functions of `make run`."""

import json
import logging
import random
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from urllib.parse import unquote

from tools.local.aws import function_arn
from tools.local.function import (
    MAX_PAYLOAD_BYTES,
    Invocable,
    Invocation,
    ThrottledError,
    invoke_within_limits,
)
from tools.local.http_message import Headers, HttpRequest, HttpResponse, json_response

PATH_PREFIX = "/2015-03-31/functions/"
PATH_SUFFIX = "/invocations"
MAX_WAITING_EVENTS = 1000
EVENT_WORKERS = 4
# Lambda repeats a throttled event for up to six hours, with longer and longer pauses.
EVENT_AGE_SECONDS = 6 * 3600
FIRST_EVENT_PAUSE_SECONDS = 1
LONGEST_EVENT_PAUSE_SECONDS = 300

logger = logging.getLogger(__name__)


class LambdaEndpoint:
    """Answers `POST /2015-03-31/functions/{name}/invocations`.

    Local programs need no signature, but requests that a web page could have sent are refused.
    `wait(seconds)` returns True when the service has to stop.
    """

    def __init__(
        self,
        functions: Mapping[str, Invocable],
        wait: Callable[[float], bool] | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._functions = functions
        self._stopping = threading.Event()
        self._wait = wait or self._stopping.wait
        self._monotonic = monotonic
        self._background = ThreadPoolExecutor(EVENT_WORKERS, thread_name_prefix="event-invoke")
        self._events: set[Future[None]] = set()
        self._lock = threading.Lock()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # Browsers send an Origin header with every POST request, but other programs do not.
        if request.header("origin") is not None or not request.names_this_machine:
            message = "Only programs on this machine may invoke functions. Web pages may not."
            return _refusal(403, "AccessDeniedException", message)
        name = _function_name(request)
        function = self._functions.get(name)
        if request.method != "POST" or function is None:
            message = f"Function not found: {function_arn(name)}"
            return _refusal(404, "ResourceNotFoundException", message)
        payload = request.body or b"{}"
        if len(payload) > MAX_PAYLOAD_BYTES:
            return _too_large(payload)
        try:
            json.loads(payload)
        except ValueError as error:
            message = f"Could not parse request body into json: {error}"
            return _refusal(400, "InvalidRequestContentException", message)
        match request.header("x-amz-invocation-type") or "RequestResponse":
            case "RequestResponse":
                return _run(name, function, payload)
            case "Event":
                return self._run_later(function, payload)
            case "DryRun":
                return HttpResponse(204)
            case other:
                return _refusal(400, "InvalidParameterValueException", f"InvocationType: {other}")

    def stop(self, timeout_seconds: float) -> None:
        """Wait for running asynchronous calls to end. Discard calls that have not started."""
        self._stopping.set()
        self._background.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            running = set(self._events)
        wait(running, timeout_seconds)

    def _run_later(self, function: Invocable, payload: bytes) -> HttpResponse:
        with self._lock:
            if len(self._events) >= MAX_WAITING_EVENTS:
                return _throttled()
            event = self._background.submit(self._run_event, function, payload)
            self._events.add(event)
        event.add_done_callback(self._forget)
        return HttpResponse(202, _request_id())

    def _run_event(self, function: Invocable, payload: bytes) -> None:
        # Lambda would repeat a failed event twice. The local service does not, because the next
        # maintenance run repeats the failed work.
        invocation = self._invoked_in_the_end(function, payload)
        if invocation is None:
            logger.warning("an event was throttled until it expired or the local run ended")
        elif invocation.failed:
            logger.error("an event failed: %s", invocation.error_text())

    def _invoked_in_the_end(self, function: Invocable, payload: bytes) -> Invocation | None:
        """If the function is throttled, retry for up to six hours. Then give up and return None."""
        end, pause = self._monotonic() + EVENT_AGE_SECONDS, FIRST_EVENT_PAUSE_SECONDS
        while True:
            try:
                return invoke_within_limits(function, payload)
            except ThrottledError:
                if self._monotonic() > end or self._wait(pause * random.uniform(0.5, 1)):
                    return None
            pause = min(2 * pause, LONGEST_EVENT_PAUSE_SECONDS)

    def _forget(self, event: Future[None]) -> None:
        with self._lock:
            self._events.discard(event)


def _run(name: str, function: Invocable, payload: bytes) -> HttpResponse:
    try:
        invocation = invoke_within_limits(function, payload)
    except ThrottledError:
        logger.info("throttled: %s", name)
        return _throttled()
    headers: Headers = (
        ("content-type", "application/json"),
        ("x-amz-executed-version", "$LATEST"),
        *_request_id(),
    )
    if invocation.failed:
        headers = (("x-amz-function-error", "Unhandled"), *headers)
    return HttpResponse(200, headers, invocation.payload)


def _function_name(request: HttpRequest) -> str:
    """Return the function's name from a request path, which contains the name or an ARN."""
    path = request.raw_path.removeprefix(PATH_PREFIX).removesuffix(PATH_SUFFIX)
    name = unquote(path)
    if ":function:" in name:
        name = name.partition(":function:")[2]
    return name.partition(":")[0]


def _too_large(payload: bytes) -> HttpResponse:
    message = (
        f"{len(payload)} byte payload is too large for an event (limit {MAX_PAYLOAD_BYTES} bytes)"
    )
    return _refusal(413, "RequestTooLargeException", message)


def _throttled() -> HttpResponse:
    body = {"Reason": "ReservedFunctionConcurrentInvocationLimitExceeded", "Type": "User"}
    return _refusal(429, "TooManyRequestsException", "Rate Exceeded.", body)


def _refusal(
    status: int, error_type: str, message: str, more: Mapping[str, str] | None = None
) -> HttpResponse:
    body = {"Type": "User", **(more or {}), "message": message}
    return json_response(status, body, (("x-amzn-errortype", error_type), *_request_id()))


def _request_id() -> Headers:
    return (("x-amzn-requestid", str(uuid.uuid4())),)
