"""An HTTP client for servers on this machine."""

from typing import Any

import httpx

# The timeout only ends tests that hang. It is long, because a busy machine may be slow to answer.
TIMEOUT_SECONDS = 120


def plain_client(url: str = "", **options: Any) -> httpx.Client:
    """Return a client for plain HTTP. It does not load the certificate authorities, which would
    take 16 ms.
    """
    return httpx.Client(
        base_url=url, trust_env=False, verify=False, timeout=TIMEOUT_SECONDS, **options
    )
