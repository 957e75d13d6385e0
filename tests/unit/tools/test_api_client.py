import json
from collections.abc import Callable

import httpx
import pytest

from tools.local.api_client import ApiClient, ApiError, NotRunningError
from tools.local.retrying import POLICY

Answer = Callable[[httpx.Request], httpx.Response]


class Scripted:
    """A client whose requests get these answers in turn, the last one for ever."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.requests: list[httpx.Request] = []
        self.pauses: list[float] = []
        self._answers = list(answers)
        transport = httpx.MockTransport(self._answer)
        self.client = ApiClient(
            "http://test", transport=transport, sleep=self.pauses.append, jitter=lambda: 0.5
        )

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def problem(status: int, code: str, **headers: str) -> httpx.Response:
    body = json.dumps({"code": code, "detail": "because"})
    return httpx.Response(status, content=body, headers=headers)


def test_an_answer_is_decoded_and_no_content_is_none() -> None:
    assert Scripted(httpx.Response(200, json={"a": 1})).client.customer("GET", "/x") == {"a": 1}
    assert Scripted(httpx.Response(204)).client.customer("DELETE", "/x") is None


def test_a_retry_is_the_same_request() -> None:
    """P2"""
    scripted = Scripted(
        problem(503, "rebuilding", **{"retry-after": "2"}),
        problem(429, "throttled"),
        httpx.ReadTimeout("slow"),
        httpx.Response(201, json={}),
    )
    headers = {"Idempotency-Key": "k1"}
    scripted.client.customer("POST", "/x", json={"customer_id": "ada"}, headers=headers)
    sent = [(one.headers["idempotency-key"], one.content) for one in scripted.requests]
    assert sent == [("k1", b'{"customer_id":"ada"}')] * 4
    assert scripted.pauses == [2.5, 2.0, 3.0]


def test_retries_end() -> None:
    """P9"""
    scripted = Scripted(problem(503, "queue_unavailable", **{"retry-after": "3600"}))
    with pytest.raises(ApiError, match="503: queue_unavailable: because"):
        scripted.client.customer("GET", "/x")
    assert len(scripted.requests) == POLICY.tries
    assert scripted.pauses == [30.5, 31.0, 32.0, 34.0, 34.0, 34.0, 34.0]


def test_a_500_of_the_gateways_own_is_repeated_and_the_services_is_not() -> None:
    """P2: the environment was killed, perhaps when it had done what was asked."""
    killed = httpx.Response(500, json={"message": "Internal Server Error"})
    scripted = Scripted(killed, httpx.Response(200, json={}))
    scripted.client.customer("POST", "/x", json={}, headers={"Idempotency-Key": "k1"})
    assert [one.headers["idempotency-key"] for one in scripted.requests] == ["k1", "k1"]
    defect = Scripted(problem(500, "internal_error"))
    with pytest.raises(ApiError, match="internal_error"):
        defect.client.customer("POST", "/x")
    assert len(defect.requests) == 1


def test_what_the_client_did_wrong_is_not_tried_again() -> None:
    scripted = Scripted(problem(409, "already_on_list"))
    with pytest.raises(ApiError, match="already_on_list"):
        scripted.client.customer("POST", "/x")
    assert len(scripted.requests) == 1


def test_an_operators_request_is_signed_and_a_customers_carries_the_token() -> None:
    scripted = Scripted(httpx.Response(200, json={}))
    scripted.client.operator("GET", "/v1/admin/waitlists")
    scripted.client.customer("GET", "/x", "t0ken")
    signed, bearer = (request.headers["authorization"] for request in scripted.requests)
    assert signed.startswith("AWS4-HMAC-SHA256 Credential=local/")
    assert bearer == "Bearer t0ken"


@pytest.mark.parametrize(
    "answer",
    [
        httpx.ConnectError("refused"),
        httpx.Response(200, text="<html>"),
        httpx.Response(200, json=1),
    ],
)
def test_a_service_that_is_not_ours_is_not_running(answer: httpx.Response | Exception) -> None:
    with pytest.raises(NotRunningError):
        Scripted(answer).client.check_running()


def test_a_service_that_is_unwell_is_running() -> None:
    health = {"status": "degraded", "queue": "unavailable", "record": "ok"}
    Scripted(httpx.Response(503, json=health)).client.check_running()
