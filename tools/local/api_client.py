"""The command line's client, for programs that also act as customers."""

from collections.abc import Mapping
from typing import Any, Self

import httpx

from tools.local.operator import local_operator
from waitlist_cli.client.api import Api


class ApiClient:
    """Safe to use from `connections` threads at once. Every method raises CliError.

    Every request must be repeatable: it has a `key` (an Idempotency-Key), or the same effect twice.
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
            # Plain http has no certificate: without the authorities, a client is made 16 ms sooner.
            verify=base_url.startswith("https:"),
        )
        self._operator = operator or local_operator()
        self._api = Api(self._http, lambda: self._operator)

    def customer(
        self, method: str, path: str, token: str = "", *, json: object = None, key: str = ""
    ) -> Any:
        """Return the JSON answer or None; `token` is an entry token."""
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
        """Return the JSON answer to a signed request, or None."""
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
