"""Prepares msgspec types so that several threads can decode them safely."""

from typing import Any

from msgspec.json import Decoder


def warm_decoders(*types: Any) -> None:
    """Make msgspec resolve these types' fields now, while only one thread is running.

    By default, msgspec does this when a type is decoded for the first time, and the process crashes
    if two threads do it at the same time.
    """
    for decoded_type in types:
        Decoder(decoded_type)
