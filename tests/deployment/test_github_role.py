"""The role for GitHub: one environment of one repository, one stack, no access to data."""

import json
import re
import tomllib
from fnmatch import fnmatchcase
from typing import Any

import pytest

from tests.deployment.deployed import deployed, every_stack
from tests.deployment.template import as_list
from tests.deployment.test_operations import TEXT as OPERATIONS
from tests.rules.sources import ROOT
from tools.deploy.smoke import ADMIN
from tools.local.table import read_template

TEMPLATE = read_template(ROOT / "docs" / "policies" / "github-oidc-role.yaml")
ROLES = TEMPLATE["Resources"]
GITHUB = "token.actions.githubusercontent.com"
MOST_POLICY_CHARACTERS = 10_240
MOST_MANAGED_POLICY_CHARACTERS = 6_144
CONFIG = tomllib.loads((ROOT / "samconfig.toml").read_text(encoding="utf-8"))
LONG_NAMED = ("AWS::IAM::Role", "AWS::Lambda::Function")


def statements(role: str, effect: str = "Allow") -> list[dict[str, Any]]:
    policies = ROLES[role]["Properties"].get("Policies") or [ROLES[role]["Properties"]]
    every = [one for policy in policies for one in policy["PolicyDocument"]["Statement"]]
    return [one for one in every if one["Effect"] == effect]


def patterns(role: str, stack: str, *, effect: str = "Allow") -> list[str]:
    """Return the resources of a role's statements, for one stack's name."""
    found = []
    for statement in statements(role, effect):
        for resource in as_list(statement["Resource"]):
            text = resource["Fn::Sub"] if "Fn::Sub" in resource else str(resource)
            found.append(text.replace("${StackName}", stack))
    return found


def actions(role: str) -> set[str]:
    return {action for statement in statements(role) for action in as_list(statement["Action"])}


def may(role: str, action: str) -> bool:
    return any(fnmatchcase(action, pattern) for pattern in actions(role))


def test_only_one_environment_of_one_repository_may_deploy() -> None:
    """The token of a pull request names no environment, so AWS refuses it."""
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
    """Since July 2026 with numeric ids, which GitHub never reuses; before, by names only."""
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


def test_cloudformation_may_make_whatever_the_stack_has() -> None:
    services = {one["Type"].split("::")[1].lower() for one in deployed().values()}
    as_iam_calls_them = {{"apigatewayv2": "apigateway"}.get(one, one) for one in services}
    assert as_iam_calls_them <= {action.split(":")[0] for action in actions("ExecutionRole")}


# Actions that CloudFormation needs to read its resources (`handlers` in their schemas).
READ_BACK = {
    "logs:GetDataProtectionPolicy",
    "logs:DescribeIndexPolicies",
    "ec2:DescribeNetworkAcls",
    "ec2:DescribeVpcEncryptionControls",
    "dynamodb:DescribeContributorInsights",
    "dynamodb:DescribeKinesisStreamingDestination",
    "pipes:DescribePipe",
    "kms:DescribeKey",
    "kms:GetKeyPolicy",
    "kms:GetKeyRotationStatus",
    "kms:ListResourceTags",
}


def test_cloudformation_may_look_at_what_it_has_made() -> None:
    assert {action for action in READ_BACK if not may("ExecutionRole", action)} == set()


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
        "kms:Sign",
        "iam:CreateUser",
        "iam:AttachRolePolicy",
        "sts:AssumeRole",
    ],
)
def test_a_deployment_can_read_no_data_and_delete_no_table(action: str) -> None:
    """P3, P8"""
    assert not may("ExecutionRole", action)
    assert not may("DeployRole", action)


def test_roles_are_passed_to_the_services_that_the_stack_uses() -> None:
    (passed,) = (
        one for one in statements("ExecutionRole") if "iam:PassRole" in as_list(one["Action"])
    )
    for resource in passed["Resource"]:
        assert ":role/${StackName}-" in resource["Fn::Sub"]
    trusted = {
        principal
        for resource in deployed().values()
        if resource["Type"] == "AWS::IAM::Role"
        for statement in resource["Properties"]["AssumeRolePolicyDocument"]["Statement"]
        for principal in as_list(statement["Principal"]["Service"])
    }
    assert trusted <= set(passed["Condition"]["StringEqualsIfExists"]["iam:PassedToService"])


def test_what_is_open_is_what_aws_knows_no_names_for() -> None:
    """Networks, which have no id before they exist, and calls without a resource."""
    is_open = {
        action
        for statement in statements("ExecutionRole")
        if "*" in as_list(statement["Resource"])
        for action in as_list(statement["Action"])
    }
    assert {action.split(":")[0] for action in is_open} == {"ec2", "kms", "logs", "secretsmanager"}
    assert not any(action.endswith("*") for action in is_open)
    for statement in statements("DeployRole"):
        assert "*" not in as_list(statement["Resource"])


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("DeployRole", MOST_POLICY_CHARACTERS),
        ("ExecutionRole", MOST_POLICY_CHARACTERS),
        ("Boundary", MOST_MANAGED_POLICY_CHARACTERS),
    ],
)
def test_a_policy_is_within_the_limit_of_iam(name: str, most: int) -> None:
    """Measured with a long stack name, region and account in place of the placeholders."""
    document = ROLES[name]["Properties"].get("Policies") or ROLES[name]["Properties"]
    text = json.dumps(document, separators=(",", ":")).replace('{"Fn::Sub":', "")
    for placeholder, value in {
        "${AWS::Partition}": "aws",
        "${AWS::Region}": "ap-southeast-1",
        "${AWS::AccountId}": "0" * 12,
        "${StackName}": "s" * 40,
    }.items():
        text = text.replace(placeholder, value)
    assert len(text) < most


OTHERS = ("waitlist-prod", "waitlist-p", "waitlist2", "waitlist-publicfn", "wait")


@pytest.mark.parametrize("role", ["DeployRole", "ExecutionRole", "Boundary"])
@pytest.mark.parametrize("other", OTHERS)
def test_a_role_reaches_nothing_that_is_named_after_another_stack(role: str, other: str) -> None:
    """A prefix such as `waitlist-*` would reach all of `waitlist-prod`."""
    assert re.fullmatch(TEMPLATE["Parameters"]["StackName"]["AllowedPattern"], other)
    own = patterns(role, "waitlist")
    common = set(patterns(role, "waitlist")) & set(patterns(role, other))
    for theirs in set(patterns(role, other)) - common:
        for name in (theirs.replace("*", "1ABC"), theirs.replace("*", "x/y-z")):
            reaching = [one for one in own if one not in common and fnmatchcase(name, one)]
            assert reaching == [], name


def test_the_name_of_a_stack_has_no_capital_as_every_logical_id_has() -> None:
    pattern = TEMPLATE["Parameters"]["StackName"]["AllowedPattern"]
    for config in ("default", "dev", "prod"):
        assert re.fullmatch(pattern, CONFIG[config]["deploy"]["parameters"]["stack_name"])
    assert not re.fullmatch(pattern, "waitlist-PublicFn-x")
    assert all(name[0].isupper() for name in deployed())


# What CloudFormation names STACK-LogicalId-RANDOM, as IAM spells it.
NAMED_BY_CLOUDFORMATION = {
    "AWS::Lambda::Function": "lambda:${AWS::Region}:${AWS::AccountId}:function:",
    "AWS::IAM::Role": "iam::${AWS::AccountId}:role/",
    "AWS::SQS::Queue": "sqs:${AWS::Region}:${AWS::AccountId}:",
    "AWS::DynamoDB::Table": "dynamodb:${AWS::Region}:${AWS::AccountId}:table/",
    "AWS::CloudWatch::Alarm": "cloudwatch:${AWS::Region}:${AWS::AccountId}:alarm:",
    "AWS::Events::Rule": "events:${AWS::Region}:${AWS::AccountId}:rule/",
    "AWS::CodeDeploy::Application": "codedeploy:${AWS::Region}:${AWS::AccountId}:application:",
}


def test_cloudformation_reaches_each_thing_that_it_names() -> None:
    own = patterns("ExecutionRole", "waitlist")
    every = {name: one["Type"] for _, stack in every_stack() for name, one in stack.items()}
    named = {name: kind for name, kind in every.items() if kind in NAMED_BY_CLOUDFORMATION}
    assert {"PublicFn", "PublicFnRole", "WaitlistTable", "RedisCpuAlarm"} <= set(named)
    for name, kind in named.items():
        arn = f"arn:${{AWS::Partition}}:{NAMED_BY_CLOUDFORMATION[kind]}waitlist-{name}-1ABC2DEF3GHI"
        assert any(fnmatchcase(arn, pattern) for pattern in own), arn


# Names of IAM roles and functions have at most 64 characters.
def test_no_name_is_so_long_that_cloudformation_cuts_it_for_the_stacks_of_samconfig() -> None:
    for config in ("default", "dev", "prod"):
        stack = CONFIG[config]["deploy"]["parameters"]["stack_name"]
        longest = max(len(name) for name, one in deployed().items() if one["Type"] in LONG_NAMED)
        assert len(stack) + longest + len("--") + 13 <= 64


def test_what_has_no_stack_in_its_name_is_denied_by_the_tag_of_another_stack() -> None:
    (denied,) = statements("ExecutionRole", "Deny")
    tag = "aws:ResourceTag/aws:cloudformation:stack-name"
    assert denied["Condition"] == {
        "StringNotEquals": {tag: {"Ref": "StackName"}},
        "Null": {tag: "false"},
    }
    services = {action.split(":")[0] for action in denied["Action"]}
    without_stack = {
        pattern.replace("AWS::", "").split(":")[2]
        for pattern in patterns("ExecutionRole", "STACK")
        if "STACK" not in pattern and pattern != "*"
    }
    # Service-linked roles, SAM's transform and bucket, and configurations of AWS are no stack's.
    assert without_stack - {"iam", "cloudformation", "s3", "codedeploy"} == services - {"ec2"}


@pytest.mark.parametrize("role", ["DeployRole", "ExecutionRole"])
def test_what_is_allowed_is_of_this_account(role: str) -> None:
    """Bucket names are global: `aws:ResourceAccount` excludes those of other accounts."""
    for statement in statements(role):
        in_account = {"StringEquals": {"aws:ResourceAccount": {"Ref": "AWS::AccountId"}}}
        for resource in as_list(statement["Resource"]):
            text = str(resource)
            if statement["Action"] == "s3:CreateBucket" or ":aws:transform/" in text:
                continue
            if ":s3:::" in text:
                assert statement["Condition"] == in_account, statement
            elif ":apigateway:" not in text and text != "*":
                assert "AWS::AccountId" in text or "Fn::GetAtt" in text, text


BOUND = {"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:policy/${PermissionsBoundary}"}


def test_roles_are_made_with_the_boundary_alone() -> None:
    """P5: a deployment cannot give a role more than the boundary allows."""
    bounded = {"StringEquals": {"iam:PermissionsBoundary": {"Ref": "Boundary"}}}
    writing = ("iam:CreateRole", "iam:PutRolePolicy", "iam:PutRolePermissionsBoundary")
    for action in writing:
        (statement,) = (
            one for one in statements("ExecutionRole") if action in as_list(one["Action"])
        )
        assert statement["Condition"] == bounded, action
    for action in (
        "iam:DeleteRolePermissionsBoundary",
        "iam:AttachRolePolicy",
        "iam:CreatePolicyVersion",
        "iam:SetDefaultPolicyVersion",
        "iam:DeletePolicy",
    ):
        assert not may("ExecutionRole", action)
        assert not may("DeployRole", action)
        assert not may("Boundary", action)


def test_each_role_of_each_stack_takes_the_boundary() -> None:
    for parameters, resources in every_stack():
        for name, one in resources.items():
            if one["Type"] == "AWS::IAM::Role":
                expected = BOUND if parameters["PermissionsBoundary"] else None
                assert one["Properties"].get("PermissionsBoundary") == expected, name


def test_samconfig_and_the_document_name_the_boundary() -> None:
    name = ROLES["Boundary"]["Properties"]["ManagedPolicyName"]["Fn::Sub"]
    text = (ROOT / "samconfig.toml").read_text(encoding="utf-8")
    for config in ("dev", "prod"):
        stack = CONFIG[config]["deploy"]["parameters"]["stack_name"]
        assert f'# "PermissionsBoundary={name.replace("${StackName}", stack)}",' in text
    assert '"PermissionsBoundary=waitlist-prod-boundary"' in OPERATIONS
    assert "TO=$STACK-Restored-" in OPERATIONS
    assert any("STACK-Restored-*" in one for one in patterns("Boundary", "STACK"))
