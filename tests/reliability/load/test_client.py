"""Clients retry as docs/time-budgets.md says, and record the answers."""

import asyncio
from collections.abc import Awaitable, Callable

import httpx
import pytest

from tests.reliability.load.client import Client, Load
from tests.reliability.load.history import History, Operation

Act = Callable[[Client], Awaitable[Operation]]


class Scene:
    """A client that gets these answers in turn, then only the last; its pauses take no time."""

    def __init__(self, *answers: httpx.Response | Exception, operations: int | None = 100) -> None:
        self.history = History()
        self.requests: list[httpx.Request] = []
        self.pauses: list[float] = []
        self.load = Load(operations)
        self._answers = list(answers)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def play(self, act: Act, monkeypatch: pytest.MonkeyPatch) -> Operation:
        async def pause(seconds: float) -> bool:
            self.pauses.append(seconds)
            return True

        async def played() -> Operation:
            transport = httpx.MockTransport(self._answer)
            client = Client("http://test", self.history, self.load, "1", transport)
            monkeypatch.setattr(self.load, "pause", pause)
            try:
                return await act(client)
            finally:
                await client.close()

        return asyncio.run(played())


def sign_up(client: Client) -> Awaitable[Operation]:
    body = {"customer_id": "ada"}
    return client.customer("signup", "ada", "POST", "/entries", key="k", json=body)


def come_again(status: int = 503, retry_after: str | None = None) -> httpx.Response:
    headers = {} if retry_after is None else {"retry-after": retry_after}
    return httpx.Response(status, json={"code": "busy"}, headers=headers)


def test_a_request_is_repeated_as_it_was_until_it_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """P2"""
    scene = Scene(
        come_again(retry_after="2"),
        httpx.ReadTimeout("slow"),
        come_again(429, "1"),
        httpx.Response(201, json={"entry_id": "e"}),
    )
    operation = scene.play(sign_up, monkeypatch)
    assert (operation.outcome, operation.attempts, operation.answer) == (
        "done",
        4,
        {"entry_id": "e"},
    )
    assert {(one.headers["idempotency-key"], one.content) for one in scene.requests} == {
        ("k", b'{"customer_id":"ada"}')
    }
    answers = [(one.status, one.code, one.retry_after) for one in scene.history.attempts]
    assert answers == [
        (503, "busy", "2"),
        (0, "ReadTimeout", ""),
        (429, "busy", "1"),
        (201, "", ""),
    ]
    for pause, least, jitter in zip(scene.pauses, (2, 1, 1), (1, 2, 4), strict=True):
        assert least < pause < least + jitter
    assert scene.history.operations == [operation]


@pytest.mark.parametrize(("status", "outcome"), [(409, "refused"), (500, "unknown"), (200, "done")])
def test_any_other_answer_is_final(
    monkeypatch: pytest.MonkeyPatch, status: int, outcome: str
) -> None:
    scene = Scene(httpx.Response(status, json={"code": "no"}))
    operation = scene.play(sign_up, monkeypatch)
    assert (operation.outcome, operation.attempts, scene.pauses) == (outcome, 1, [])
