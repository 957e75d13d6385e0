"""IAM's decisions: whether policies allow a call, by IAM's evaluation logic.

Knows the elements and operators of this project's policies, and raises Unknown for any other.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

ALLOW, DENY = "Allow", "Deny"
ELEMENTS = {"Sid", "Effect", "Principal", "Action", "NotAction", "Resource", "Condition"}


class Unknown(Exception):
    """A policy uses an element or an operator that this module does not know."""


@dataclass(frozen=True)
class Call:
    """One call by a role; its resource is `*` if the action knows none."""

    action: str
    resource: str
    context: Mapping[str, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Rule:
    """One action on one resource, as a statement of the holder's policy allows or denies it.

    Compares by its place in the policies, which is the same for all parameters: `place` counts the
    resources of a statement. `excepted` has the actions of a `NotAction`, and `action` is then `*`.
    A rule of a resource's policy has a principal.
    """

    holder: str
    policy: str
    statement: int
    place: int
    effect: str
    action: str
    resource: str = field(compare=False)
    principal: str = field(compare=False)
    excepted: tuple[str, ...] = field(compare=False)
    condition: Mapping[str, Mapping[str, Any]] = field(compare=False)

    @property
    def name(self) -> str:
        """What the rule is called for all parameters alike."""
        return f"{self.holder}, {self.policy}: {self.action} on resource {self.place}"

    def covers(self, call: Call) -> bool:
        return (
            _matches(self.action.lower(), call.action.lower())
            and not any(_matches(one.lower(), call.action.lower()) for one in self.excepted)
            and _matches(self.resource, call.resource)
            and _holds(self.condition, call.context)
        )


def rules(holder: str, policy: str, document: Mapping[str, Any]) -> Iterator[Rule]:
    """Yield the rules of a policy whose references are resolved."""
    for number, statement in enumerate(_listed(document["Statement"])):
        if unknown := statement.keys() - ELEMENTS:
            raise Unknown(f"{holder} {policy}: {', '.join(unknown)}")
        excepted = tuple(_listed(statement.get("NotAction", [])))
        for action in ["*"] if excepted else _listed(statement["Action"]):
            for place, resource in enumerate(_listed(statement["Resource"])):
                yield Rule(
                    holder=holder,
                    policy=policy,
                    statement=number,
                    place=place,
                    effect=statement["Effect"],
                    action=action,
                    resource=resource,
                    principal=_principal(statement),
                    excepted=excepted,
                    condition=statement.get("Condition", {}),
                )


def is_allowed(
    call: Call,
    own: Iterable[Rule],
    *,
    boundary: Iterable[Rule] | None = None,
    of_key: Iterable[Rule] | None = None,
    role_arn: str = "",
) -> bool:
    """Return whether a role may make a call, by its own policies, its boundary and a key's policy.

    A key's policy allows a role itself, or the account, whose policies then decide. A boundary
    limits both.
    """
    mine = [one for one in own if one.covers(call)]
    bounds = None if boundary is None else [one for one in boundary if one.covers(call)]
    keys = None if of_key is None else [one for one in of_key if one.covers(call)]
    if any(one.effect == DENY for one in (*mine, *(bounds or ()), *(keys or ()))):
        return False
    if bounds == []:
        return False
    if keys is None:
        return bool(mine)
    account = re.sub(r":role/.*", ":root", role_arn)
    principals = {one.principal for one in keys}
    return role_arn in principals or (account in principals and bool(mine))


def _principal(statement: Mapping[str, Any]) -> str:
    if "Principal" not in statement:
        return ""
    principal = statement["Principal"]
    if list(principal) != ["AWS"] or not isinstance(principal["AWS"], str):
        raise Unknown(f"the principal {principal}")
    return str(principal["AWS"])


@cache
def _pattern(text: str) -> re.Pattern[str]:
    words = (".*" if one == "*" else "." if one == "?" else re.escape(one) for one in text)
    return re.compile("".join(words), re.DOTALL)


def _matches(pattern: str, text: str) -> bool:
    return _pattern(pattern).fullmatch(text) is not None


def _holds(condition: Mapping[str, Mapping[str, Any]], context: Mapping[str, str]) -> bool:
    return all(
        _compares(operator, context.get(key), [str(one) for one in _listed(wanted)])
        for operator, compared in condition.items()
        for key, wanted in compared.items()
    )


def _compares(operator: str, value: str | None, wanted: list[str]) -> bool:
    match operator:
        case "Null":
            return str(value is None).lower() in wanted
        case "StringEquals":
            return value in wanted
        case "StringNotEquals":
            # True without the key, as each negated operator.
            return value not in wanted
        case "StringLike":
            return value is not None and any(_matches(one, value) for one in wanted)
        case "ForAllValues:StringLike":
            # Also of none.
            return value is None or any(_matches(one, value) for one in wanted)
        case "StringEqualsIfExists":
            return value is None or value in wanted
    raise Unknown(f"the operator {operator}")


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
