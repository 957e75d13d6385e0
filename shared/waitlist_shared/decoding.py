"""Prepares msgspec types, so that several threads can decode them safely."""

from typing import Any

from msgspec.json import Decoder


def warm_decoders(*types: Any) -> None:
    """Make msgspec resolve the fields of these types now, while a single thread imports the module.

    Otherwise msgspec would resolve the fields at the first decoding. If two threads reach that
    point at the same time, the process crashes.
    """
    for decoded_type in types:
        Decoder(decoded_type)
