"""The behaviour suite of the private function. The test module of each backend collects all of its
tests.

fakeredis runs scripts in Python, so its module leaves out the tests with hundreds of people or
moves.
"""

import importlib
import pkgutil
from collections.abc import Callable


def suite(crowds: bool = True) -> dict[str, Callable[..., None]]:
    """Return every test of the suite by its name. Two tests with the same name are an error."""
    tests: dict[str, Callable[..., None]] = {}
    for module in pkgutil.iter_modules(__path__, __name__ + "."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if name.startswith("test_") and (crowds or not _is_crowd(value)):
                assert name not in tests, f"two tests are called {name}"
                tests[name] = value
    return tests


def _is_crowd(test: Callable[..., None]) -> bool:
    return any(mark.name == "crowd" for mark in getattr(test, "pytestmark", []))
