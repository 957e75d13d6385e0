"""Tests the IAM roles for GitHub Actions.

Each role can deploy one stack, from one environment of one repository, and cannot read any data.
"""

import json
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import chain
from typing import Any

import pytest
import yaml

from tests.deployment.deployed import deployed
from tests.deployment.template import as_list
from tests.rules.sources import ROOT
from tools.deploy.handlers import (
    HANDLERS,
    LONGEST_STACK_NAME,
    ROLES,
    SYSTEM_TAG,
    Rights,
    Step,
    against_handlers,
    changeable,
    denied,
    rights_of,
    roles_of,
    steps,
)
from tools.deploy.iam import ALLOW, Call, rules
from tools.deploy.lint import Set, sets
from tools.deploy.smoke import ADMIN
from tools.deploy.stack import ACCOUNT, Stack, make
from tools.local.table import read_template

TEMPLATE = read_template(ROLES)
RESOURCES = TEMPLATE["Resources"]
GITHUB = "token.actions.githubusercontent.com"
CONFIG = tomllib.loads((ROOT / "samconfig.toml").read_text(encoding="utf-8"))
STACK_NAME = TEMPLATE["Parameters"]["StackName"]["AllowedPattern"]
BOUNDARY = {"PermissionsBoundary": "waitlist-boundary"}
EXECUTION = rights_of(roles_of("waitlist"), "ExecutionRole")
DEPLOY = rights_of(roles_of("waitlist"), "DeployRole")
ARN = f"arn:aws:{{}}:us-east-1:{ACCOUNT}:{{}}"


def arn(service: str, resource: str) -> str:
    return ARN.format(service, resource)


def make_bounded_stack(one: Set) -> Stack:
    return make(one.parameters | BOUNDARY, "waitlist", "us-east-1")


def collect_calls() -> dict[str, list[Call]]:
    """Return CloudFormation's calls for all stacks, grouped by action.

    If several stacks have an identical resource, its calls are included only once.
    """
    found: dict[str, list[Call]] = defaultdict(list)
    seen: set[str] = set()
    for stack in map(make_bounded_stack, sets()):
        for logical_id, resource in stack.resources.items():
            described = json.dumps([logical_id, resource])
            if described in seen:
                continue
            seen.add(described)
            for handler in HANDLERS:
                for step in steps(stack, logical_id, handler):
                    if isinstance(step, Step):
                        found[step.call.action.lower()].append(step.call)
    return found


def test_only_one_environment_of_one_repository_may_deploy() -> None:
    """A pull request's token names no environment, so AWS refuses it."""
    (trust,) = RESOURCES["DeployRole"]["Properties"]["AssumeRolePolicyDocument"]["Statement"]
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
def test_the_repository_must_have_the_form_that_its_tokens_contain(
    repository: str, is_taken: bool
) -> None:
    """The parameter must contain the repository's name in the form that GitHub uses in its tokens.

    Since July 2026, this form includes numeric ids.
    """
    pattern = TEMPLATE["Parameters"]["Repository"]["AllowedPattern"]
    assert bool(re.fullmatch(pattern, repository)) == is_taken


def test_github_deploys_through_cloudformation() -> None:
    allowed = {rule.action for found in DEPLOY.of_service.values() for rule in found}
    services = {action.split(":")[0] for action in allowed}
    assert services == {"cloudformation", "s3", "iam", "execute-api"}
    (passed,) = DEPLOY.of_service["iam"]
    assert passed.resource == roles_of("waitlist").attribute("ExecutionRole", "Arn")
    assert passed.condition["StringEquals"] == {
        "iam:PassedToService": "cloudformation.amazonaws.com"
    }


def test_the_smoke_test_may_only_access_its_own_waitlists() -> None:
    (smoke,) = DEPLOY.of_service["execute-api"]
    assert smoke.resource.partition("$default")[2] == f"/*{ADMIN}/smoke-*"


def test_an_environment_uploads_to_its_own_bucket() -> None:
    """Each environment uploads only to its own bucket, so a deployment to dev cannot replace a
    build that was approved for prod.
    """
    own, other = (roles_of(name).attribute("Builds", "Arn") for name in ("waitlist", "wait"))
    for action in ("s3:PutObject", "s3:GetObject"):
        assert DEPLOY.allow(Call(action, f"{own}/build"))
        assert not DEPLOY.allow(Call(action, f"{other}/build"))
    assert not EXECUTION.allow(Call("s3:PutObject", f"{own}/build"))


def read_statements(role: str = "ExecutionRole") -> list[tuple[str, dict[str, Any]]]:
    return [
        (policy["Ref"], statement)
        for policy in RESOURCES[role]["Properties"]["ManagedPolicyArns"]
        for statement in RESOURCES[policy["Ref"]]["Properties"]["PolicyDocument"]["Statement"]
    ]


def remove_action(policy: str, number: int, action: str) -> Rights:
    return Rights(
        rule
        for rules_of_service in EXECUTION.of_service.values()
        for rule in rules_of_service
        if (rule.policy, rule.statement, rule.action) != (policy, number, action)
    )


def find_places(action: str = "*") -> Iterator[tuple[str, int, str, str]]:
    for policy in dict.fromkeys(policy for policy, _ in read_statements()):
        written = roles_of("waitlist").resources[policy]["Properties"]["PolicyDocument"]
        for number, statement in enumerate(written["Statement"]):
            for allowed in as_list(statement["Action"]):
                if statement["Effect"] == ALLOW and fnmatchcase(allowed, action):
                    yield policy, number, allowed, as_list(statement["Resource"])[0]


# The actions that CloudFormation needs even though its published lists of permissions leave them
# out. Comments in the template explain why.
SPARE = {
    ("cloudformation:CreateChangeSet", "aws:transform/Serverless-2016-10-31"),
    ("apigateway:DELETE", "/apis/*/stages/*/routesettings/*"),
    ("apigateway:DELETE", "/tags/*"),
    ("apigateway:GET", "/tags/*"),
    ("apigateway:POST", "/tags/*"),
    ("apigateway:PUT", "/tags/*"),
    ("ec2:AuthorizeSecurityGroupIngress", "security-group-rule/*"),
    ("ec2:RevokeSecurityGroupIngress", "security-group-rule/*"),
    ("ec2:UpdateSecurityGroupRuleDescriptionsEgress", "security-group-rule/*"),
    ("ec2:UpdateSecurityGroupRuleDescriptionsIngress", "security-group-rule/*"),
    ("kms:PutKeyPolicy", "*"),
    *(
        (f"logs:{verb}", "*")
        for verb in (
            "DeleteLogDelivery",
            "GetLogDelivery",
            "ListLogDeliveries",
            "UpdateLogDelivery",
        )
    ),
}


def test_the_role_needs_each_of_its_actions() -> None:
    """Removing any permission from the role makes AWS deny a call that CloudFormation makes.

    Only the permissions in `SPARE` can be removed without this effect.
    """
    called = collect_calls()
    for policy, number, action, resource in find_places():
        less = remove_action(policy, number, action)
        asked = chain(*(called[name] for name in called if fnmatchcase(name, action.lower())))
        is_spare = any(
            action == spare and (resource == end or (end != "*" and resource.endswith(end)))
            for spare, end in SPARE
        )
        assert all(map(less.allow, asked)) == is_spare, (action, resource)


def test_the_checker_finds_a_missing_permission() -> None:
    ((policy, number, action, _),) = find_places("cloudwatch:DeleteAlarms")
    found = list(denied(make_bounded_stack(sets()[0]), remove_action(policy, number, action)))
    assert any("delete ErrorsAlarm: cloudwatch:DeleteAlarms" in one for one in found)


def test_a_template_for_cloudformation_has_no_aliases() -> None:
    """`aws cloudformation deploy` does not support YAML aliases in a template."""
    events = yaml.parse(ROLES.read_text(encoding="utf-8"))
    assert not any(isinstance(one, yaml.events.AliasEvent) for one in events)


# Resources that the role must not change, because they belong to other stacks or to no stack at
# all.

OTHERS = ("waitlist-prod", "waitlist2", "wait", "waitlist-publicfn")


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("tagged", [True, False], ids=["another stack's", "untagged"])
def test_the_role_cannot_change_another_stack(other: str, tagged: bool) -> None:
    """P5"""
    assert re.fullmatch(STACK_NAME, other)
    for one in (Set("default"), Set("edge", {"Edge": "on", "PassKeys": "blue+green"})):
        stack = make(one.parameters | BOUNDARY, other)
        assert list(changeable(stack, EXECUTION, tagged=tagged)) == []


def test_the_checker_finds_a_permission_to_change_another_stack() -> None:
    wide = {"Effect": ALLOW, "Action": "kms:*", "Resource": arn("kms", "key/*")}
    role = Rights(rules("ExecutionRole", "wide", {"Statement": [wide]}))
    found = list(changeable(make(BOUNDARY, "waitlist-prod"), role, tagged=False))
    assert any("delete BluePassKey: kms:ScheduleKeyDeletion" in one for one in found)


@pytest.mark.parametrize(
    ("action", "resource"),
    [
        ("kms:TagResource", arn("kms", "key/1")),
        ("elasticache:AddTagsToResource", arn("elasticache", "user:waitlist-1")),
        ("cloudfront:TagResource", f"arn:aws:cloudfront::{ACCOUNT}:distribution/E1"),
    ],
)
def test_the_role_cannot_replace_the_tag_of_another_stack(action: str, resource: str) -> None:
    asked = {"aws:RequestTag/waitlist:stack": "waitlist"}
    assert EXECUTION.allow(Call(action, resource, asked))
    tagged = asked | {"aws:ResourceTag/waitlist:stack": "waitlist-prod"}
    assert not EXECUTION.allow(Call(action, resource, tagged))


@pytest.mark.parametrize(
    "action",
    [
        "kms:PutKeyPolicy",
        "kms:ScheduleKeyDeletion",
        "kms:UntagResource",
        "kms:UpdateKeyDescription",
    ],
)
def test_tagging_an_encryption_key_gives_the_role_no_access_to_it(action: str) -> None:
    """The role may tag every KMS key, because KMS demands this permission from anybody who creates
    a key.
    """
    tagged = {"aws:ResourceTag/waitlist:stack": "waitlist"}
    signs = {"kms:KeySpec": "RSA_2048", "kms:KeyUsage": "SIGN_VERIFY"}
    encrypts = {"kms:KeySpec": "SYMMETRIC_DEFAULT", "kms:KeyUsage": "ENCRYPT_DECRYPT"}
    key = arn("kms", "key/1")
    assert EXECUTION.allow(Call(action, key, tagged | signs))
    assert not EXECUTION.allow(Call(action, key, tagged | encrypts))


@pytest.mark.parametrize("imported", ["AWS::KMS::Key", "AWS::CloudFront::Distribution"])
def test_a_deployment_cannot_import_resources_into_its_stack(imported: str) -> None:
    """Nobody can use the execution role to import foreign resources into the stack.

    Only CloudFormation can use the role, and only for the stack's own resources.
    """
    stack = arn("cloudformation", "stack/waitlist/1")
    asked = Call("cloudformation:CreateChangeSet", stack)
    assert DEPLOY.allow(asked)
    importing = {"cloudformation:ImportResourceTypes": imported}
    assert not DEPLOY.allow(Call(asked.action, stack, importing))


@pytest.mark.parametrize(
    ("service", "is_allowed"),
    [
        ("com.amazonaws.elasticache.serverless.us-east-1.v1", True),
        ("com.amazonaws.us-east-1.s3", False),
    ],
)
def test_only_vpc_endpoints_of_a_cache_can_be_deleted(service: str, is_allowed: bool) -> None:
    call = Call(
        "ec2:DeleteVpcEndpoints",
        arn("ec2", "vpc-endpoint/vpce-1"),
        {"ec2:VpceServiceName": service},
    )
    assert EXECUTION.allow(call) == is_allowed


def test_the_role_cannot_change_the_network_of_another_stack() -> None:
    group = arn("ec2", "security-group/sg-1")
    assert EXECUTION.allow(Call("ec2:RevokeSecurityGroupEgress", group))
    tagged = {f"aws:ResourceTag/{SYSTEM_TAG}": "waitlist-prod"}
    assert not EXECUTION.allow(Call("ec2:RevokeSecurityGroupEgress", group, tagged))


TABLE = arn("dynamodb", "table/waitlist-WaitlistTable-1A2B3C4D5E6F")
SECRET = arn("secretsmanager", "secret:EntryTokenSecret-1A2B3C4D5E6F-AbCdEf")
LOGS = arn("logs", "log-group:/aws/lambda/waitlist/public")


@pytest.mark.parametrize(
    ("action", "resource"),
    [
        ("dynamodb:DeleteTable", TABLE),
        ("dynamodb:GetItem", TABLE),
        ("dynamodb:Query", TABLE),
        ("dynamodb:Scan", TABLE),
        ("dynamodb:ExportTableToPointInTime", TABLE),
        ("secretsmanager:GetSecretValue", SECRET),
        ("secretsmanager:PutSecretValue", SECRET),
        ("logs:GetLogEvents", LOGS),
        ("logs:FilterLogEvents", LOGS),
        ("sqs:ReceiveMessage", arn("sqs", "waitlist-UndeliveredEvents-1A2B3C4D5E6F")),
        ("kms:Sign", arn("kms", "key/1")),
        ("iam:CreateUser", f"arn:aws:iam::{ACCOUNT}:user/any"),
        ("sts:AssumeRole", f"arn:aws:iam::{ACCOUNT}:role/any"),
    ],
)
def test_a_deployment_can_read_no_data_and_delete_no_table(action: str, resource: str) -> None:
    """P3, P8"""
    tags = {
        "aws:ResourceTag/waitlist:stack": "waitlist",
        f"aws:ResourceTag/{SYSTEM_TAG}": "waitlist",
    }
    for role in (EXECUTION, DEPLOY):
        assert not role.allow(Call(action, resource, tags))


def test_the_roles_accept_the_configured_stack_names() -> None:
    """Stack names have no capital letters. Otherwise, a stack could be named `waitlist-PublicFn-x`,
    and its resources would match the `waitlist` stack's policies.
    """
    for config in ("default", "dev", "prod"):
        assert re.fullmatch(STACK_NAME, CONFIG[config]["deploy"]["parameters"]["stack_name"])
    assert not re.fullmatch(STACK_NAME, "waitlist-PublicFn-x")
    assert all(name[0].isupper() for name in deployed())


def test_cloudformation_would_shorten_a_longer_stack_name() -> None:
    longest = "s" * LONGEST_STACK_NAME
    assert re.fullmatch(STACK_NAME, longest)
    assert not re.fullmatch(STACK_NAME, longest + "s")
    assert list(against_handlers({}, longest, "ap-southeast-1")) == []
    # If the stack's name were two letters longer, CloudFormation would shorten the names of roles,
    # and the policy would no longer match them.
    shortened = f"{longest}ss"
    role = rights_of(roles_of(shortened), "ExecutionRole")
    found = list(denied(make({"PermissionsBoundary": f"{shortened}-boundary"}, shortened), role))
    assert any("create MaintenanceFnRole: iam:CreateRole" in one for one in found)


ROLE = f"arn:aws:iam::{ACCOUNT}:role/waitlist-PublicFnRole-1A2B3C4D5E6F"


@pytest.mark.parametrize(
    "action", ["iam:CreateRole", "iam:PutRolePolicy", "iam:PutRolePermissionsBoundary"]
)
def test_roles_can_only_be_created_with_the_boundary(action: str) -> None:
    """GitHub's role can create only roles with the permissions boundary, so a deployment cannot
    create a role with more permissions than the boundary allows (promise P5).
    """
    boundary = f"arn:aws:iam::{ACCOUNT}:policy/waitlist-boundary"
    assert EXECUTION.allow(Call(action, ROLE, {"iam:PermissionsBoundary": boundary}))
    assert not EXECUTION.allow(Call(action, ROLE, {"iam:PermissionsBoundary": f"{boundary}-2"}))
    assert not EXECUTION.allow(Call(action, ROLE))


@pytest.mark.parametrize(
    ("action", "resource"),
    [
        ("iam:DeleteRolePermissionsBoundary", ROLE),
        ("iam:AttachRolePolicy", ROLE),
        ("iam:CreatePolicyVersion", f"arn:aws:iam::{ACCOUNT}:policy/waitlist-boundary"),
        ("iam:SetDefaultPolicyVersion", f"arn:aws:iam::{ACCOUNT}:policy/waitlist-boundary"),
        ("iam:DeletePolicy", f"arn:aws:iam::{ACCOUNT}:policy/waitlist-boundary"),
    ],
)
def test_the_boundary_cannot_be_changed(action: str, resource: str) -> None:
    """P5"""
    for role in (EXECUTION, DEPLOY):
        assert not role.allow(Call(action, resource))
