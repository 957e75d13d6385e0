"""Checks bot-check tokens over HTTPS, with one connection per process and a time limit of 2
seconds.
"""

import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

import msgspec
import urllib3
from urllib3.exceptions import HTTPError, ProtocolError

from waitlist_api.aws.deadline import Deadline

ASK_SECONDS = 2.0
MAX_ANSWER_BYTES = 16_384
FORM = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}


class SiteVerify:
    """Calls the provider's `siteverify` endpoint.

    Each process has one instance, which handles one request at a time.
    """

    def __init__(self, url: str, deadline: Deadline) -> None:
        self._url = url
        self._deadline = deadline

    def ask(self, fields: Mapping[str, str]) -> Any:
        """Return the parsed answer, or None if no valid JSON arrives within the time limit."""
        end = time.monotonic() + min(ASK_SECONDS, self._deadline.left())
        body = urlencode(fields)
        try:
            return self._post(body, end)
        except ProtocolError:
            # The provider closed the idle connection before it answered, so send the request again.
            return _or_none(lambda: self._post(body, end))
        except HTTPError:
            return None

    def _post(self, body: str, end: float) -> Any:
        left = end - time.monotonic()
        if left <= 0:
            return None
        response = self._pool.request(
            "POST",
            self._url,
            body=body,
            headers=FORM,
            timeout=urllib3.Timeout(total=left),
            retries=False,
            redirect=False,
            preload_content=False,
        )
        try:
            return _parsed(response.read(MAX_ANSWER_BYTES))
        finally:
            response.release_conn()

    @cached_property
    def _pool(self) -> urllib3.PoolManager:
        return urllib3.PoolManager(num_pools=1, maxsize=1)


def _or_none(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except HTTPError:
        return None


def _parsed(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
