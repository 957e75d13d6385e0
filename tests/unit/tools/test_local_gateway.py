import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.unit.tools.fakes import BusyFunction, FailingFunction, FakeFunction, serving, url_of
from tests.unit.tools.test_signature import signed
from tools.local.function import MAX_PAYLOAD_BYTES, Invocable, Invocation
from tools.local.http_message import HttpRequest
from tools.local.lambda_endpoint import PATH_PREFIX, LambdaEndpoint
from tools.local.local_gateway import LocalGateway
from tools.local.operator import local_operator
from tools.local.routes import Routes

MANY = 64


def answer(event: Any) -> dict[str, Any]:
    return {"statusCode": 200, "headers": {"content-type": "text/plain"}, "body": event["rawPath"]}


class Answering:
    """A Lambda function that always returns the same bytes."""

    def __init__(self, payload: bytes) -> None:
        self.payload = payload

    def invoke(self, _payload: bytes) -> Invocation:
        return Invocation(self.payload)


def gateway(public: Invocable, **functions: Invocable) -> LocalGateway:
    return LocalGateway(
        public, {PATH_PREFIX: LambdaEndpoint(functions)}, Routes([("GET", "/v1/waitlists/{id}")])
    )


def test_a_request_becomes_an_event_and_the_answer_becomes_a_response() -> None:
    public = FakeFunction(answer)
    response = gateway(public)(HttpRequest("GET", "/v1/waitlists/bakery"))
    assert (response.status, response.body) == (200, b"/v1/waitlists/bakery")
    [event] = public.events
    assert event["routeKey"] == "GET /v1/waitlists/{id}"
    assert ("apigw-requestid", event["requestContext"]["requestId"]) in response.headers


def test_an_encoded_slash_is_decoded_after_the_route_is_chosen() -> None:
    """Like API Gateway, the gateway chooses the route before it decodes the path, so an encoded
    slash cannot lead a request to a different route (promise P5).
    """
    public = FakeFunction(answer)
    gateway(public)(HttpRequest("GET", "/v1/waitlists/bakery%2Fentries%3Flimit=1"))
    [event] = public.events
    assert event["routeKey"] == event["requestContext"]["routeKey"] == "GET /v1/waitlists/{id}"
    assert event["rawPath"] == "/v1/waitlists/bakery/entries?limit=1"
    assert event["pathParameters"] == {"id": "bakery/entries?limit=1"}


@pytest.mark.parametrize("target", ["/v1/admin/waitlists", "/v1/%61dmin/waitlists", "/v1/admin"])
def test_a_request_with_a_wrong_signature_does_not_reach_the_function(target: str) -> None:
    """P5"""
    public = FakeFunction(answer)
    response = gateway(public)(signed("GET", target, secret="wrong"))
    problem = json.loads(response.body)
    assert (response.status, problem["status"], problem["code"]) == (403, 403, "forbidden")
    assert dict(response.headers)["content-type"] == "application/problem+json"
    assert public.events == []


def test_a_web_page_under_another_host_name_cannot_call_the_service() -> None:
    """The gateway refuses requests whose Host header names a different computer.

    Otherwise, a web page could point its own domain to 127.0.0.1 and use the local credentials,
    which are public (promise P5).
    """
    public = FakeFunction(answer)
    url = "http://{}:8080/v1/admin/waitlists"
    for host, status in (("evil.example.com", 403), ("127.0.0.1", 200), ("localhost", 200)):
        sent = next(local_operator().auth_flow(httpx.Request("GET", url.format(host))))
        request = HttpRequest("GET", "/v1/admin/waitlists", tuple(sent.headers.items()))
        assert gateway(public)(request).status == status
    assert len(public.events) == 2


@pytest.mark.parametrize("letter", ["a", "ä", "☕"])
def test_an_answer_may_be_as_large_as_lambdas_limit_but_not_larger(letter: str) -> None:
    """A response of Lambda's maximum size is delivered, but a larger one is not.

    The size is counted in UTF-8 bytes, as Lambda has done since Python 3.12 (promise P9).
    """
    for over in (0, 1):
        room = MAX_PAYLOAD_BYTES - len('{"statusCode": 200, "body": ""}') + over
        body = letter * (room // len(letter.encode()))
        body += "a" * (room - len(body.encode()))
        payload = json.dumps({"statusCode": 200, "body": body}, ensure_ascii=False).encode()
        assert len(payload) == MAX_PAYLOAD_BYTES + over
        response = gateway(Answering(payload))(HttpRequest("GET", "/"))
        assert response.status == (500 if over else 200)


@pytest.mark.parametrize("letter", [b"a", "ä".encode()])
def test_a_request_is_refused_if_its_event_exceeds_lambdas_limit(
    letter: bytes,
) -> None:
    """P9"""
    public = FakeFunction(answer)
    json_type = (("content-type", "application/json"),)
    whole = gateway(public)
    assert whole(HttpRequest("POST", "/", json_type, letter * 3_000_000)).status == 200
    too_large = whole(HttpRequest("POST", "/", json_type, b"a" * MAX_PAYLOAD_BYTES))
    assert (too_large.status, too_large.body) == (413, b'{"message": "Request Entity Too Large"}')
    # If a request has no content type, the function receives the body in base64. The body is then a
    # third longer and exceeds the limit.
    assert whole(HttpRequest("POST", "/", (), b"a" * 5_000_000)).status == 413
    assert len(public.events) == 1


def test_a_function_that_fails_is_a_500_without_details() -> None:
    response = gateway(FailingFunction())(HttpRequest("GET", "/"))
    assert (response.status, response.body) == (500, b'{"message": "Internal Server Error"}')


def test_only_a_busy_function_causes_retry_after() -> None:
    """The gateway sends Retry-After only if a function is busy.

    If a function is too slow, API Gateway does not send this header, so clients must not depend on
    it.
    """
    busy, slow = BusyFunction(), FailingFunction("Sandbox.Timedout")
    assert dict(gateway(busy)(HttpRequest("GET", "/")).headers)["retry-after"] == "2"
    assert "retry-after" not in dict(gateway(slow)(HttpRequest("GET", "/")).headers)
    closing = gateway(busy)
    closing.close()
    assert dict(closing(HttpRequest("GET", "/")).headers)["retry-after"] == "2"


def test_64_requests_that_each_invoke_through_the_same_server_do_not_deadlock() -> None:
    # Each outer call occupies a thread while its inner call waits. The inner calls wait until all
    # 64 are running.
    together = threading.Barrier(MANY, timeout=120)

    def inner(event: Any) -> Any:
        together.wait()
        return event

    def outer(event: Any) -> Any:
        url = f"{base_url}/2015-03-31/functions/inner/invocations"
        return answer({"rawPath": client.post(url, json=event["rawPath"]).json()})

    app = gateway(FakeFunction(outer), inner=FakeFunction(inner))
    limits = httpx.Limits(max_connections=2 * MANY)
    with (
        serving(app) as server,
        ThreadPoolExecutor(MANY) as pool,
        httpx.Client(limits=limits, timeout=120) as client,
    ):
        base_url = url_of(server)
        paths = [f"/{number}" for number in range(MANY)]
        bodies = list(pool.map(lambda path: client.get(base_url + path).text, paths))
    assert bodies == paths
