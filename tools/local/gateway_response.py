"""Turns a function's answer (payload format 2.0) into an API Gateway response."""

import base64
import binascii
import json
from typing import Any

from tools.local.http_message import Headers, HttpResponse, json_response

# Headers that API Gateway sets itself. If a function returns one of them, API Gateway ignores it.
GATEWAY_HEADERS = frozenset({"connection", "content-length", "transfer-encoding", "keep-alive"})


def gateway_response(answer: Any) -> HttpResponse:
    """An answer without `statusCode` becomes the JSON body of a response with status 200.

    If API Gateway could not use the answer, the status is 500.
    """
    if not isinstance(answer, dict) or "statusCode" not in answer:
        return json_response(200, answer)
    try:
        return HttpResponse(_status(answer), _headers(answer), _body(answer))
    except (TypeError, ValueError, AttributeError, binascii.Error):
        return internal_server_error()


def internal_server_error() -> HttpResponse:
    return json_response(500, {"message": "Internal Server Error"})


def too_large() -> HttpResponse:
    return json_response(413, {"message": "Request Entity Too Large"})


def service_unavailable(retry_after_seconds: int | None = None) -> HttpResponse:
    """Return the response that API Gateway sends if a function is not available.

    API Gateway sends no Retry-After, but the local service adds this header if a time is given.
    """
    headers: Headers = ()
    if retry_after_seconds is not None:
        headers = (("retry-after", str(retry_after_seconds)),)
    return json_response(503, {"message": "Service Unavailable"}, headers)


def _status(answer: dict[str, Any]) -> int:
    status = int(answer["statusCode"])
    if not 200 <= status <= 599:
        raise ValueError("a final status must be between 200 and 599")
    return status


def _headers(answer: dict[str, Any]) -> Headers:
    headers = [
        (name.lower(), _header_value(value))
        for name, value in (answer.get("headers") or {}).items()
        if name.lower() not in GATEWAY_HEADERS
    ]
    if answer.get("body") and not any(name == "content-type" for name, _ in headers):
        headers.append(("content-type", "text/plain;charset=UTF-8"))
    headers += [("set-cookie", _header_value(cookie)) for cookie in answer.get("cookies") or ()]
    return tuple(headers)


def _header_value(value: Any) -> str:
    text = str(value)
    if "\r" in text or "\n" in text:
        raise ValueError("the value of a header must be a single line")
    text.encode("latin-1")
    return text


def _body(answer: dict[str, Any]) -> bytes:
    body = answer.get("body")
    if body is None:
        return b""
    if not isinstance(body, str):
        return json.dumps(body).encode()
    return base64.b64decode(body, validate=True) if answer.get("isBase64Encoded") else body.encode()
