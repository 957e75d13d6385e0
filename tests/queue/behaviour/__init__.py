"""A test suite for the private function. tests/queue runs the same suite on every kind of Redis."""

import importlib
import pkgutil
from collections.abc import Callable


def suite() -> dict[str, Callable[..., None]]:
    tests: dict[str, Callable[..., None]] = {}
    for module in pkgutil.iter_modules(__path__, __name__ + "."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if name.startswith("test_"):
                assert name not in tests, f"two tests are called {name}"
                tests[name] = value
    return tests
