"""Replaces random values, such as tokens and pauses, with values that are the same in every run."""

import os
import threading
from hashlib import blake2b
from typing import Any

MAIN = "main"


class _Source(threading.local):
    """A thread's random values: the seed they are computed from, and how many have been used."""

    name: str = MAIN
    drawn: int = 0


SOURCE = _Source()


class Chances:
    """Replaces the modules `secrets`, `random` and `os` inside the service."""

    def token_hex(self, size: int) -> str:
        return self.urandom(size).hex()

    def urandom(self, size: int) -> bytes:
        SOURCE.drawn += 1
        seed = f"{SOURCE.name} {SOURCE.drawn}".encode()
        return b"".join(
            blake2b(seed, salt=bytes([part]), digest_size=32).digest()
            for part in range(size // 32 + 1)
        )[:size]

    def uniform(self, low: float, high: float) -> float:
        return (low + high) / 2

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)
