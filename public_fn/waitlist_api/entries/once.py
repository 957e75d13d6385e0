"""Digests of idempotency keys. Redis and the record recognise repeated requests by them."""

import hashlib


def once_key_of(by: str, idempotency_key: str) -> str:
    """Return the digest of an idempotency key.

    The digest includes the caller, so the same key from two callers gives two different digests.
    """
    return hashlib.sha256(f"{by}\0{idempotency_key}".encode()).hexdigest()[:32]
