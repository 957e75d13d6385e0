"""Runs a rule over many files or routes as a single test, because starting a test takes longer than
checking a case.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any


def each(name: str, cases: Mapping[str, Any]) -> Callable[[Callable[..., None]], Any]:
    """Return a decorator that runs a test once for each case. The test gets the case as the
    argument `name`.

    All failures are raised together. The keys of `cases` are labels, which appear in the failures.
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
    """Return the cases by their text, which is used as their label."""
    return {str(case): case for case in cases}
