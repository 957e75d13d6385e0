"""Rules over many files or routes, as one test a rule: to start a test costs more than to check."""

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any


def each(name: str, cases: Mapping[str, Any]) -> Callable[[Callable[..., None]], Any]:
    """Run a test once per case, which it gets as its argument `name`; all failures are raised.

    `cases` have labels, which the failures show.
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
                except Exception as failure:  # noqa: BLE001 - each is raised below
                    failure.add_note(f"{name}: {label}")
                    failures.append(failure)
            if failures:
                raise ExceptionGroup(f"fails for {len(failures)} of {len(cases)}", failures)

        others = [one for one in signature.parameters.values() if one.name != name]
        run.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return run

    return decorate


def labelled(*cases: Any) -> dict[str, Any]:
    """Return cases with themselves as labels."""
    return {str(case): case for case in cases}
