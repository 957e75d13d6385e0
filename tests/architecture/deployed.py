"""The stack as CloudFormation makes it: after SAM's transform, with parameters filled in."""

import copy
from functools import cache
from typing import Any

import pytest
from samtranslator.translator.transform import transform

from local.table import read_template
from tests.architecture.template import holds

NOTHING = object()


class _NoManagedPolicies:
    def load(self) -> dict[str, str]:
        return {}


@cache
def _translated() -> dict[str, Any]:
    template = read_template()
    for resource in template["Resources"].values():
        for name in {"CodeUri", "ContentUri"} & resource.get("Properties", {}).keys():
            # As `sam deploy` has it: the transform knows no local folders.
            resource["Properties"][name] = "s3://bucket/key"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        translated: dict[str, Any] = transform(template, {}, _NoManagedPolicies())
    return translated


def deployed(parameters: dict[str, str] | None = None) -> dict[str, dict[str, Any]]:
    """Return the resources that a stack with these parameters has, by logical id.

    Every `Fn::If` is decided and every `AWS::NoValue` left out; other functions stay.
    """
    given = parameters or {}
    template = copy.deepcopy(_translated())
    return {
        name: _resolved(resource, given)
        for name, resource in template["Resources"].items()
        if "Condition" not in resource or holds({"Condition": resource["Condition"]}, given)
    }


def _resolved(value: Any, given: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [one for each in value if (one := _resolved(each, given)) is not NOTHING]
    if not isinstance(value, dict):
        return value
    if value == {"Ref": "AWS::NoValue"}:
        return NOTHING
    if "Fn::If" in value:
        condition, then, otherwise = value["Fn::If"]
        return _resolved(then if holds({"Condition": condition}, given) else otherwise, given)
    resolved = {name: _resolved(inner, given) for name, inner in value.items()}
    return {name: inner for name, inner in resolved.items() if inner is not NOTHING}
