"""One client on one connection: it retries (docs/internals/time-budgets.md), records attempts."""

import asyncio
import random
import ssl
import time
from collections.abc import Iterable, Mapping
from typing import Any

import httpx

from tests.reliability.load.history import NO_CODE, Attempt, History, Operation, Outcome
from tools.local.aws import local_operator
from waitlist_cli.client.retries import PATIENT, may_pass

MOST_TIMES = 10
NO_HEADERS: Mapping[str, str] = {}
# httpx makes one per client, even for plain HTTP, and 200 of them take some seconds.
ONE_TLS_CONTEXT = ssl.create_default_context()


class LoadOver(Exception):
    """The load has ended: the client must not begin another operation."""


class Load:
    """The end of the load: by time, or after a number of operations and one of each kind.

    A client that was refused waits before it comes again, so some kinds may begin late. After
    `MOST_TIMES` the number the load ends without them.
    """

    def __init__(self, operations: int | None, kinds: Iterable[str] = ()) -> None:
        self._operations = operations
        self._missing = set(kinds)
        self._over = asyncio.Event()
        self._begun = 0

    @property
    def is_over(self) -> bool:
        return self._over.is_set()

    def end(self) -> None:
        self._over.set()

    def begin_operation(self, kind: str) -> None:
        """Count an operation; raise LoadOver if the load has ended."""
        self._begun += 1
        self._missing.discard(kind)
        if self._operations is None:
            if self.is_over:
                raise LoadOver
        elif self._begun >= self._operations * (MOST_TIMES if self._missing else 1):
            self.end()

    async def pause(self, seconds: float) -> bool:
        """Wait; return False if the client must not retry."""
        if self._operations is not None:
            await asyncio.sleep(seconds)
            return True
        try:
            await asyncio.wait_for(self._over.wait(), seconds)
        except TimeoutError:
            return True
        return False


class Client:
    def __init__(
        self,
        url: str,
        history: History,
        load: Load,
        seed: str,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.random = random.Random(seed)
        self.load = load
        self._history = history
        # Choosing from a pool of many connections takes longer than the service takes to answer.
        self._http = httpx.AsyncClient(
            base_url=url,
            timeout=PATIENT.timeout_seconds,
            limits=httpx.Limits(max_connections=1),
            verify=ONE_TLS_CONTEXT,
            transport=transport,
            trust_env=False,
        )
        self._operator = local_operator()

    async def close(self) -> None:
        await self._http.aclose()

    async def customer(
        self, kind: str, person: str, method: str, path: str, *, token: str = "", **more: Any
    ) -> Operation:
        """Send a customer's operation, with an entry token if given."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return await self._do(kind, person, method, path, headers, more)

    async def operator(
        self, kind: str, person: str, method: str, path: str, **more: Any
    ) -> Operation:
        """Send an operator's operation, signed."""
        return await self._do(kind, person, method, path, {}, {**more, "auth": self._operator})

    async def _do(
        self,
        kind: str,
        person: str,
        method: str,
        path: str,
        headers: dict[str, str],
        more: dict[str, Any],
    ) -> Operation:
        self.load.begin_operation(kind)
        key = more.pop("key", "")
        if key:
            headers = {**headers, "Idempotency-Key": key}
        began = time.monotonic()
        answer, attempts = await self._until_answered(kind, method, path, headers, more)
        body = _body(answer)
        operation = Operation(
            kind=kind,
            person=person,
            outcome=_outcome(answer),
            began=began,
            ended=time.monotonic(),
            attempts=attempts,
            asked=more.get("json") or {},
            answer=body,
        )
        self._history.operations.append(operation)
        return operation

    async def _until_answered(
        self, kind: str, method: str, path: str, headers: dict[str, str], more: dict[str, Any]
    ) -> tuple[httpx.Response | None, int]:
        answer = None
        for attempt in range(PATIENT.tries):
            answer = await self._once(kind, method, path, headers=headers, **more)
            if answer is not None and not may_pass(answer.status_code, _code(answer)):
                return answer, attempt + 1
            received = NO_HEADERS if answer is None else answer.headers
            seconds = PATIENT.pause_after(attempt, received, self.random.random)
            if not await self.load.pause(seconds):
                return answer, attempt + 1
        return answer, PATIENT.tries

    async def _once(self, kind: str, method: str, path: str, **more: Any) -> httpx.Response | None:
        began = time.monotonic()
        try:
            answer = await self._http.request(method, path, **more)
        except httpx.TransportError as error:
            attempt = Attempt(kind, began, time.monotonic(), 0, type(error).__name__)
            self._history.attempts.append(attempt)
            return None
        self._history.attempts.append(
            Attempt(
                kind=kind,
                began=began,
                ended=time.monotonic(),
                status=answer.status_code,
                code="" if answer.is_success else _code(answer) or NO_CODE,
                retry_after=answer.headers.get("retry-after", ""),
            )
        )
        return answer


def _outcome(answer: httpx.Response | None) -> Outcome:
    if answer is None or answer.status_code == 429 or answer.is_server_error:
        return "unknown"
    return "done" if answer.is_success else "refused"


def _body(answer: httpx.Response | None) -> Any:
    if answer is None or not answer.content:
        return None
    try:
        return answer.json()
    except ValueError:
        return None


def _code(answer: httpx.Response) -> str:
    body = _body(answer)
    return str(body.get("code", "")) if isinstance(body, dict) else ""
