"""Finds the repository's OpenAPI documents, and the documents generated from them."""

import atexit
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.openapi_variants import GUESTS, write


def document_file(name: str) -> Path:
    """Return the path of an OpenAPI document. A document that is not committed is generated."""
    return GUESTS if name == GUESTS.name else _variants_folder() / name


@cache
def _variants_folder() -> Path:
    folder = TemporaryDirectory(prefix="openapi-")
    atexit.register(folder.cleanup)
    write(Path(folder.name))
    return Path(folder.name)
