"""An API client for programs that act as the operator and as customers.

The client uses the API client of the command line.
"""

from collections.abc import Mapping
from typing import Any, Self

import httpx

from tools.local.operator import local_operator
from waitlist_cli.client.api import Api


class ApiClient:
    """An API client that `connections` threads may use at the same time. If a request fails, its
    method raises CliError.

    The client retries failed requests. Each request must therefore be safe to repeat, either
    because it has a `key` (an Idempotency-Key) or because repeating it changes nothing.
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
            # Plain HTTP has no certificates. If the certificate authorities are not loaded,
            # creating the client takes 16 ms less.
            verify=base_url.startswith("https:"),
        )
        self._operator = operator or local_operator()
        self._api = Api(self._http, lambda: self._operator)

    def customer(
        self, method: str, path: str, token: str = "", *, json: object = None, key: str = ""
    ) -> Any:
        """Send a customer's request. Return the JSON of the response, or None if the response has
        no body.

        `token` is an entry token.
        """
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
        """Send a request that the operator has signed.

        Return the JSON of the response, or None if the response has no body.
        """
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
