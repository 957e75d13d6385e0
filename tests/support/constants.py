"""Replaces constants in every module of the service that has imported them."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

PACKAGES = ("waitlist_api.", "waitlist_queue.", "waitlist_shared.")


@contextmanager
def replaced_constants(**values: Any) -> Iterator[None]:
    with ExitStack() as patches:
        for path, module in list(sys.modules.items()):
            for name, value in values.items():
                if path.startswith(PACKAGES) and hasattr(module, name):
                    patches.enter_context(patch.object(module, name, value))
        yield
