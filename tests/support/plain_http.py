"""An HTTP client for servers on this machine."""

from typing import Any

import httpx

# The timeout only ends a test that hangs. A busy machine may take long to answer.
TIMEOUT_SECONDS = 120


def plain_client(url: str = "", **options: Any) -> httpx.Client:
    """Return a client for plain HTTP. Loading the certificate authorities would take 16 ms, so the
    client does not load them.
    """
    return httpx.Client(
        base_url=url, trust_env=False, verify=False, timeout=TIMEOUT_SECONDS, **options
    )
