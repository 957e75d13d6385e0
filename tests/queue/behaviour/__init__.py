"""A test suite for the private function. tests/queue runs it on every kind of Redis."""

import importlib
import pkgutil
from collections.abc import Callable


def suite(*modules: str) -> dict[str, Callable[..., None]]:
    """Return the tests of the given modules, or of all modules if none is given."""
    tests: dict[str, Callable[..., None]] = {}
    for module in modules or [found.name for found in pkgutil.iter_modules(__path__)]:
        for name, value in vars(importlib.import_module(f"{__name__}.{module}")).items():
            if name.startswith("test_"):
                assert name not in tests, f"two tests are called {name}"
                tests[name] = value
    return tests
