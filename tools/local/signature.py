"""Checks a request's signature (AWS Signature Version 4) as API Gateway's IAM authorizer does."""

import hmac
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from http.client import HTTPMessage
from urllib.parse import quote, unquote, urlsplit

from botocore.auth import SIGV4_TIMESTAMP, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tools.local.aws import ACCESS_KEY, REGION, SECRET_KEY
from tools.local.http_message import HttpRequest

SERVICE = "execute-api"
MAX_CLOCK_SKEW = timedelta(minutes=5)
ALGORITHM = "AWS4-HMAC-SHA256"
ALWAYS_SIGNED = frozenset({"host", "x-amz-date"})

_AUTHORIZATION = re.compile(
    rf"{ALGORITHM} +Credential=(?P<credential>[^, ]+), *"
    r"SignedHeaders=(?P<signed_headers>[^, ]+), *Signature=(?P<signature>[0-9a-f]{64})"
)


class SignatureError(Exception):
    """A request's signature is invalid. The message says why."""


@dataclass(frozen=True)
class _Claim:
    access_key: str
    scope: str
    signed_headers: tuple[str, ...]
    signature: str


def verified_access_key(request: HttpRequest, now: datetime) -> str | None:
    """Return None if the request is not signed. Raise SignatureError if the signature is not valid
    at `now` (UTC).
    """
    authorization = request.header("authorization") or ""
    if not authorization.startswith(ALGORITHM):
        return None
    claim = _parse(authorization)
    if claim.access_key != ACCESS_KEY:
        raise SignatureError("The access key is unknown.")
    timestamp = _timestamp(request, now)
    if claim.scope != f"{timestamp[:8]}/{REGION}/{SERVICE}/aws4_request":
        raise SignatureError(f"The credential must be scoped to {REGION} and {SERVICE}.")
    _check_body(request)
    expected = (_signature(auth, request, claim, timestamp) for auth in _READINGS)
    if not any(hmac.compare_digest(signature, claim.signature) for signature in expected):
        raise SignatureError("The signature does not match the request.")
    return claim.access_key


def _parse(authorization: str) -> _Claim:
    found = _AUTHORIZATION.fullmatch(authorization.strip())
    if not found:
        raise SignatureError("The Authorization header is not a complete signature.")
    access_key, _, scope = found["credential"].partition("/")
    signed_headers = tuple(found["signed_headers"].split(";"))
    if missing := ALWAYS_SIGNED - set(signed_headers):
        raise SignatureError(f"The signature must cover {', '.join(sorted(missing))}.")
    return _Claim(access_key, scope, signed_headers, found["signature"])


def _timestamp(request: HttpRequest, now: datetime) -> str:
    timestamp = request.header("x-amz-date") or ""
    try:
        signed_at = datetime.strptime(timestamp, SIGV4_TIMESTAMP).replace(tzinfo=UTC)
    except ValueError:
        raise SignatureError("X-Amz-Date is missing or not a date.") from None
    if abs(now - signed_at) > MAX_CLOCK_SKEW:
        raise SignatureError("The signature is too old, or the clocks differ by over 5 minutes.")
    return timestamp


def _check_body(request: HttpRequest) -> None:
    # The signature covers the X-Amz-Content-SHA256 header, but not the body, so this header must
    # contain the body's hash.
    stated = request.header("x-amz-content-sha256")
    if stated is not None and stated != sha256(request.body).hexdigest():
        raise SignatureError("X-Amz-Content-SHA256 is not the hash of the body.")


class _RecomputingAuth(SigV4Auth):
    """Computes a signature over the headers that the client has signed.

    The path and query can be encoded in two ways.
    """

    def __init__(self, path: Callable[[str], str], query: Callable[[str], str]) -> None:
        super().__init__(Credentials(ACCESS_KEY, SECRET_KEY), SERVICE, REGION)
        self._path = path
        self._query = query

    def headers_to_sign(self, request: AWSRequest) -> HTTPMessage:
        headers = HTTPMessage()
        for name, value in request.headers.items():
            headers[name.lower()] = value
        return headers

    def _normalize_url_path(self, path: str) -> str:
        return self._path(path)

    def canonical_query_string(self, request: AWSRequest) -> str:
        return self._query(str(urlsplit(request.url).query))


def _as_sent(part: str) -> str:
    return part


def _encoded_again(path: str) -> str:
    return quote(path, safe="/~")


def _encoded_and_sorted(query: str) -> str:
    pairs = (pair.partition("=") for pair in query.split("&") if pair)
    encoded = sorted((_encoded(name), _encoded(value)) for name, _, value in pairs)
    return "&".join(f"{name}={value}" for name, value in encoded)


def _encoded(part: str) -> str:
    return quote(unquote(part), safe="-_.~")


# AWS's clients encode the path twice and sort the query before they sign a request. Before version
# 8.3, curl signed the path and query as it sent them.
_READINGS = [
    _RecomputingAuth(_encoded_again, _encoded_and_sorted),
    _RecomputingAuth(_as_sent, _as_sent),
]


def _signature(auth: SigV4Auth, request: HttpRequest, claim: _Claim, timestamp: str) -> str:
    aws_request = AWSRequest(
        method=request.method,
        url=f"http://{request.header('host')}{request.target}",
        data=request.body,
        headers={name: request.header(name) or "" for name in claim.signed_headers},
    )
    aws_request.context["timestamp"] = timestamp
    canonical_request = auth.canonical_request(aws_request)
    return auth.signature(auth.string_to_sign(aws_request, canonical_request), aws_request)
