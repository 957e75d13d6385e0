"""Tests which authorizer guards each route of the API that CloudFormation creates."""

from typing import Any

import pytest

from tests.deployment.deployed import deployed
from tests.deployment.template import route_authorizers
from tools.openapi_variants import variants

ISSUER = {"JwtIssuer": "https://issuer.example.com", "JwtAudience": "waitlist,other"}


def make_api(parameters: dict[str, str]) -> Any:
    return deployed(parameters)["Api"]["Properties"]["Body"]


def read_guards(parameters: dict[str, str]) -> dict[str, Any]:
    return {
        f"{method.upper()} {path}": operation.get("security")
        for path, item in make_api(parameters)["paths"].items()
        for method, operation in item.items()
        if method != "head"
    }


@pytest.mark.parametrize("parameters", [{}, ISSUER], ids=["guests", "issuer"])
def test_the_api_has_all_routes_and_each_route_calls_the_function(
    parameters: dict[str, str],
) -> None:
    assert set(read_guards(parameters)) == set(route_authorizers())
    for item in make_api(parameters)["paths"].values():
        for operation in item.values():
            integration = operation["x-amazon-apigateway-integration"]
            assert "/functions/${PublicFn.Arn}:live/" in integration["uri"]["Fn::Sub"]
            assert integration["payloadFormatVersion"] == "2.0"


@pytest.mark.parametrize("parameters", [{}, ISSUER], ids=["guests", "issuer"])
def test_each_get_has_a_head_for_the_same_callers(parameters: dict[str, str]) -> None:
    """Without a HEAD route for each GET route, API Gateway would answer HEAD requests with 404."""
    for path, item in make_api(parameters)["paths"].items():
        assert item.get("head") == item.get("get"), path


@pytest.mark.parametrize("parameters", [{}, ISSUER], ids=["guests", "issuer"])
def test_operator_routes_need_iam_with_and_without_an_issuer(parameters: dict[str, str]) -> None:
    """P5"""
    for route, security in read_guards(parameters).items():
        is_admin = route.split()[1].startswith("/v1/admin/")
        assert (security == [{"AWS_IAM": []}]) == is_admin, route


def test_customer_routes_have_no_authorizer_if_there_is_no_issuer() -> None:
    """If the stack has no identity provider, API Gateway does not check customers. The function
    checks their entry tokens instead.
    """
    guarded = {
        route for route, security in read_guards({}).items() if security == [{"Customer": []}]
    }
    assert guarded == set()
    assert set(make_api({})["components"]["securitySchemes"]) == {"AWS_IAM"}


def test_an_issuer_guards_exactly_the_routes_that_need_a_token_of_a_customer() -> None:
    """P5"""
    found = read_guards(ISSUER)
    need_token = {
        f"{method.upper()} {path}"
        for path, operations in variants()["jwt.json"]["paths"].items()
        for method, operation in operations.items()
        if operation["security"] == [{"jwt": []}]
    }
    assert {route for route, one in found.items() if one == [{"Customer": []}]} == need_token
    known: tuple[Any, ...] = (None, [{"AWS_IAM": []}], [{"Customer": []}])
    assert all(security in known for security in found.values())


def test_the_authorizer_checks_issuer_and_audience() -> None:
    """The authorizer checks a token's issuer and audience.

    It refuses a token that the same issuer has made for a different service (promise P5).
    """
    scheme = make_api(ISSUER)["components"]["securitySchemes"]["Customer"]
    assert scheme == {
        "type": "oauth2",
        "x-amazon-apigateway-authorizer": {
            "type": "jwt",
            "identitySource": "$request.header.Authorization",
            "jwtConfiguration": {
                "issuer": {"Ref": "JwtIssuer"},
                "audience": {"Fn::Split": [",", {"Ref": "JwtAudience"}]},
            },
        },
    }


def test_the_function_gets_the_issuer_as_a_variable() -> None:
    """The `JWT_ISSUER` variable tells the function that customers sign in with an identity
    provider. The function then refuses entry tokens (promise P5).
    """
    variables = deployed(ISSUER)["PublicFn"]["Properties"]["Environment"]["Variables"]
    assert variables["JWT_ISSUER"] == {"Ref": "JwtIssuer"}
