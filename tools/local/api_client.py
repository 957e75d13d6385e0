"""An API client for programs that act as an operator and as customers, built on the command line's
API client.
"""

from collections.abc import Mapping
from typing import Any, Self

import httpx

from tools.local.operator import local_operator
from waitlist_cli.client.api import Api


class ApiClient:
    """An API client for up to `connections` threads.

    It raises CliError if a request fails. Because it repeats failed requests, each request must
    have a `key` (an Idempotency-Key) or have the same effect when it is sent twice.
    """

    def __init__(
        self,
        base_url: str,
        connections: int = 1,
        transport: httpx.BaseTransport | None = None,
        operator: httpx.Auth | None = None,
    ) -> None:
        self._http = httpx.Client(
            base_url=base_url,
            limits=httpx.Limits(max_connections=connections),
            transport=transport,
            trust_env=False,
            # Plain HTTP needs no certificate authorities. The client is created 16 ms faster if it
            # does not load them.
            verify=base_url.startswith("https:"),
        )
        self._operator = operator or local_operator()
        self._api = Api(self._http, lambda: self._operator)

    def customer(
        self, method: str, path: str, token: str = "", *, json: object = None, key: str = ""
    ) -> Any:
        authorized = {"Authorization": f"Bearer {token}"} if token else {}
        return self._api.call(method, path, json, headers=authorized | _once(key))

    def operator(
        self,
        method: str,
        path: str,
        *,
        json: object = None,
        params: Mapping[str, str | int] | None = None,
        key: str = "",
    ) -> Any:
        return self._api.call(
            method, path, json, auth=self._operator, headers=_once(key), params=params
        )

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def _once(key: str) -> dict[str, str]:
    return {"Idempotency-Key": key} if key else {}
