"""Compute digests of idempotency keys. These digests identify repeated requests."""

import hashlib


def once_key_of(by: str, idempotency_key: str) -> str:
    """Return the digest of an idempotency key.

    The digest includes the caller, so two callers can use the same key for different requests.
    """
    return hashlib.sha256(f"{by}\0{idempotency_key}".encode()).hexdigest()[:32]
