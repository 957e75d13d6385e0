"""The local IAM decides as AWS's policy evaluation logic does."""

from typing import Any

import pytest

from tools.deploy.iam import Call, Rule, Unknown, is_allowed, rules

ROLE = "arn:aws:iam::123456789012:role/function"
ACCOUNT = "arn:aws:iam::123456789012:root"
TABLE = "arn:aws:dynamodb:us-east-1:123456789012:table/people"
KEY = "arn:aws:kms:us-east-1:123456789012:key/1"
READ, SIGN = Call("dynamodb:GetItem", TABLE), Call("kms:Sign", KEY)


def policy(*statements: dict[str, Any]) -> list[Rule]:
    allowing = [{"Effect": "Allow", "Resource": "*", **one} for one in statements]
    return list(rules("role", "policy", {"Statement": allowing}))


EVERYTHING = policy({"Action": "*"})


@pytest.mark.parametrize(
    ("action", "resource", "is_read"),
    [
        ("dynamodb:GetItem", TABLE, True),
        ("DynamoDB:getitem", TABLE, True),
        ("dynamodb:Get*", TABLE, True),
        ("dynamodb:Get?tem", f"{TABLE[:-2]}*", True),
        ("dynamodb:GetItem", TABLE.upper(), False),
        ("dynamodb:GetItem", f"{TABLE}/index/by_place", False),
        ("dynamodb:GetItem", TABLE[:-1], False),
        ("dynamodb:Get", TABLE, False),
        ("dynamodb:Get[I]tem", TABLE, False),
    ],
)
def test_an_action_and_a_resource_match_by_wildcards(
    action: str, resource: str, is_read: bool
) -> None:
    assert is_allowed(READ, policy({"Action": [action], "Resource": [resource]})) == is_read


def test_an_action_without_a_resource_needs_a_statement_for_all_resources() -> None:
    listing = Call("dynamodb:ListStreams", "*")
    assert is_allowed(listing, policy({"Action": listing.action}))
    assert not is_allowed(listing, policy({"Action": listing.action, "Resource": TABLE}))


def test_an_action_is_denied_without_an_allow_and_by_any_deny() -> None:
    assert not is_allowed(READ, [])
    assert not is_allowed(READ, [*EVERYTHING, *policy({"Effect": "Deny", "Action": READ.action})])


def test_a_not_action_allows_all_other_actions() -> None:
    others = policy({"NotAction": ["kms:Sign", "kms:CreateGrant"]})
    assert is_allowed(READ, others)
    assert not is_allowed(SIGN, others)


@pytest.mark.parametrize(
    ("condition", "context", "holds"),
    [
        ({"Null": {"tag": "false"}}, {"tag": "a"}, True),
        ({"Null": {"tag": "false"}}, {}, False),
        ({"Null": {"tag": "true"}}, {}, True),
        ({"StringEquals": {"tag": "a"}}, {"tag": "a"}, True),
        ({"StringEquals": {"tag": ["a", "b"]}}, {"tag": "b"}, True),
        ({"StringEquals": {"tag": "a"}}, {}, False),
        ({"StringEqualsIfExists": {"tag": "a"}}, {}, True),
        ({"StringEqualsIfExists": {"tag": "a"}}, {"tag": "b"}, False),
        ({"StringNotEquals": {"tag": "a"}}, {}, True),
        ({"StringNotEquals": {"tag": "a"}}, {"tag": "a"}, False),
        ({"StringNotEquals": {"tag": "a"}, "Null": {"tag": "false"}}, {}, False),
    ],
)
def test_a_statement_applies_only_if_its_conditions_are_met(
    condition: dict[str, Any], context: dict[str, str], holds: bool
) -> None:
    conditional = policy({"Action": "*", "Condition": condition})
    assert is_allowed(Call("dynamodb:GetItem", TABLE, context), conditional) == holds


def test_a_boundary_limits_permissions_and_grants_none() -> None:
    assert is_allowed(READ, EVERYTHING, boundary=EVERYTHING)
    assert not is_allowed(READ, EVERYTHING, boundary=policy({"Action": "kms:*"}))
    assert not is_allowed(READ, [], boundary=EVERYTHING)


def test_a_key_can_be_used_by_the_roles_that_its_policy_names() -> None:
    of_role = policy({"Action": "kms:Sign", "Principal": {"AWS": ROLE}})
    assert is_allowed(SIGN, [], of_key=of_role, role_arn=ROLE)
    assert is_allowed(SIGN, [], of_key=of_role, boundary=EVERYTHING, role_arn=ROLE)
    assert not is_allowed(SIGN, [], of_key=of_role, boundary=[], role_arn=ROLE)
    assert not is_allowed(SIGN, EVERYTHING, of_key=of_role, role_arn=f"{ROLE}2")


def test_a_key_policy_that_names_the_account_leaves_the_decision_to_role_policies() -> None:
    of_account = policy({"Action": "kms:*", "Principal": {"AWS": ACCOUNT}})
    assert is_allowed(SIGN, EVERYTHING, of_key=of_account, role_arn=ROLE)
    assert not is_allowed(SIGN, [], of_key=of_account, role_arn=ROLE)


@pytest.mark.parametrize(
    "statement",
    [
        {"Action": "*", "NotResource": TABLE},
        {"Action": "*", "Condition": {"IpAddress": {"aws:SourceIp": "192.0.2.1"}}},
        {"Action": "*", "Principal": "*"},
    ],
)
def test_an_unknown_element_of_a_policy_is_an_error(statement: dict[str, Any]) -> None:
    with pytest.raises(Unknown):
        is_allowed(READ, policy(statement))
