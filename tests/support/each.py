"""Checks many files or routes in one test. Starting a separate test for each would take longer than
the checks.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any


def each(name: str, cases: Mapping[str, Any]) -> Callable[[Callable[..., None]], Any]:
    """Call a test function once for each case, which is passed as the argument called `name`. If
    several cases fail, the error contains them all.
    """

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)

        @wraps(test)
        def run(**fixtures: Any) -> None:
            assert cases
            failures = []
            for label, case in cases.items():
                try:
                    test(**fixtures, **{name: case})
                except Exception as failure:  # noqa: BLE001 - all failures are raised below
                    failure.add_note(f"{name}: {label}")
                    failures.append(failure)
            if failures:
                raise ExceptionGroup(f"fails for {len(failures)} of {len(cases)}", failures)

        others = [
            parameter for parameter in signature.parameters.values() if parameter.name != name
        ]
        run.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return run

    return decorate


def labelled(*cases: Any) -> dict[str, Any]:
    return {str(case): case for case in cases}
