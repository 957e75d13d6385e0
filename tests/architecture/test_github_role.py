"""Who may deploy from GitHub: one environment of one repository, one stack, nobody's data."""

import json
import re
from fnmatch import fnmatchcase
from typing import Any

import pytest

from local.table import read_template
from scripts.smoke import ADMIN
from tests.architecture.deployed import deployed
from tests.architecture.sources import ROOT
from tests.architecture.template import as_list

TEMPLATE = read_template(ROOT / "docs" / "policies" / "github-oidc-role.yaml")
ROLES = TEMPLATE["Resources"]
GITHUB = "token.actions.githubusercontent.com"
MOST_POLICY_CHARACTERS = 10_240


def statements(role: str) -> list[dict[str, Any]]:
    policies = ROLES[role]["Properties"]["Policies"]
    return [one for policy in policies for one in policy["PolicyDocument"]["Statement"]]


def actions(role: str) -> set[str]:
    return {action for statement in statements(role) for action in as_list(statement["Action"])}


def may(role: str, action: str) -> bool:
    return any(fnmatchcase(action, pattern) for pattern in actions(role))


def test_only_one_environment_of_one_repository_may_deploy() -> None:
    """A pull request's token is of no environment, so it is refused."""
    (trust,) = ROLES["DeployRole"]["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Action"] == "sts:AssumeRoleWithWebIdentity"
    assert trust["Condition"] == {
        "StringEquals": {
            f"{GITHUB}:aud": "sts.amazonaws.com",
            f"{GITHUB}:sub": {"Fn::Sub": "repo:${Repository}:environment:${Environment}"},
        }
    }


@pytest.mark.parametrize(
    ("repository", "is_taken"),
    [
        ("octo-cat@123456/my.repo_1@456789", True),
        ("octo-cat/my.repo_1", True),
        ("octo-cat@123456/my.repo_1", False),
        ("*/*", False),
        ("octo-cat/my.repo_1:ref:refs/heads/main", False),
    ],
)
def test_a_repository_is_named_as_its_tokens_name_it(repository: str, is_taken: bool) -> None:
    """With numbers, which are never given twice, since July 2026; before by names alone."""
    pattern = TEMPLATE["Parameters"]["Repository"]["AllowedPattern"]
    assert bool(re.fullmatch(pattern, repository)) == is_taken


def test_github_hands_the_work_to_cloudformation() -> None:
    services = {action.split(":")[0] for action in actions("DeployRole")}
    assert services == {"cloudformation", "s3", "iam", "execute-api"}
    (passed,) = (one for one in statements("DeployRole") if one["Action"] == "iam:PassRole")
    assert passed["Resource"] == {"Fn::GetAtt": ["ExecutionRole", "Arn"]}
    assert passed["Condition"]["StringEquals"] == {
        "iam:PassedToService": "cloudformation.amazonaws.com"
    }


def test_the_smoke_test_may_touch_its_own_waitlists_alone() -> None:
    (smoke,) = (one for one in statements("DeployRole") if one["Action"] == "execute-api:Invoke")
    pattern = smoke["Resource"]["Fn::Sub"].partition("$default")[2]
    assert pattern == f"/*{ADMIN}/smoke-*"


@pytest.mark.parametrize("resource_type", sorted({one["Type"] for one in deployed().values()}))
def test_cloudformation_may_make_whatever_the_stack_has(resource_type: str) -> None:
    service = resource_type.split("::")[1].lower()
    prefix = {"apigatewayv2": "apigateway"}.get(service, service)  # as IAM calls it
    assert any(action.startswith(f"{prefix}:") for action in actions("ExecutionRole"))


# What CloudFormation asks back of what it has made, as its resources' schemas have it (`handlers`).
ASKED_BACK = {
    "logs:GetDataProtectionPolicy",
    "logs:DescribeIndexPolicies",
    "ec2:DescribeNetworkAcls",
    "ec2:DescribeVpcEncryptionControls",
    "dynamodb:DescribeContributorInsights",
    "dynamodb:DescribeKinesisStreamingDestination",
    "pipes:DescribePipe",
}


def test_cloudformation_may_look_at_what_it_has_made() -> None:
    assert {action for action in ASKED_BACK if not may("ExecutionRole", action)} == set()


@pytest.mark.parametrize(
    "action",
    [
        "dynamodb:DeleteTable",
        "dynamodb:GetItem",
        "dynamodb:Query",
        "dynamodb:Scan",
        "dynamodb:ExportTableToPointInTime",
        "secretsmanager:GetSecretValue",
        "secretsmanager:PutSecretValue",
        "logs:GetLogEvents",
        "logs:FilterLogEvents",
        "sqs:ReceiveMessage",
        "iam:CreateUser",
        "iam:AttachRolePolicy",
        "sts:AssumeRole",
    ],
)
def test_whoever_deploys_reads_nobodys_data_and_deletes_no_table(action: str) -> None:
    """P3, P8"""
    assert not may("ExecutionRole", action)
    assert not may("DeployRole", action)


def test_roles_are_passed_to_the_services_that_the_stack_uses() -> None:
    (passed,) = (one for one in statements("ExecutionRole") if one["Action"] == "iam:PassRole")
    assert "${StackName}-" in passed["Resource"]["Fn::Sub"]
    trusted = {
        principal
        for resource in deployed().values()
        if resource["Type"] == "AWS::IAM::Role"
        for statement in resource["Properties"]["AssumeRolePolicyDocument"]["Statement"]
        for principal in as_list(statement["Principal"]["Service"])
    }
    assert trusted <= set(passed["Condition"]["StringEquals"]["iam:PassedToService"])


def test_what_is_open_is_what_aws_knows_no_names_for() -> None:
    """Networks, which are made before they have an id, and calls that have no resource."""
    is_open = {
        action
        for statement in statements("ExecutionRole")
        if "*" in as_list(statement["Resource"])
        for action in as_list(statement["Action"])
    }
    assert {action.split(":")[0] for action in is_open} == {"ec2", "logs", "secretsmanager"}
    assert not any(action.endswith("*") for action in is_open)
    for statement in statements("DeployRole"):
        assert "*" not in as_list(statement["Resource"])


@pytest.mark.parametrize("role", ["DeployRole", "ExecutionRole"])
def test_a_role_is_not_longer_than_iam_takes_it(role: str) -> None:
    """With a long stack's name, region and account in the place of each placeholder."""
    policies = [one["PolicyDocument"] for one in ROLES[role]["Properties"]["Policies"]]
    text = json.dumps(policies, separators=(",", ":")).replace('{"Fn::Sub":', "")
    for name, value in {
        "${AWS::Partition}": "aws",
        "${AWS::Region}": "ap-southeast-1",
        "${AWS::AccountId}": "0" * 12,
        "${StackName}": "s" * 40,
    }.items():
        text = text.replace(name, value)
    assert len(text) < MOST_POLICY_CHARACTERS
