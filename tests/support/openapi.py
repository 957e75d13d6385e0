"""Reads the OpenAPI document that a deployment serves at /docs, and the OpenAPI documents in the
repository.
"""

import atexit
import json
import warnings
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.support.world import World
from tools.openapi_variants import GUESTS, write


def document_of(world: World) -> Any:
    with warnings.catch_warnings():
        # Powertools does not close the files that it reads for its documentation page, which causes
        # this warning.
        warnings.simplefilter("ignore", ResourceWarning)
        answer = world.request("GET", "/docs", query="format=json")
    assert answer.status == 200
    return json.loads(answer.text)


def document_file(name: str) -> Path:
    """Return the path of an OpenAPI document. A document that is not committed is generated."""
    return GUESTS if name == GUESTS.name else _variants_folder() / name


@cache
def _variants_folder() -> Path:
    folder = TemporaryDirectory(prefix="openapi-")
    atexit.register(folder.cleanup)
    write(Path(folder.name))
    return Path(folder.name)
