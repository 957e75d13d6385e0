"""A client for the HTTP API.

It signs requests and retries failures. If the last attempt fails too, it raises a CliError.
"""

import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx

from waitlist_cli.client.retries import PATIENT, RETRIED_STATUSES, RetryPolicy, is_retryable
from waitlist_cli.errors import (
    UNREACHABLE,
    CliError,
    Defective,
    Refused,
    Unauthorised,
    Unavailable,
    WrongUsage,
    fields_of,
)

ADMIN = "/v1/admin/waitlists"
NO_HEADERS: Mapping[str, str] = {}
# The error codes with the status 403 that are about the customer, not about the caller's
# credentials.
ABOUT_THE_CUSTOMER = ("banned",)
JSON = "application/json"
# Called before each retry with the error message, the pause in seconds, the number of the next
# attempt, and the maximum number of attempts.
OnRetry = Callable[[str, float, int, int], None]


class Fields(dict[str, Any]):
    """A JSON object from the service. Reading a missing field raises `Defective`."""

    def __missing__(self, name: str) -> Any:
        raise Defective(
            f"The response has no field {name}. Either this is not the address of a waitlist "
            "service, or the service and this command have different versions.",
            "not_a_waitlist_service",
        )


def _say_nothing(_problem: str, _seconds: float, _attempt: int, _tries: int) -> None:
    pass


@dataclass
class Api:
    """A client for one service, which several threads can share.

    The client retries requests, so every request must be idempotent or have an Idempotency-Key.
    """

    http: httpx.Client
    auth: Callable[[], httpx.Auth]
    on_retry: OnRetry = _say_nothing
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = random.random
    patience: RetryPolicy = PATIENT
    # Drops the cached credentials. Called when the service refuses them.
    forget_auth: Callable[[], object] = lambda: None
    has_answered: bool = field(default=False, init=False)

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        auth: httpx.Auth | None = None,
        headers: Mapping[str, str] = NO_HEADERS,
        params: Mapping[str, str | int] | None = None,
        policy: RetryPolicy | None = None,
    ) -> Any:
        """Send a request and return the response's JSON, or None if the response is empty.

        A `bytes` body must already be JSON. Any other body is encoded as JSON.
        """
        chosen = policy or self.patience
        _check(headers)
        content = body if isinstance(body, bytes) or body is None else _encoded(body)
        content_type = {} if content is None else {"Content-Type": JSON}
        request = self.http.build_request(
            method,
            path,
            content=content,
            headers={**headers, **content_type},
            params=params,
            timeout=chosen.timeout_seconds,
        )
        return self._send_with_retries(request, auth, chosen)

    def operator(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        params: Mapping[str, str | int] | None = None,
        key: str | None = None,
        version: int | None = None,
        only_new: bool = False,
        policy: RetryPolicy | None = None,
    ) -> Any:
        """Send a request with the operator's credentials, and return the response's JSON.

        If `only_new` is true, the request fails if the object already exists.
        """
        headers = {"Idempotency-Key": key} if key else {}
        if only_new:
            headers["If-None-Match"] = "*"
        if version is not None:
            headers["If-Match"] = f'"{version}"'
        try:
            return self.call(
                method,
                ADMIN + path,
                body,
                auth=self.auth(),
                headers=headers,
                params=params,
                policy=policy,
            )
        except Unauthorised:
            self.forget_auth()
            raise

    def health(self) -> dict[str, Any]:
        """Return the health of the service, Redis and DynamoDB."""
        found: dict[str, Any] = self.call("GET", "/v1/health")
        return found

    def customer(
        self, method: str, path: str, token: str, body: object = None, *, key: str | None = None
    ) -> Any:
        """Send a request on behalf of a customer, with the customer's entry token."""
        headers = {"Authorization": f"Bearer {token}"}
        if key:
            headers["Idempotency-Key"] = key
        return self.call(method, f"/v1/waitlists{path}", body, headers=headers)

    def _send_with_retries(
        self, request: httpx.Request, auth: httpx.Auth | None, policy: RetryPolicy
    ) -> Any:
        for attempt in range(policy.tries):
            headers = NO_HEADERS
            try:
                response = self.http.send(request, auth=auth)
            except httpx.RequestError as error:
                problem: CliError = self._unreachable(error)
                # If the service has never responded, the address is probably wrong, so a retry
                # would not help.
                if isinstance(error, httpx.ConnectError) and not self.has_answered:
                    raise problem from error
            else:
                self.has_answered = True
                if response.is_success:
                    return _decoded(response)
                problem, headers = _problem(response), response.headers
                if not is_retryable(response.status_code, problem.code):
                    raise problem
            problem.retry_after = headers.get("retry-after", "")
            if attempt + 1 < policy.tries:
                seconds = policy.pause_after(attempt, headers, self.jitter)
                self.on_retry(problem.message, seconds, attempt + 2, policy.tries)
                self.sleep(seconds)
        raise problem

    def _unreachable(self, error: httpx.RequestError) -> Unavailable:
        address = self.http.base_url
        is_late = isinstance(error, httpx.TimeoutException)
        why = "it did not answer in time" if is_late else str(error).rstrip(".")
        local = urlsplit(str(address)).hostname in ("127.0.0.1", "localhost")
        advice = " Is `make run` running?" if local else " Check the address and the network."
        return Unavailable(f"No answer from {address}: {why}.{advice}", UNREACHABLE)


def fits_header(value: str) -> bool:
    """Return whether a value may be sent in an HTTP header. Line breaks are not allowed."""
    return value.isascii() and value.isprintable() and value == value.strip()


def _check(headers: Mapping[str, str]) -> None:
    """Raise WrongUsage if the token or the key is not valid in an HTTP header."""
    for name, value in headers.items():
        if not fits_header(value):
            what = "key" if name == "Idempotency-Key" else "token"
            raise WrongUsage(
                f"The {what} is empty or has characters that cannot be sent. Use printable ASCII "
                "characters, without leading or trailing spaces."
            )


def _encoded(body: object) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError as error:
        raise WrongUsage(f"{error.object!r} cannot be encoded as UTF-8.") from error


def _decoded(response: httpx.Response) -> Any:
    # The service's response to a GET request always contains a JSON object.
    may_be_empty = response.request.method != "GET"
    if may_be_empty and not response.content:
        return None
    try:
        body = response.json(object_hook=Fields)
    except ValueError:
        raise _not_a_service(response) from None
    if not (isinstance(body, dict) or (may_be_empty and body is None)):
        raise _not_a_service(response)
    return body


def _not_a_service(response: httpx.Response) -> Defective:
    return Defective(
        f"{response.url.host} answered {response.status_code} without a JSON object, so it is "
        "not a waitlist service. Check the address.",
        "not_a_waitlist_service",
        response.status_code,
    )


def _problem(response: httpx.Response) -> CliError:
    status = response.status_code
    try:
        body = response.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        is_other = status < 500 and status not in RETRIED_STATUSES
        return _not_a_service(response) if is_other else _without_reason(status)
    # If API Gateway itself refuses a request, the response body contains only a `message`.
    detail = str(body.get("detail") or body.get("message") or body.get("Message") or "")
    code = str(body.get("code") or "")
    error_class = _error_class(status, code)
    return error_class(detail or f"The service answered {status}.", code, status, fields_of(body))


def _without_reason(status: int) -> CliError:
    return _error_class(status, "")(f"The service answered {status} without a reason.", "", status)


def _error_class(status: int, code: str) -> type[CliError]:
    if status in (401, 403) and code not in ABOUT_THE_CUSTOMER:
        return Unauthorised
    if is_retryable(status, code):
        return Unavailable
    return Defective if status >= 500 else Refused
