"""Calls the HTTP API as a patient client does: what may be tried again is tried again."""

import random
import time
from collections.abc import Callable, Mapping
from typing import Any, Self

import httpx

from tools.local.operator_auth import OperatorAuth
from tools.local.retrying import POLICY, may_pass

NO_HEADERS: Mapping[str, str] = {}


class ApiError(Exception):
    """The service refused, or did not answer however often it was asked."""


class NotRunningError(ApiError):
    pass


class ApiClient:
    """Safe to use from `connections` threads at once.

    Every request is repeatable: its caller gives it an Idempotency-Key or it has the same effect
    twice by itself.
    """

    def __init__(
        self,
        base_url: str,
        connections: int = 1,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
        operator: httpx.Auth | None = None,
    ) -> None:
        self._http = httpx.Client(
            base_url=base_url,
            timeout=POLICY.timeout_seconds,
            limits=httpx.Limits(max_connections=connections),
            transport=transport,
            trust_env=False,
        )
        self._operator = operator or OperatorAuth()
        self._sleep = sleep
        self._jitter = jitter

    def check_running(self) -> None:
        """Raises NotRunningError unless a waiting-list service answers."""
        try:
            health = self._http.get("/v1/health").json()
        except (httpx.HTTPError, ValueError):
            health = None
        if not isinstance(health, dict) or "queue" not in health:
            raise NotRunningError(str(self._http.base_url))

    def customer(self, method: str, path: str, token: str | None = None, **more: Any) -> Any:
        """The JSON answer, None if there is none; `token` is an entry token."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return self._call(method, path, headers=headers | more.pop("headers", {}), **more)

    def operator(self, method: str, path: str, **more: Any) -> Any:
        """The JSON answer to a signed request, None if there is none."""
        return self._call(method, path, auth=self._operator, **more)

    def _call(self, method: str, path: str, **more: Any) -> Any:
        problem, headers = "", NO_HEADERS
        for attempt in range(POLICY.tries):
            if attempt:
                self._sleep(POLICY.pause_after(attempt - 1, headers, self._jitter))
            try:
                response = self._http.request(method, path, **more)
            except httpx.TransportError as error:
                problem, headers = f"no answer: {error}", NO_HEADERS
                continue
            if response.is_success:
                return response.json() if response.content else None
            code, detail = _problem(response)
            problem, headers = f"{response.status_code}: {detail}", response.headers
            if not may_pass(response.status_code, code):
                break
        raise ApiError(f"{method} answered {problem}")

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def _problem(response: httpx.Response) -> tuple[str, str]:
    """The code of a problem, empty if it is none, and what to show of it."""
    try:
        problem = response.json()
        return str(problem["code"]), f"{problem['code']}: {problem['detail']}"
    except (ValueError, KeyError, TypeError):
        return "", response.text[:200]
