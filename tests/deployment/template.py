"""Reads `template.yaml` and provides its parts to the tests."""

from typing import Any

from tools.local.routes import operations
from tools.local.table import read_template

TEMPLATE = read_template()
RESOURCES: dict[str, dict[str, Any]] = TEMPLATE["Resources"]


def named(resource_type: str) -> dict[str, dict[str, Any]]:
    return {
        name: resource["Properties"]
        for name, resource in RESOURCES.items()
        if resource["Type"] == resource_type
    }


def functions() -> dict[str, dict[str, Any]]:
    return named("AWS::Serverless::Function")


OF_OPERATORS: list[dict[str, list[str]]] = [{"AWS_IAM": []}]
# The routes that browsers open directly. They are not part of the OpenAPI document.
VIEWS = {"GET /w/{waitlist_id}", "GET /w/{waitlist_id}/{view}", "GET /assets/{edition}/{file}"}
UNSUBSCRIBE = "/v1/waitlists/{waitlist_id}/unsubscribe/{code}"
PAGES = VIEWS | {f"{method} {UNSUBSCRIBE}" for method in ("GET", "POST")}


def route_authorizers() -> dict[str, str | None]:
    """HEAD routes are left out, because test_authorizers.py compares each of them with its GET
    route.
    """
    return {
        route: "AWS_IAM" if operation.get("security") == OF_OPERATORS else None
        for route, operation in operations(TEMPLATE).items()
        if not route.startswith("HEAD ")
    }


def head_of(route: str) -> str:
    return route.replace("GET ", "HEAD ", 1)


def all_routes() -> dict[str, str | None]:
    found = route_authorizers()
    return found | {head_of(one): guard for one, guard in found.items() if one.startswith("GET ")}


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def holds(expression: Any, parameters: dict[str, str]) -> bool:
    """Evaluate a condition of the template. Only the condition functions that the template uses are
    supported.
    """
    ((function, operands),) = expression.items()
    match function:
        case "Condition":
            return holds(TEMPLATE["Conditions"][operands], parameters)
        case "Fn::Not":
            return not holds(operands[0], parameters)
        case "Fn::And":
            return all(holds(operand, parameters) for operand in operands)
        case "Fn::Or":
            return any(holds(operand, parameters) for operand in operands)
        case "Fn::Equals":
            left, right = operands
            name = left["Ref"]
            default = TEMPLATE["Parameters"].get(name, {"Default": "some-region"})["Default"]
            # CloudFormation compares all values as text.
            return str(parameters.get(name, default)) == str(right)
    raise NotImplementedError(function)
