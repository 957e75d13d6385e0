import base64
from datetime import UTC, datetime
from typing import Any

from tools.local.gateway_event import gateway_event
from tools.local.http_message import HttpRequest
from tools.local.routes import RouteMatch

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
JSON = ("Content-Type", "application/json")


def event_of(request: HttpRequest, **more: Any) -> dict[str, Any]:
    return gateway_event(request, RouteMatch("$default", {}), request_id="r1", now=NOW, **more)


def test_a_whole_event_has_the_shape_of_payload_format_2() -> None:
    request = HttpRequest(
        "POST",
        "/v1/waitlists/bakery/entries?a=1&b=x%20y",
        (("Host", "127.0.0.1:8080"), ("User-Agent", "curl/8"), JSON, ("Content-Length", "2")),
        b"{}",
    )
    route = RouteMatch("POST /v1/waitlists/{waitlist_id}/entries", {"waitlist_id": "bakery"})
    assert gateway_event(request, route, request_id="r1", now=NOW) == {
        "version": "2.0",
        "routeKey": "POST /v1/waitlists/{waitlist_id}/entries",
        "rawPath": "/v1/waitlists/bakery/entries",
        "rawQueryString": "a=1&b=x%20y",
        "headers": {
            "host": "127.0.0.1:8080",
            "user-agent": "curl/8",
            "content-type": "application/json",
            "content-length": "2",
            "x-forwarded-for": "127.0.0.1",
            "x-forwarded-port": "8080",
            "x-forwarded-proto": "http",
        },
        "queryStringParameters": {"a": "1", "b": "x y"},
        "pathParameters": {"waitlist_id": "bakery"},
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "local",
            "domainName": "127.0.0.1",
            "domainPrefix": "127",
            "http": {
                "method": "POST",
                "path": "/v1/waitlists/bakery/entries",
                "protocol": "HTTP/1.1",
                "sourceIp": "127.0.0.1",
                "userAgent": "curl/8",
            },
            "requestId": "r1",
            "routeKey": "POST /v1/waitlists/{waitlist_id}/entries",
            "stage": "$default",
            "time": "21/Nov/2026:09:30:00 +0000",
            "timeEpoch": 1795253400000,
        },
        "body": "{}",
        "isBase64Encoded": False,
    }


def test_missing_parts_of_a_request_are_left_out_of_the_event() -> None:
    event = event_of(HttpRequest("GET", "/v1/health"))
    assert not event.keys() & {"body", "cookies", "queryStringParameters", "pathParameters"}
    assert event["isBase64Encoded"] is False
    assert "authorizer" not in event["requestContext"]


def test_the_path_is_decoded_and_the_query_string_is_not() -> None:
    event = event_of(HttpRequest("GET", "/v1/waitlists/caf%C3%A9?q=%C3%A9"))
    assert event["rawPath"] == "/v1/waitlists/café"
    assert event["requestContext"]["http"]["path"] == "/v1/waitlists/café"
    assert event["rawQueryString"] == "q=%C3%A9"
    assert event["queryStringParameters"] == {"q": "é"}


def test_repeated_headers_and_parameters_are_joined_by_commas() -> None:
    event = event_of(HttpRequest("GET", "/x?s=a&s=b&flag", (("X-One", "1"), ("x-one", "2"))))
    assert event["headers"]["x-one"] == "1,2"
    assert event["queryStringParameters"] == {"s": "a,b", "flag": ""}


def test_a_form_and_a_body_without_a_type_are_base64() -> None:
    form = ("content-type", "application/x-www-form-urlencoded")
    for headers in ((form,), ()):
        event = event_of(HttpRequest("POST", "/x", headers, b"a=b"))
        assert (base64.b64decode(event["body"]), event["isBase64Encoded"]) == (b"a=b", True)


def test_json_that_is_not_utf_8_is_base64() -> None:
    event = event_of(HttpRequest("POST", "/x", (JSON,), b'"\xff"'))
    assert (base64.b64decode(event["body"]), event["isBase64Encoded"]) == (b'"\xff"', True)
