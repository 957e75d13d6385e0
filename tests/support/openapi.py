"""The OpenAPI document that a deployment serves at /docs."""

import json
import warnings
from typing import Any

from tests.support.world import World


def document_of(world: World) -> Any:
    """Return the document as JSON."""
    with warnings.catch_warnings():
        # Powertools does not close the files that it reads for its page.
        warnings.simplefilter("ignore", ResourceWarning)
        answer = world.request("GET", "/docs", query="format=json")
    assert answer.status == 200
    return json.loads(answer.text)
