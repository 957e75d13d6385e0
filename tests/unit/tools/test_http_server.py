import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection

import httpx
import pytest

from tests.unit.tools.fakes import serving, url_of
from tools.local.http_message import HttpRequest, HttpResponse, json_response
from tools.local.http_server import MAX_BODY_BYTES, HttpServer, PortError

MANY = 64


def echo(request: HttpRequest) -> HttpResponse:
    return HttpResponse(200, (("content-type", "text/plain"),), request.body)


def test_64_slow_requests_are_served_at_once() -> None:
    # Each request ends only when all 64 are being served.
    together = threading.Barrier(MANY, timeout=30)

    def slow(_request: HttpRequest) -> HttpResponse:
        together.wait()
        return json_response(200, "done")

    with (
        serving(slow) as server,
        ThreadPoolExecutor(MANY) as pool,
        httpx.Client(base_url=url_of(server), timeout=60) as client,
    ):
        statuses = list(pool.map(lambda _: client.get("/").status_code, range(MANY)))
    assert statuses == [200] * MANY


def test_a_connection_serves_many_requests() -> None:
    with serving(echo) as server:
        connection = HTTPConnection("127.0.0.1", server.port, timeout=5)
        addresses = set()
        for body in (b"one", b"", b"three"):
            connection.request("POST", "/", body)
            response = connection.getresponse()
            assert (response.status, response.read()) == (200, body)
            assert connection.sock is not None
            addresses.add(connection.sock.getsockname())
        connection.close()
    assert len(addresses) == 1


def test_a_chunked_body_is_put_together() -> None:
    with serving(echo) as server:
        response = httpx.post(url_of(server), content=iter([b"a" * 70_000, b"b"]))
    assert response.content == b"a" * 70_000 + b"b"


def test_a_body_that_lambda_would_not_take_is_refused() -> None:
    """P5"""
    with serving(echo) as server, httpx.Client(base_url=url_of(server)) as client:
        assert client.post("/", content=b"a" * MAX_BODY_BYTES).status_code == 200
        assert client.post("/", content=b"a" * (MAX_BODY_BYTES + 1)).status_code == 413
        chunks = iter([b"a" * MAX_BODY_BYTES, b"a"])
        assert client.post("/", content=chunks).status_code == 413


@pytest.mark.parametrize("length", ["-1", "1e3", "+5", "x"])
def test_a_length_that_is_no_number_is_refused(length: str) -> None:
    """P5"""
    with serving(echo) as server, socket.create_connection(("127.0.0.1", server.port)) as sock:
        sock.sendall(f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n".encode())
        sock.shutdown(socket.SHUT_WR)
        assert sock.recv(100).startswith(b"HTTP/1.1 400 ")


def test_head_and_no_content_carry_no_body() -> None:
    with serving(lambda _: HttpResponse(200, (), b"body")) as server:
        assert httpx.head(url_of(server)).headers["content-length"] == "4"
    with serving(lambda _: HttpResponse(204)) as server:
        assert "content-length" not in httpx.delete(url_of(server)).headers


def test_an_error_in_the_app_is_a_500_and_the_server_goes_on() -> None:
    def fail(request: HttpRequest) -> HttpResponse:
        if request.path == "/broken":
            raise ValueError("broken")
        return echo(request)

    with serving(fail) as server, httpx.Client(base_url=url_of(server)) as client:
        assert client.get("/broken").status_code == 500
        assert client.get("/").status_code == 200


def test_waiting_for_idle_waits_for_the_answer_and_no_longer() -> None:
    entered, leave = threading.Event(), threading.Event()

    def slow(_request: HttpRequest) -> HttpResponse:
        entered.set()
        leave.wait(30)
        return json_response(200, "done")

    with serving(slow) as server, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(httpx.get, url_of(server))
        assert entered.wait(30)
        assert not server.wait_until_idle(0)
        leave.set()
        assert server.wait_until_idle(30)
        assert answer.result().status_code == 200


def test_a_taken_port_is_named() -> None:
    with serving(echo) as server, pytest.raises(PortError) as taken:
        HttpServer(server.port)
    assert (taken.value.port, taken.value.reason) == (server.port, "in use")
