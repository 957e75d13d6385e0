"""Digests of idempotency keys, which identify repeated requests in Redis and in the record."""

import hashlib


def once_key_of(by: str, idempotency_key: str) -> str:
    """Return the digest of an idempotency key.

    The digest includes the caller. If two callers use the same key, their digests differ.
    """
    return hashlib.sha256(f"{by}\0{idempotency_key}".encode()).hexdigest()[:32]
