"""Posts events to the operator's webhook. Requests go only to public IP addresses."""

import http.client
import re
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from waitlist_api.webhooks.addresses import (
    ForbiddenAddress,
    UnknownHost,
    is_loopback,
    is_public,
    resolve,
)

CONNECT_SECONDS = 5
# The time limit for one attempt to send a webhook, from connecting to reading the response.
ATTEMPT_SECONDS = 15
# If the response body is small, read it, so that the receiver can finish sending it.
MAX_BODY_BYTES = 4096
ASCII = re.compile("[!-~]+")
ASKS_FOR_A_PAUSE = (429, 503)
LONGEST_PAUSE_SECONDS = 24 * 3600

Outcome = Literal["sent", "refused", "timeout", "unreachable", "forbidden_address"]
Resolve = Callable[[str, int], list[str]]


class BadUrl(ValueError):
    """Raised when the webhook's URL is unusable. The message explains why."""


class Attempt(Struct, frozen=True):
    """The result of a POST request.

    `status` is 0 if there was no response. `pause_seconds` comes from the `Retry-After` header, in
    which the receiver asks us to wait.
    """

    outcome: Outcome
    status: int = 0
    pause_seconds: int = 0


class Receiver(Struct, frozen=True):
    """The operator's server to which webhooks are posted.

    If `only_loopback` is true, the server's URL must be on this machine and may use HTTP.
    """

    url: str
    only_loopback: bool = False
    resolve: Resolve = resolve
    attempt_seconds: float = ATTEMPT_SECONDS

    def __post_init__(self) -> None:
        _parts(self.url, ("http", "https") if self.only_loopback else ("https",))

    def post(self, body: bytes, headers: Mapping[str, str], now: datetime) -> Attempt:
        """Send a webhook and return the result. Failures do not raise exceptions."""
        try:
            address = self._address()
        except ForbiddenAddress:
            return Attempt("forbidden_address")
        except UnknownHost:
            return Attempt("unreachable")
        connection = _Connection(urlsplit(self.url), address)
        # Do not rely on a read timeout alone. A response that sends one byte per second can go on
        # for hours without triggering it.
        watch = threading.Timer(self.attempt_seconds, connection.abort)
        watch.daemon = True
        watch.start()
        try:
            return self._post(connection, body, headers, now)
        except TimeoutError:
            return Attempt("timeout")
        except (OSError, http.client.HTTPException):
            return Attempt("timeout" if connection.is_aborted else "unreachable")
        finally:
            watch.cancel()
            connection.close()

    def _address(self) -> str:
        """Return the IP address to connect to.

        Raise ForbiddenAddress if any of the host's addresses is forbidden.
        """
        parts = urlsplit(self.url)
        addresses = self.resolve(parts.hostname or "", _port(parts))
        is_allowed = is_loopback if self.only_loopback else is_public
        if not addresses:
            raise UnknownHost
        if not all(map(is_allowed, addresses)):
            raise ForbiddenAddress
        # Prefer IPv4, because Lambda functions have no outbound IPv6 by default.
        return next((address for address in addresses if ":" not in address), addresses[0])

    def _post(
        self, connection: "_Connection", body: bytes, headers: Mapping[str, str], now: datetime
    ) -> Attempt:
        parts = urlsplit(self.url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request(
            "POST",
            path,
            body,
            {"content-type": "application/json", "user-agent": "waitlist-webhooks", **headers},
        )
        answer = connection.getresponse()
        if connection.is_aborted:
            # If the connection is closed before the headers are complete, the HTTP client accepts
            # the truncated headers. The status may then be wrong, so count the attempt as failed.
            raise TimeoutError
        # The status is already known, so an error while reading the body does not matter.
        with suppress(OSError, http.client.HTTPException):
            answer.read(MAX_BODY_BYTES)
        if 200 <= answer.status < 300:
            return Attempt("sent", answer.status)
        pause = 0
        if answer.status in ASKS_FOR_A_PAUSE:
            pause = parse_retry_after(answer.getheader("retry-after", ""), now)
        return Attempt("refused", answer.status, pause)


def parse_retry_after(retry_after: str, now: datetime) -> int:
    """Return how many seconds a `Retry-After` header asks for, up to a day.

    Return 0 if the header is invalid.
    """
    text = retry_after.strip()
    if text.isascii() and text.isdecimal():
        # Parse only the first digits, because a malicious number could have thousands of digits.
        return min(int(text[:9]), LONGEST_PAUSE_SECONDS)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return 0
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0, min(int((moment - now).total_seconds()) + 1, LONGEST_PAUSE_SECONDS))


def _parts(url: str, schemes: tuple[str, ...]) -> SplitResult:
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in schemes and parts.hostname and _port(parts)
    except ValueError:
        is_usable = False
    if not is_usable or not ASCII.fullmatch(url) or parts.username or parts.fragment:
        raise BadUrl(
            f"a webhook's URL must be an ASCII URL that begins with {schemes[-1]}:// and has no"
            " user, password or fragment"
        )
    return parts


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


class _Connection(http.client.HTTPConnection):
    """A connection to a given IP address of the host.

    The connection does not query DNS again, so it goes to the address that was checked.
    """

    def __init__(self, parts: SplitResult, address: str) -> None:
        super().__init__(parts.hostname or "", _port(parts), timeout=CONNECT_SECONDS)
        self._parts = parts
        self._address = address
        self._lock = threading.Lock()
        self.is_aborted = False
        if parts.scheme == "https":
            # The HTTP client adds the port to the Host header unless it is the default port. The
            # default port for HTTPS is 443.
            self.default_port = 443

    def connect(self) -> None:
        raw = socket.create_connection((self._address, _port(self._parts)), CONNECT_SECONDS)
        raw.settimeout(ATTEMPT_SECONDS)
        if self._parts.scheme == "https":
            secured = _tls().wrap_socket(
                raw, server_hostname=self._parts.hostname, do_handshake_on_connect=False
            )
            self._watch(secured)
            secured.do_handshake()
        else:
            self._watch(raw)

    def _watch(self, made: socket.socket) -> None:
        with self._lock:
            self.sock = made
            if self.is_aborted:
                raise TimeoutError

    def abort(self) -> None:
        """Close the connection from another thread, so that a blocked read or write fails."""
        with self._lock:
            self.is_aborted = True
            made = self.sock
        if made is not None:
            with suppress(OSError):
                made.shutdown(socket.SHUT_RDWR)
