"""Computes the resources that CloudFormation would create from template.yaml and given parameters,
after SAM's transform.
"""

import itertools
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from tests.deployment.template import TEMPLATE, holds
from tools.deploy.stack import make


def deployed(parameters: dict[str, str] | None = None) -> dict[str, dict[str, Any]]:
    """Return a stack's resources. `Fn::If` and `AWS::NoValue` are resolved, and other intrinsic
    functions stay as they are.

    Calls with the same parameters return the same object, so copy the result before you change it.
    """
    return _deployed(tuple((parameters or {}).items()))


@cache
def _deployed(parameters: tuple[tuple[str, str], ...]) -> dict[str, dict[str, Any]]:
    given = dict(parameters)
    region = given.pop("AWS::Region", "some-region")
    return make(given, region=region).made


@cache
def every_stack() -> list[tuple[dict[str, str], dict[str, dict[str, Any]]]]:
    """Return the stacks for a few sets of parameters.

    For any two parameters that occur in the template's conditions or rules, each allowed pair of
    values occurs in at least one stack.
    """
    compared = _compared([TEMPLATE["Conditions"], TEMPLATE["Rules"]])
    kinds: list[dict[str, str]] = [{}]
    for group in _groups({name for name, _ in compared}):
        allowed = [*filter(_is_allowed, _kinds({one for one in compared if one[0] in group}))]
        kinds = _covering([kind | more for kind in kinds for more in allowed])
    return [(kind, deployed(kind)) for kind in kinds]


def _groups(names: set[str]) -> list[set[str]]:
    """Divide the parameters into groups whose values can be combined freely, because no rule in the
    template mentions parameters from two groups.
    """
    groups = [{name} for name in sorted(names)]
    for rule in TEMPLATE["Rules"].values():
        together = {name for name, _ in _compared(rule)}
        joined = [group for group in groups if group & together]
        groups = [group for group in groups if not group & together] + [set().union(*joined)]
    return groups


def _kinds(compared: set[tuple[str, str]]) -> Iterator[dict[str, str]]:
    names = sorted({name for name, _ in compared})
    values = [_values(name, {value for one, value in compared if one == name}) for name in names]
    return (dict(zip(names, chosen, strict=True)) for chosen in itertools.product(*values))


def _covering(kinds: Iterable[dict[str, str]]) -> list[dict[str, str]]:
    """Choose a few combinations of parameters that together contain every pair of values."""
    pairs = [
        (kind, set(itertools.combinations_with_replacement(sorted(kind.items()), 2)))
        for kind in kinds
    ]
    missing = set().union(*(of_kind for _, of_kind in pairs))
    chosen = []
    while missing:
        kind, of_kind = max(pairs, key=lambda one: len(one[1] & missing))
        chosen.append(kind)
        missing -= of_kind
    return chosen


def _is_allowed(given: dict[str, str]) -> bool:
    return all(
        holds(assertion["Assert"], given)
        for rule in TEMPLATE["Rules"].values()
        if holds(rule["RuleCondition"], given)
        for assertion in rule["Assertions"]
    )


def _compared(expression: Any) -> set[tuple[str, str]]:
    if isinstance(expression, list):
        return {pair for one in expression for pair in _compared(one)}
    if not isinstance(expression, dict):
        return set()
    if "Fn::Equals" in expression:
        parameter, value = expression["Fn::Equals"]
        return {(parameter["Ref"], str(value))}
    return {pair for one in expression.values() for pair in _compared(one)}


def _values(name: str, compared: set[str]) -> list[str]:
    declared = TEMPLATE["Parameters"].get(name, {})
    some = "1" if declared.get("Type") == "Number" else f"some-{name}"
    allowed = declared.get("AllowedValues", [some])
    others = [value for value in allowed if value not in compared]
    return [*sorted(compared), *others[:1]]
