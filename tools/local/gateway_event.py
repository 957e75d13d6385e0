"""Turns an HTTP request into an API Gateway event (payload format 2.0)."""

import base64
from datetime import datetime
from typing import Any
from urllib.parse import unquote_plus

from tools.local.aws import ACCOUNT_ID
from tools.local.http_message import HttpRequest
from tools.local.routes import RouteMatch

API_ID = "local"
TEXT_TYPES = ("text/", "application/json", "application/javascript", "application/xml")


def gateway_event(
    request: HttpRequest,
    route: RouteMatch,
    *,
    request_id: str,
    now: datetime,
    authorizer: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """`authorizer` describes the caller, and `now` is in UTC.

    As in API Gateway, optional fields without a value are left out.
    """
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": route.route_key,
        # API Gateway decodes the path for HTTP APIs, but not for REST APIs and function URLs.
        "rawPath": request.path,
        "rawQueryString": request.query,
        "headers": _headers(request),
        "requestContext": _context(request, route, request_id, now, authorizer),
        "isBase64Encoded": False,
    }
    return event | _optional_fields(request, route)


def _optional_fields(request: HttpRequest, route: RouteMatch) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if cookies := request.header("cookie"):
        fields["cookies"] = [cookie.strip() for cookie in cookies.split(";") if cookie.strip()]
    if request.query:
        fields["queryStringParameters"] = _query_parameters(request.query)
    if route.path_parameters:
        fields["pathParameters"] = route.path_parameters
    if request.body:
        fields |= _body(request)
    return fields


def _context(
    request: HttpRequest,
    route: RouteMatch,
    request_id: str,
    now: datetime,
    authorizer: dict[str, Any] | None,
) -> dict[str, Any]:
    host = request.header("host") or ""
    context: dict[str, Any] = {
        "accountId": ACCOUNT_ID,
        "apiId": API_ID,
        "domainName": host.partition(":")[0],
        "domainPrefix": host.partition(":")[0].partition(".")[0],
        "http": {
            "method": request.method,
            "path": request.path,
            "protocol": request.protocol,
            "sourceIp": request.source_ip,
            "userAgent": request.header("user-agent") or "",
        },
        "requestId": request_id,
        "routeKey": route.route_key,
        "stage": "$default",
        "time": now.strftime("%d/%b/%Y:%H:%M:%S +0000"),
        "timeEpoch": int(now.timestamp() * 1000),
    }
    if authorizer is not None:
        context["authorizer"] = authorizer
    return context


def _headers(request: HttpRequest) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name, value in request.headers:
        key = name.lower()
        # Payload format 2.0 has a separate field for cookies.
        if key != "cookie":
            joined[key] = f"{joined[key]},{value}" if key in joined else value
    joined.setdefault("content-length", str(len(request.body)))
    joined.setdefault("x-forwarded-for", request.source_ip)
    joined.setdefault("x-forwarded-port", joined.get("host", "").partition(":")[2] or "80")
    joined.setdefault("x-forwarded-proto", "http")
    return joined


def _query_parameters(query: str) -> dict[str, str]:
    joined: dict[str, str] = {}
    for pair in filter(None, query.split("&")):
        name, _, value = pair.partition("=")
        key, value = unquote_plus(name), unquote_plus(value)
        joined[key] = f"{joined[key]},{value}" if key in joined else value
    return joined


def _body(request: HttpRequest) -> dict[str, Any]:
    if _is_text(request.header("content-type") or ""):
        try:
            return {"body": request.body.decode("utf-8"), "isBase64Encoded": False}
        except UnicodeDecodeError:
            pass
    return {"body": base64.b64encode(request.body).decode("ascii"), "isBase64Encoded": True}


def _is_text(content_type: str) -> bool:
    media_type = content_type.partition(";")[0].strip().lower()
    return media_type.startswith(TEXT_TYPES) or media_type.endswith(("+json", "+xml"))


def iam_caller(access_key: str) -> dict[str, Any]:
    user_id = "AIDALOCALOPERATOR0000"
    return {
        "accessKey": access_key,
        "accountId": ACCOUNT_ID,
        "callerId": user_id,
        "cognitoIdentity": None,
        "principalOrgId": "aws:PrincipalOrgID",
        "userArn": f"arn:aws:iam::{ACCOUNT_ID}:user/{access_key}",
        "userId": user_id,
    }
