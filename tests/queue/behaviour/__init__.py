"""The behaviour suite of the private function. The test module of each engine collects all of its
tests.
"""

import importlib
import pkgutil
from collections.abc import Callable


def suite() -> dict[str, Callable[..., None]]:
    """Return every test of the suite by its name. Two tests with the same name are an error."""
    tests: dict[str, Callable[..., None]] = {}
    for module in pkgutil.iter_modules(__path__, __name__ + "."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if name.startswith("test_"):
                assert name not in tests, f"two tests are called {name}"
                tests[name] = value
    return tests
