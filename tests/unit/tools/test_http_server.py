import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.support.plain_http import TIMEOUT_SECONDS, plain_client
from tests.unit.tools.fakes import serving, url_of
from tools.local.http_message import HttpRequest, HttpResponse, json_response
from tools.local.http_server import MAX_BODY_BYTES, HttpServer, PortError


def echo(request: HttpRequest) -> HttpResponse:
    return HttpResponse(200, (("content-type", "text/plain"),), request.body)


def test_a_body_that_lambda_would_not_accept_is_refused() -> None:
    """P5"""
    with serving(echo) as server, plain_client(url_of(server)) as client:
        assert client.post("/", content=b"a" * MAX_BODY_BYTES).status_code == 200
        assert client.post("/", content=b"a" * (MAX_BODY_BYTES + 1)).status_code == 413
        chunks = iter([b"a" * MAX_BODY_BYTES, b"a"])
        assert client.post("/", content=chunks).status_code == 413


@pytest.mark.parametrize(("body", "length"), [(b"", None), (b"left out", "8")])
def test_the_length_in_a_response_to_head_is_never_that_of_the_missing_body(
    body: bytes, length: str | None
) -> None:
    """In a response to HEAD, the length is that of the body that a GET request would get, or there
    is no length (RFC 9110, section 8.6).
    """
    answer = HttpResponse(200, (), body)
    with serving(lambda _: answer) as server, plain_client(url_of(server)) as client:
        for _ in range(2):
            head = client.head("/")
            assert (head.text, head.headers.get("content-length")) == ("", length)


def test_an_error_in_the_app_is_a_500_and_the_server_keeps_running() -> None:
    def fail(request: HttpRequest) -> HttpResponse:
        if request.path == "/broken":
            raise ValueError("broken")
        return echo(request)

    with serving(fail) as server, plain_client(url_of(server)) as client:
        assert client.get("/broken").status_code == 500
        assert client.get("/").status_code == 200


def test_the_server_is_idle_as_soon_as_the_response_is_sent() -> None:
    entered, leave = threading.Event(), threading.Event()

    def slow(_request: HttpRequest) -> HttpResponse:
        entered.set()
        leave.wait(30)
        return json_response(200, "done")

    with serving(slow) as server, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(httpx.get, url_of(server), timeout=TIMEOUT_SECONDS)
        assert entered.wait(30)
        assert not server.wait_until_idle(0)
        leave.set()
        assert server.wait_until_idle(30)
        assert answer.result().status_code == 200


def test_the_error_about_a_port_in_use_names_the_port() -> None:
    with serving(echo) as server, pytest.raises(PortError) as taken:
        HttpServer(server.port)
    assert (taken.value.port, taken.value.reason) == (server.port, "in use")
