import base64
from typing import Any

import pytest

from tools.local.gateway_response import gateway_response
from tools.local.http_message import HttpResponse


def test_status_headers_and_body_pass_through() -> None:
    answer = {"statusCode": 201, "headers": {"Content-Type": "text/html"}, "body": "é"}
    expected = HttpResponse(201, (("content-type", "text/html"),), "é".encode())
    assert gateway_response(answer) == expected


def test_each_cookie_is_sent_in_its_own_header() -> None:
    answer = {"statusCode": 204, "cookies": ["a=1", "b=2"]}
    assert gateway_response(answer).headers == (("set-cookie", "a=1"), ("set-cookie", "b=2"))


def test_a_base64_body_is_decoded() -> None:
    body = base64.b64encode(b"\x00\xff").decode()
    answer = {"statusCode": 200, "body": body, "isBase64Encoded": True}
    assert gateway_response(answer).body == b"\x00\xff"


@pytest.mark.parametrize(
    "answer",
    [
        {"statusCode": "many"},
        {"statusCode": 200, "body": "not base64!", "isBase64Encoded": True},
        {"statusCode": 200, "headers": {"x": "a\r\nset-cookie: b"}},
        {"statusCode": 200, "headers": {"x": "☃"}},
        {"statusCode": 200, "headers": "none"},
        {"statusCode": 7},
    ],
)
def test_an_invalid_answer_of_the_function_is_a_500(answer: dict[str, Any]) -> None:
    response = gateway_response(answer)
    assert (response.status, response.body) == (500, b'{"message": "Internal Server Error"}')
