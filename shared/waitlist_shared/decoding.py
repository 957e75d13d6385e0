"""Types that several threads may decode."""

from typing import Any

from msgspec.json import Decoder


def warm_decoders(*types: Any) -> None:
    """Let msgspec look up the fields of these types now, in the thread that imports their module.

    It would do so at the first decoding, and crash the process if two threads meet there.
    """
    for one in types:
        Decoder(one)
