"""Prepares msgspec types so that several threads can decode them safely."""

from typing import Any

from msgspec.json import Decoder


def warm_decoders(*types: Any) -> None:
    """Make msgspec resolve the fields of these types now, while only one thread is running.

    Otherwise msgspec resolves the fields when a type is decoded for the first time. If two threads
    do this at the same time, the process crashes.
    """
    for decoded_type in types:
        Decoder(decoded_type)
