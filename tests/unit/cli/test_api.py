"""Tests that the command line's API client retries a request if that may help, and gives up after
some time.
"""

import json
from typing import Any

import httpx
import pytest

from waitlist_cli.client.api import Api
from waitlist_cli.client.paging import pages
from waitlist_cli.client.retries import PATIENT, RETRIED_STATUSES
from waitlist_cli.errors import CliError, Defective, Refused, Unauthorised, Unavailable, WrongUsage


class Scripted:
    """An API client that receives these responses in order and then repeats the last one."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.requests: list[httpx.Request] = []
        self.pauses: list[float] = []
        self.shown: list[tuple[str, float, int, int]] = []
        self._answers = list(answers)
        http = httpx.Client(base_url="http://test", transport=httpx.MockTransport(self._answer))
        self.api = Api(
            http,
            httpx.Auth,
            lambda *shown: self.shown.append(shown),
            self.pauses.append,
            jitter=lambda: 0.5,
        )

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def problem(status: int, code: str, headers: dict[str, str] | None = None) -> httpx.Response:
    body = json.dumps({"code": code, "detail": "because"})
    return httpx.Response(status, content=body, headers=headers)


def test_a_response_is_decoded_and_an_empty_response_is_none() -> None:
    assert Scripted(httpx.Response(200, json={"a": 1})).api.operator("GET", "/x") == {"a": 1}
    assert Scripted(httpx.Response(204)).api.operator("DELETE", "/x") is None


@pytest.mark.parametrize("content", [b"", b"null", b"<html>", b"[]", b'"ok"', b'{"a":"\xfc"}'])
def test_a_response_that_is_not_a_json_object_is_defective(content: bytes) -> None:
    scripted = Scripted(httpx.Response(200, content=content))
    with pytest.raises(Defective) as caught:
        scripted.api.operator("GET", "/x")
    assert caught.value.code == "not_a_waitlist_service"


@pytest.mark.parametrize("content", ["{}", '{"waitlists": [{}], "cursor": null}'])
def test_a_response_that_lacks_a_field_is_defective(
    content: str,
) -> None:
    scripted = Scripted(httpx.Response(200, content=content))
    with pytest.raises(Defective, match="have different versions") as caught:
        [one["name"] for one in pages(scripted.api, "", "waitlists")]
    assert caught.value.code == "not_a_waitlist_service"


def test_a_request_with_a_broken_response_is_repeated() -> None:
    broken = httpx.DecodingError("incorrect header check")
    assert Scripted(broken, httpx.Response(200, json={})).api.operator("GET", "/x") == {}
    with pytest.raises(Unavailable, match="incorrect header check"):
        Scripted(broken).api.operator("GET", "/x")


@pytest.mark.parametrize("token", ["", "a\nb", "a\r", "ä", "a b "])
def test_a_token_or_key_that_no_header_can_contain_is_wrong_usage(token: str) -> None:
    scripted = Scripted(httpx.Response(200, json={}))
    with pytest.raises(WrongUsage, match="The token is empty or"):
        scripted.api.customer("GET", "/bakery", token)
    if token:
        with pytest.raises(WrongUsage, match="The key is empty or"):
            scripted.api.operator("POST", "/x", key=token)
    assert scripted.requests == []


def test_a_retry_is_the_same_request_with_the_same_key() -> None:
    """P2"""
    scripted = Scripted(
        problem(503, "rebuilding", {"retry-after": "2"}),
        problem(429, "throttled"),
        httpx.ReadTimeout("slow"),
        httpx.Response(200, json={}),
    )
    scripted.api.operator("POST", "/x", {"places": 1}, key="k1")
    sent = [(one.headers["idempotency-key"], one.content) for one in scripted.requests]
    assert sent == [("k1", b'{"places":1}')] * 4
    assert scripted.pauses == [2.5, 2.0, 3.0]
    assert [shown[2:] for shown in scripted.shown] == [(2, 8), (3, 8), (4, 8)]


def test_retries_are_limited() -> None:
    """P9"""
    scripted = Scripted(problem(503, "queue_unavailable", {"retry-after": "3600"}))
    with pytest.raises(Unavailable, match="because"):
        scripted.api.operator("GET", "/x")
    assert len(scripted.requests) == PATIENT.tries
    assert scripted.pauses == [30.5, 31.0, 32.0, 34.0, 34.0, 34.0, 34.0]


@pytest.mark.parametrize("text", ["", "-1", "soon", "\u0661", "Wed, 21 Oct 2026 07:28:00 GMT"])
def test_an_invalid_retry_after_means_the_shortest_pause(text: str) -> None:
    assert PATIENT.pause_after(0, {"retry-after": text}, lambda: 0.0) == 1.0


def test_the_first_request_to_an_unreachable_service_is_not_repeated() -> None:
    scripted = Scripted(httpx.ConnectError("refused"))
    with pytest.raises(Unavailable, match="http://test") as caught:
        scripted.api.operator("GET", "/x")
    assert (caught.value.code, scripted.pauses) == ("unreachable", [])


def test_a_request_is_repeated_if_the_service_has_answered_before() -> None:
    scripted = Scripted(
        httpx.Response(200, json={"a": 1}),
        httpx.ConnectError("refused"),
        httpx.Response(200, json={"a": 2}),
    )
    assert [scripted.api.operator("GET", "/x") for _ in range(2)] == [{"a": 1}, {"a": 2}]
    assert len(scripted.pauses) == 1


@pytest.mark.parametrize(
    ("answer", "kind", "exit_code"),
    [
        (problem(409, "waitlist_full"), Refused, 1),
        (problem(422, "invalid_request"), Refused, 1),
        (problem(404, "entry_not_found"), Refused, 1),
        (problem(403, "banned"), Refused, 1),
        (problem(401, "unauthorized"), Unauthorised, 4),
        (httpx.Response(403, json={"message": "Forbidden"}), Unauthorised, 4),
        (problem(500, "internal_error"), Defective, 5),
        (httpx.Response(200, text="<html>"), Defective, 5),
        (httpx.Response(404, text="<html>"), Defective, 5),
    ],
)
def test_a_refused_request_is_not_sent_again(
    answer: httpx.Response, kind: type[CliError], exit_code: int
) -> None:
    """P5"""
    scripted = Scripted(answer)
    with pytest.raises(kind) as caught:
        scripted.api.operator("POST", "/x")
    assert (caught.value.exit_code, len(scripted.requests)) == (exit_code, 1)
    assert caught.value.message


def test_a_500_that_comes_from_api_gateway_is_repeated_with_the_same_key() -> None:
    """If API Gateway answers a claim with a 500, the client retries it with the same key, because
    the claim may have been made before the function was stopped (promise P2).
    """
    killed = httpx.Response(500, json={"message": "Internal Server Error"})
    scripted = Scripted(killed, httpx.Response(500, text=""), httpx.Response(200, json={}))
    scripted.api.operator("POST", "/x", {"count": 1}, key="k1")
    sent = [(one.headers["idempotency-key"], one.content) for one in scripted.requests]
    assert sent == [("k1", b'{"count":1}')] * 3


@pytest.mark.parametrize("status", [500, *sorted(RETRIED_STATUSES)])
def test_a_request_whose_retries_fail_is_unavailable(status: int) -> None:
    scripted = Scripted(httpx.Response(status, text="Bad Gateway"))
    with pytest.raises(Unavailable) as caught:
        scripted.api.operator("GET", "/x")
    assert caught.value.exit_code == 3


def test_the_fields_of_a_problem_are_kept() -> None:
    body: dict[str, Any] = {"code": "invalid_request", "detail": "d"}
    body["errors"] = [{"field": "body.places", "message": "too few"}]
    with pytest.raises(Refused) as caught:
        Scripted(httpx.Response(422, json=body)).api.operator("POST", "/x")
    assert caught.value.as_json() == {**body, "status": 422}
