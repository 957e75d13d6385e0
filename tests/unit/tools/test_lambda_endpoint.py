import json
import threading
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from tests.unit.tools.fakes import BusyFunction, FailingFunction, FakeFunction, serving, url_of
from tools.local.function import MAX_PAYLOAD_BYTES, Invocable
from tools.local.http_message import Headers, HttpRequest
from tools.local.lambda_endpoint import MAX_WAITING_EVENTS, LambdaEndpoint


def invoke(name: str, body: bytes = b"{}", kind: str | None = None) -> HttpRequest:
    headers = (("X-Amz-Invocation-Type", kind),) if kind else ()
    return HttpRequest("POST", f"/2015-03-31/functions/{name}/invocations", headers, body)


@pytest.mark.parametrize(
    "headers",
    [
        (("Host", "127.0.0.1:8080"), ("Origin", "http://evil.example.com")),
        (("Host", "127.0.0.1:8080"), ("Origin", "null")),
        (("Host", "127.0.0.1:8080"), ("Origin", "http://127.0.0.1:8080")),
        (("Host", "evil.example.com:8080"),),
        (("Host", "127.0.0.1.evil.example.com"),),
        (("Host", "192.168.1.7:8080"),),
        (("Host", ""),),
        (("Host", "127.0.0.1:8080"), ("Host", "evil.example.com")),
    ],
    ids=str,
)
def test_no_web_page_can_invoke_a_function(headers: Headers) -> None:
    """No web page can invoke a function.

    Requests from other origins are refused, as are requests whose Host header names a different
    computer (promise P5).
    """
    function = FakeFunction()
    target = "/2015-03-31/functions/f/invocations"
    response = LambdaEndpoint({"f": function})(HttpRequest("POST", target, headers, b"{}"))
    assert (response.status, dict(response.headers)["x-amzn-errortype"]) == (
        403,
        "AccessDeniedException",
    )
    assert function.events == []


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost:8080", "LOCALHOST", "[::1]:8080"])
def test_programs_on_this_machine_can_invoke_functions(host: str) -> None:
    target = "/2015-03-31/functions/f/invocations"
    request = HttpRequest("POST", target, (("Host", host),), b"{}")
    assert LambdaEndpoint({"f": FakeFunction()})(request).status == 200


def test_an_event_or_an_answer_above_lambdas_limit_is_refused() -> None:
    """P9"""
    function = FakeFunction(lambda event: event if len(event) < 9 else "x" * MAX_PAYLOAD_BYTES)
    endpoint = LambdaEndpoint({"f": function})
    largest = b'"%s"' % (b"x" * (MAX_PAYLOAD_BYTES - 2))
    too_large = endpoint(invoke("f", largest + b" "))
    assert too_large.status == 413
    assert dict(too_large.headers)["x-amzn-errortype"] == "RequestTooLargeException"
    assert function.events == []
    answered = endpoint(invoke("f", largest))
    assert (answered.status, len(function.events)) == (200, 1)
    assert dict(answered.headers)["x-amz-function-error"] == "Unhandled"
    assert json.loads(answered.body)["errorType"] == "Function.ResponseSizeTooLarge"


def test_an_event_is_accepted_at_once_and_run_in_the_background() -> None:
    release, done = threading.Event(), threading.Event()

    def slow(_event: Any) -> None:
        release.wait(30)
        done.set()

    endpoint = LambdaEndpoint({"f": FakeFunction(slow)})
    response = endpoint(invoke("f", kind="Event"))
    assert (response.status, response.body, done.is_set()) == (202, b"", False)
    release.set()
    assert done.wait(30)
    endpoint.stop(30)


def test_the_number_of_waiting_events_is_limited() -> None:
    """P9"""
    release = threading.Event()
    endpoint = LambdaEndpoint({"f": FakeFunction(lambda _: release.wait(30))})
    taken = [endpoint(invoke("f", kind="Event")).status for _ in range(MAX_WAITING_EVENTS + 1)]
    assert taken == [202] * MAX_WAITING_EVENTS + [429]
    release.set()
    endpoint.stop(30)


def test_an_event_waits_while_the_function_is_busy() -> None:
    function, done, pauses = BusyFunction(times=3), threading.Event(), list[float]()

    def wait(seconds: float) -> bool:
        pauses.append(seconds)
        return False

    function.then = lambda _: done.set()
    endpoint = LambdaEndpoint({"f": function}, wait)
    assert endpoint(invoke("f", kind="Event")).status == 202
    assert done.wait(30)
    endpoint.stop(30)
    assert [0.5 <= pause / longest <= 1 for pause, longest in zip(pauses, (1, 2, 4), strict=True)]


def test_a_payload_that_is_not_json_is_refused() -> None:
    """P5"""
    function = FakeFunction()
    response = LambdaEndpoint({"f": function})(invoke("f", b"{"))
    assert response.status == 400
    assert dict(response.headers)["x-amzn-errortype"] == "InvalidRequestContentException"
    assert function.events == []


def test_boto3_understands_every_response() -> None:
    functions: dict[str, Invocable] = {
        "f": FakeFunction(),
        "failing": FailingFunction(),
        "busy": BusyFunction(),
    }
    with serving(LambdaEndpoint(functions)) as server:
        client = boto3.client(
            "lambda",
            endpoint_url=url_of(server),
            region_name="us-east-1",
            aws_access_key_id="local",
            aws_secret_access_key="local",
            config=Config(retries={"total_max_attempts": 1}),
        )
        answer = client.invoke(FunctionName="f", Payload=b'{"a": "\xc3\xa9"}')
        assert json.loads(answer["Payload"].read()) == {"a": "é"}
        assert client.invoke(FunctionName="f", InvocationType="Event")["StatusCode"] == 202
        assert client.invoke(FunctionName="failing")["FunctionError"] == "Unhandled"
        with pytest.raises(client.exceptions.ResourceNotFoundException, match="not found"):
            client.invoke(FunctionName="nobody")
        with pytest.raises(client.exceptions.TooManyRequestsException) as busy:
            client.invoke(FunctionName="busy")
        assert isinstance(busy.value, ClientError)
        said: Any = busy.value.response
        assert said["Error"] == {"Code": "TooManyRequestsException", "Message": "Rate Exceeded."}
        assert said["Reason"] == "ReservedFunctionConcurrentInvocationLimitExceeded"
        client.close()
