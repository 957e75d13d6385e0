"""Decides whether policies allow a call, as IAM does.

It raises Unknown if a policy contains something that this project's policies do not use.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

ALLOW, DENY = "Allow", "Deny"
ELEMENTS = {"Sid", "Effect", "Principal", "Action", "NotAction", "Resource", "Condition"}


class Unknown(Exception):
    """A policy contains something that this module does not support."""


@dataclass(frozen=True)
class Call:
    """A call by a role. If an action has no resource type, the resource is `*`."""

    action: str
    resource: str
    context: Mapping[str, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Rule:
    """A policy's rule, which allows or denies one action on one resource.

    `place` is the resource's index in the policy's statement. It identifies the rule even if the
    stack's parameters change the resource. If the statement has a `NotAction`, `action` is `*`, and
    `excepted` contains the listed actions. Only rules in a resource's policy have a `principal`.
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
        """Return a name that does not depend on the stack's parameters."""
        return f"{self.holder}, {self.policy}: {self.action} on resource {self.place}"

    def covers(self, call: Call) -> bool:
        return (
            _matches(self.action.lower(), call.action.lower())
            and not any(_matches(action.lower(), call.action.lower()) for action in self.excepted)
            and _matches(self.resource, call.resource)
            and _holds(self.condition, call.context)
        )


def rules(holder: str, policy: str, document: Mapping[str, Any]) -> Iterator[Rule]:
    """Yield the rules of a policy whose references have been resolved."""
    for number, statement in enumerate(_listed(document["Statement"])):
        if unknown := statement.keys() - ELEMENTS:
            raise Unknown(f"{holder} {policy}: unknown elements {', '.join(unknown)}")
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
    """Return whether a role may make a call.

    If the call uses a KMS key, the key's policy must allow either the role or the whole account. In
    the latter case, the role's own policies must allow the call as well. Either way, a permissions
    boundary limits the role.
    """
    mine = [rule for rule in own if rule.covers(call)]
    bounds = None if boundary is None else [rule for rule in boundary if rule.covers(call)]
    keys = None if of_key is None else [rule for rule in of_key if rule.covers(call)]
    if any(rule.effect == DENY for rule in (*mine, *(bounds or ()), *(keys or ()))):
        return False
    if bounds == []:
        return False
    if keys is None:
        return bool(mine)
    account = re.sub(r":role/.*", ":root", role_arn)
    principals = {rule.principal for rule in keys}
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
    words = (".*" if char == "*" else "." if char == "?" else re.escape(char) for char in text)
    return re.compile("".join(words), re.DOTALL)


def _matches(pattern: str, text: str) -> bool:
    return _pattern(pattern).fullmatch(text) is not None


def _holds(condition: Mapping[str, Mapping[str, Any]], context: Mapping[str, str]) -> bool:
    return all(
        _compares(operator, context.get(key), [str(item) for item in _listed(wanted)])
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
            # Like all negated operators, this one is true if the key is missing.
            return value not in wanted
        case "StringLike":
            return value is not None and any(_matches(pattern, value) for pattern in wanted)
        case "ForAllValues:StringLike":
            # This operator, too, is true if the key is missing.
            return value is None or any(_matches(pattern, value) for pattern in wanted)
        case "StringEqualsIfExists":
            return value is None or value in wanted
    raise Unknown(f"the operator {operator}")


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
