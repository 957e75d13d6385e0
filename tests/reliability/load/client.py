"""A client for the load tests.

It retries as docs/internals/time-budgets.md tells clients to, and records every request.
"""

import asyncio
import json as json_
import random
import time
from collections.abc import Iterable, Mapping
from typing import Any

import httpx

from tests.reliability.load.history import NO_CODE, Attempt, History, Operation, Outcome
from tests.reliability.load.wire import Answer, Wire
from tools.local.operator import local_operator
from waitlist_cli.client.retries import PATIENT, is_retryable

MOST_TIMES = 10
NO_HEADERS: Mapping[str, str] = {}
OPERATOR = local_operator()


class LoadOver(Exception): ...


class Load:
    """Ends a load test after a set time or a set number of operations.

    A test with a number of operations continues until every kind of operation has begun.
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
        self._begun += 1
        self._missing.discard(kind)
        if self._operations is None:
            if self.is_over:
                raise LoadOver
        elif self._begun >= self._operations * (MOST_TIMES if self._missing else 1):
            self.end()

    async def pause(self, seconds: float) -> bool:
        if self._operations is not None:
            await asyncio.sleep(seconds)
            return True
        try:
            await asyncio.wait_for(self._over.wait(), seconds)
        except TimeoutError:
            return True
        return False


class Client:
    """A client that tries each operation up to `tries` times.

    After the last attempt, the client can pause for a long time and then start over. `back_after`
    gives the shortest and the longest such pause in seconds.
    """

    def __init__(
        self,
        wire: Wire,
        history: History,
        load: Load,
        seed: str,
        *,
        tries: int = PATIENT.tries,
        back_after: tuple[float, float] | None = None,
    ) -> None:
        self.random = random.Random(seed)
        self.load = load
        self._wire = wire
        self._history = history
        self._tries = tries
        self._back_after = back_after

    async def customer(
        self, kind: str, person: str, method: str, path: str, *, token: str = "", **more: Any
    ) -> Operation:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return await self._do(kind, person, method, path, headers, **more)

    async def operator(
        self, kind: str, person: str, method: str, path: str, **more: Any
    ) -> Operation:
        return await self._do(kind, person, method, path, {}, is_signed=True, **more)

    async def _do(
        self,
        kind: str,
        person: str,
        method: str,
        path: str,
        headers: dict[str, str],
        *,
        key: str = "",
        json: object = None,
        is_signed: bool = False,
    ) -> Operation:
        self.load.begin_operation(kind)
        headers |= {"Idempotency-Key": key} if key else {}
        request = httpx.Request(method, self._wire.url.join(path), headers=headers, json=json)
        began, attempts, answer = 0.0, 0, None
        try:
            while True:
                async with self._wire.room:
                    began = began or time.monotonic()
                    attempts += 1
                    answer = await self._once(kind, _signed(request) if is_signed else request)
                if _outcome(answer) != "unknown":
                    break
                pause = self._pause_after(attempts, answer)
                if pause is None or not await self.load.pause(pause):
                    break
        finally:
            operation = Operation(
                kind=kind,
                person=person,
                outcome=_outcome(answer),
                began=began,
                ended=time.monotonic(),
                attempts=attempts,
                asked=json if isinstance(json, dict) else {},
                answer=_body(answer),
            )
            if began:
                self._history.operations.append(operation)
        return operation

    def _pause_after(self, attempts: int, answer: Answer | None) -> float | None:
        done = attempts % self._tries
        if done == 0:
            return self.random.uniform(*self._back_after) if self._back_after else None
        headers = NO_HEADERS if answer is None else answer.headers
        return PATIENT.pause_after(done - 1, headers, self.random.random)

    async def _once(self, kind: str, request: httpx.Request) -> Answer | None:
        began = time.monotonic()
        try:
            answer = await self._wire.send(request)
        except (OSError, EOFError, TimeoutError) as error:
            attempt = Attempt(kind, began, time.monotonic(), 0, type(error).__name__)
            self._history.attempts.append(attempt)
            return None
        code = "" if answer.status < 300 else _code(answer) or NO_CODE
        retry_after = answer.headers.get("retry-after", "")
        self._history.attempts.append(
            Attempt(kind, began, time.monotonic(), answer.status, code, retry_after)
        )
        return answer


def _signed(request: httpx.Request) -> httpx.Request:
    return next(OPERATOR.auth_flow(request))


def _outcome(answer: Answer | None) -> Outcome:
    if answer is None or answer.status >= 500 or is_retryable(answer.status, _code(answer)):
        return "unknown"
    return "done" if answer.status < 300 else "refused"


def _body(answer: Answer | None) -> Any:
    if answer is None or not answer.body:
        return None
    try:
        return json_.loads(answer.body)
    except ValueError:
        return None


def _code(answer: Answer) -> str:
    body = _body(answer) if answer.status >= 300 else None
    return str(body.get("code", "")) if isinstance(body, dict) else ""
