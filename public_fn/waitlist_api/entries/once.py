"""The digest of an idempotency key, by which Redis and the record recognise a repeat."""

import hashlib


def once_key_of(by: str, idempotency_key: str) -> str:
    """Return the digest of a caller's key: another caller's same key is another one."""
    return hashlib.sha256(f"{by}\0{idempotency_key}".encode()).hexdigest()[:32]
