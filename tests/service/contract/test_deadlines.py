"""Tests which AWS calls the service repeats, and when it gives up because too little time is left.

A local HTTP server answers in place of AWS.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from tests.unit.tools.fakes import serving, url_of
from tools.local.http_message import Headers, HttpRequest, HttpResponse, json_response
from waitlist_api.aws import clients
from waitlist_api.aws.deadline import Deadline


class Service:
    """An HTTP server that sends the given responses in order and then repeats the last one."""

    def __init__(self) -> None:
        self.answers: list[HttpResponse] = []
        self.requests = 0

    def __call__(self, _: HttpRequest) -> HttpResponse:
        self.requests += 1
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def answer(self, *answers: HttpResponse) -> None:
        self.answers, self.requests = list(answers), 0


def refusal(status: int, code: str, headers: Headers = ()) -> HttpResponse:
    body = {"__type": code, "message": "no", "Type": "User"}
    return json_response(status, body, (("x-amzn-errortype", code), *headers))


THROTTLED = refusal(429, "TooManyRequestsException")
BROKEN = refusal(500, "ServiceException")
DONE = json_response(200, {})
LAMBDA_SECONDS = clients.CONNECT_SECONDS + 4
PAUSE_SECONDS = clients.THROTTLED_PAUSE_SECONDS


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses, in seconds, that botocore would make before its retries.

    The tests do not actually wait.
    """
    found: list[float] = []
    monkeypatch.setattr("botocore.endpoint.time.sleep", found.append)
    return found


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    service = Service()
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "local")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
    with serving(service) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL", url_of(server))
        yield service


@pytest.fixture
def time() -> Deadline:
    return Deadline(lambda: 0.0)


def invoke(client: Any) -> Any:
    return client.invoke(FunctionName="f", Payload=b"{}")


def get_item(client: Any) -> Any:
    return client.get_item(TableName="t", Key={"pk": {"S": "a"}})


def code_of(error: pytest.ExceptionInfo[ClientError]) -> str:
    return str(error.value.response["Error"]["Code"])


def test_a_throttled_invocation_is_tried_once_more_after_a_random_pause(
    service: Service, time: Deadline, pauses: list[float]
) -> None:
    client = clients.lambda_client(time)
    for _ in range(20):
        service.answer(THROTTLED, DONE)
        assert invoke(client)["StatusCode"] == 200
        service.answer(THROTTLED)
        with pytest.raises(ClientError) as error:
            invoke(client)
        assert (code_of(error), service.requests) == ("TooManyRequestsException", 2)
    assert len(set(pauses)) == 40
    assert all(0 <= pause <= PAUSE_SECONDS for pause in pauses)
    assert max(pauses) > PAUSE_SECONDS / 2, "botocore counts it as throttling, and pauses longer"


def test_a_throttled_record_is_tried_twice_more(
    service: Service, time: Deadline, pauses: list[float]
) -> None:
    service.answer(refusal(400, "ThrottlingException"))
    with pytest.raises(ClientError):
        get_item(clients.dynamodb_client(time))
    assert service.requests == 3
    assert pauses[0] <= PAUSE_SECONDS
    assert pauses[1] <= 2 * PAUSE_SECONDS


def test_maintenance_tries_four_times_more(service: Service, pauses: list[float]) -> None:
    service.answer(THROTTLED)
    with pytest.raises(ClientError):
        invoke(clients.patient_lambda_client())
    assert service.requests == 5
    assert [pause <= longest for pause, longest in zip(pauses, (1, 2, 4, 8), strict=True)]


def test_no_call_begins_that_could_outlast_the_request(service: Service, time: Deadline) -> None:
    """P9"""
    client = clients.lambda_client(time)
    service.answer(DONE)
    with time.limited_to(LAMBDA_SECONDS - 0.001), pytest.raises(clients.OutOfTime):
        invoke(client)
    assert service.requests == 0
    with time.limited_to(LAMBDA_SECONDS):
        assert invoke(client)["StatusCode"] == 200
    assert invoke(client)["StatusCode"] == 200, "there is no limit outside of a request"


@pytest.mark.parametrize(
    ("answer", "longest"),
    [
        (THROTTLED, PAUSE_SECONDS),
        (BROKEN, PAUSE_SECONDS),
        (
            refusal(429, "TooManyRequestsException", (("x-amz-retry-after", "60000"),)),
            PAUSE_SECONDS + clients.ASKED_PAUSE_SECONDS,
        ),
    ],
    ids=["throttled", "broken", "asked to wait"],
)
def test_a_retry_that_would_come_too_late_is_not_made(
    service: Service,
    time: Deadline,
    pauses: list[float],
    answer: HttpResponse,
    longest: float,
) -> None:
    """If no time is left for another attempt, the last attempt's error is reported, for example
    that AWS throttles requests (promise P9).
    """
    client = clients.lambda_client(time)
    service.answer(answer)
    with time.limited_to(longest + LAMBDA_SECONDS - 0.001), pytest.raises(ClientError) as error:
        invoke(client)
    assert (code_of(error), service.requests) == (dict(answer.headers)["x-amzn-errortype"], 1)
    assert pauses == []
    with time.limited_to(longest + LAMBDA_SECONDS), pytest.raises(ClientError):
        invoke(client)
    assert service.requests == 3
    assert pauses[0] <= longest


def test_a_connection_that_fails_late_is_not_tried_again(
    service: Service, time: Deadline, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    client = clients.lambda_client(time)
    with time.limited_to(LAMBDA_SECONDS), pytest.raises(EndpointConnectionError):
        invoke(client)
    assert pauses == []
    with pytest.raises(EndpointConnectionError):
        invoke(client)
    assert len(pauses) == 1


def test_an_answer_at_the_last_moment_is_an_answer(service: Service, time: Deadline) -> None:
    """A response that arrives at the last moment still counts."""
    ticks = iter([0.0, 0.0, 100.0, 100.0])
    client = clients.lambda_client(late := Deadline(lambda: next(ticks)))
    service.answer(DONE)
    with late.limited_to(LAMBDA_SECONDS):
        assert invoke(client)["StatusCode"] == 200


def test_a_condition_that_fails_late_still_returns_the_former_item(
    service: Service, time: Deadline
) -> None:
    """If a write's condition fails, the error contains the stored item, which the service needs
    (promise P2).
    """
    item = {"pk": {"S": "a"}}
    body = {"__type": "ConditionalCheckFailedException", "message": "no", "Item": item}
    service.answer(json_response(400, body))
    with time.limited_to(clients.CONNECT_SECONDS + 2), pytest.raises(ClientError) as error:
        clients.dynamodb_client(time).put_item(TableName="t", Item=item)
    said: Any = error.value.response
    assert (code_of(error), said["Item"]) == ("ConditionalCheckFailedException", item)
    assert said["ResponseMetadata"]["HTTPStatusCode"] == 400
