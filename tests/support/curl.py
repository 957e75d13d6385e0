"""A stand-in for curl, so that `make test` works without curl.

`make test-curl` uses the real curl. The stand-in knows only the options that the documents and the
output of `make run` use, and raises ValueError for any other option.
"""

from collections.abc import Sequence

import httpx

from tests.e2e.callers import send_patiently
from tests.support.plain_http import plain_client
from tools.local.operator import local_operator


def send(words: Sequence[str]) -> httpx.Response:
    method, url, body, auth = "", "", None, None
    headers: dict[str, str] = {}
    left = iter(words)
    for word in left:
        match word:
            case "-X":
                method = next(left)
            case "-H":
                name, _, value = next(left).partition(": ")
                headers[name] = value
            case "-d":
                method, body = method or "POST", next(left).encode()
                headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
            case "--aws-sigv4":
                _expect("aws:amz:us-east-1:execute-api", next(left))
                auth = local_operator()
            case "--user":
                _expect("local:local", next(left))
            case _ if word.startswith("http://"):
                url = word
            case _:
                raise ValueError(f"curl {word}: tests/support/curl.py does not know this option")
    with plain_client() as http:
        # On a busy machine, the service may refuse a request temporarily.
        return send_patiently(
            lambda: http.request(method or "GET", url, content=body, headers=headers, auth=auth)
        )


def _expect(expected: str, found: str) -> None:
    if found != expected:
        raise ValueError(f"{found}: the operator of the local run signs with {expected}")
