"""Prepares msgspec types so that several threads can decode them safely."""

from typing import Any

from msgspec.json import Decoder


def warm_decoders(*types: Any) -> None:
    """Make msgspec resolve the fields of these types now, while only one thread is running.

    By default, msgspec does this when a type is decoded for the first time. The process crashes if
    two threads do this at the same time.
    """
    for decoded_type in types:
        Decoder(decoded_type)
