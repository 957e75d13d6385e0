"""The people of a launch: each signs up once, as docs/internals/time-budgets.md asks of clients."""

import asyncio
import json
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from tests.reliability.load.customers import ENTRIES
from tests.reliability.load.history import NO_CODE, Attempt, History, Operation, Outcome
from tests.reliability.load.launch.plan import LaunchPlan
from tests.reliability.load.launch.wire import Answer, Wire
from waitlist_cli.client.retries import PATIENT, may_pass

SIGNUP = "signup"
NO_HEADERS: Mapping[str, str] = {}
Pause = Callable[[float], Awaitable[None]]


@dataclass
class Crowd:
    """Who came when, by name, and how many got in; grows while the launch runs."""

    came: dict[str, float] = field(default_factory=dict)
    got_in: int = 0


class Person:
    """All tries have the same Idempotency-Key."""

    def __init__(self, number: int, plan: LaunchPlan) -> None:
        self.name = f"person-{number:05d}"
        self._random = random.Random(f"{plan.seed}-{number}")
        self._key = str(UUID(int=self._random.getrandbits(128), version=4))
        self._back_after = plan.back_after

    async def sign_up(
        self, wire: Wire, history: History, crowd: Crowd, pause: Pause = asyncio.sleep
    ) -> None:
        """Ask until an answer is final, or until this task is cancelled."""
        crowd.came[self.name] = time.monotonic()
        body = json.dumps({"customer_id": self.name, "profile": {"name": self.name}}).encode()
        request = wire.post(ENTRIES, {"idempotency-key": self._key}, body)
        began: float | None = None
        answer: Answer | None = None
        attempts = 0
        try:
            while True:
                async with wire.room:
                    began = began or time.monotonic()
                    attempts += 1
                    answer = await _once(wire, request, history)
                if _outcome(answer) != "unknown":
                    return
                await pause(self._pause_after(attempts, answer))
        finally:
            if began is not None:
                outcome = _outcome(answer)
                crowd.got_in += outcome == "done"
                history.operations.append(
                    Operation(
                        kind=SIGNUP,
                        person=self.name,
                        outcome=outcome,
                        began=began,
                        ended=time.monotonic(),
                        attempts=attempts,
                        answer=_json(answer) if answer is not None else None,
                    )
                )

    def _pause_after(self, attempts: int, answer: Answer | None) -> float:
        """Return the client's pause, or the person's after the client has given up."""
        tries = attempts % PATIENT.tries
        if tries == 0:
            return self._random.uniform(*self._back_after)
        headers = NO_HEADERS if answer is None else answer.headers
        return PATIENT.pause_after(tries - 1, headers, self._random.random)


async def _once(wire: Wire, request: bytes, history: History) -> Answer | None:
    began = time.monotonic()
    try:
        answer = await wire.send(request)
    except (OSError, EOFError, TimeoutError) as error:
        cause = type(error).__name__
        history.attempts.append(Attempt(SIGNUP, began, time.monotonic(), 0, cause))
        return None
    code = "" if answer.status < 300 else _code(answer) or NO_CODE
    retry_after = answer.headers.get("retry-after", "")
    history.attempts.append(
        Attempt(SIGNUP, began, time.monotonic(), answer.status, code, retry_after)
    )
    return answer


def _outcome(answer: Answer | None) -> Outcome:
    if answer is None or may_pass(answer.status, _code(answer)):
        return "unknown"
    return "done" if answer.status < 300 else "refused"


def _code(answer: Answer) -> str:
    return "" if answer.status < 300 else str(_json(answer).get("code", ""))


def _json(answer: Answer) -> dict[str, Any]:
    try:
        body = json.loads(answer.body)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
