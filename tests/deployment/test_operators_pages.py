"""Tests that the pages in docs/operate name only parameters, outputs, stacks and AWS commands that
exist.
"""

import re
import subprocess
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from botocore import xform_name
from botocore.session import Session
from pydantic_core import PydanticUndefined, to_json

from tests.deployment.deployed import deployed
from tests.deployment.documents import read_tables
from tests.deployment.facts import allowing, of_type
from tests.deployment.template import RESOURCES, TEMPLATE, as_list, named
from tests.deployment.test_documents import find_anchors
from tests.rules.sources import ROOT
from waitlist_api.http.schemas.waitlists import WaitlistBody
from waitlist_api.messages.kinds import KIND_NAMES
from waitlist_api.waitlists.setting_needs import RULES

PAGES = ROOT / "docs" / "operate"
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in sorted(PAGES.glob("*.md")))
CODE = re.findall(r"^( *)```sh\n(.*?)^\1```", TEXT, re.M | re.S)
COMMANDS = "\n".join(block for _, block in CODE)


def test_the_pages_read_outputs_that_the_stack_has() -> None:
    asked = set(re.findall(r"\boutput ([A-Z]\w+)", COMMANDS))
    asked |= set(re.findall(r"\b(\w+FunctionName)\b", COMMANDS))
    assert asked
    assert asked <= set(TEMPLATE["Outputs"])


def test_the_pages_set_parameters_that_the_stack_has() -> None:
    parameters = set(TEMPLATE["Parameters"])
    set_here = set(re.findall(r"`([A-Z][a-z][A-Za-z]+)=", TEXT))
    set_here |= set(re.findall(r'"([A-Z][a-z][A-Za-z]+)=', COMMANDS))
    assert {"ExistingTableName", "ExistingTableStreamArn", "Deployment"} <= set_here
    # These names look like the stack's parameters but mean something else. For example, SameSite is
    # an attribute of cookies.
    assert set_here - {"SameSite", "Name"} <= parameters


def test_each_parameter_is_listed_with_its_default() -> None:
    (table,) = [rows for rows in read_tables("docs/operate/deploy.md") if "parameters" in rows[0]]
    listed = [name for row in table for name in re.findall(r"`([^`]+)`", row["parameters"])]
    stated = [f"{name}={one['Default']}" for name, one in TEMPLATE["Parameters"].items()]
    assert sorted(listed) == sorted(stated)


def test_the_settings_page_lists_each_setting_with_its_default() -> None:
    # The settings are listed in the first table of the page.
    table, *_ = read_tables("docs/operate/lists.md")
    listed = {
        name: row["default"].strip("`")
        for row in table
        for name in re.findall(r"`(\w+)`", row["setting"])
    }
    defaults = {
        name: field.get_default(call_default_factory=True, validated_data={})
        for name, field in WaitlistBody.model_fields.items()
    }
    assert listed == {
        name: "required" if default is PydanticUndefined else to_json(default).decode()
        for name, default in defaults.items()
    }


def test_the_settings_page_explains_each_warning() -> None:
    page = (PAGES / "lists.md").read_text(encoding="utf-8")
    assert re.findall(r"^- `(\w+)`: ", page, re.M) == [rule.code for rule in RULES]


def test_the_messages_page_lists_each_kind_of_message() -> None:
    (table,) = [rows for rows in read_tables("docs/operate/messages.md") if "kind" in rows[0]]
    assert {row["kind"].strip("`") for row in table} == set(KIND_NAMES)


def test_a_restored_table_gets_the_settings_of_the_original_table() -> None:
    """DynamoDB does not restore all of a table's settings from a backup.

    The documented steps copy the missing ones. Keys, indexes and encryption are restored by
    DynamoDB.
    """
    table = RESOURCES["WaitlistTable"]["Properties"]
    time_to_live = table["TimeToLiveSpecification"]["AttributeName"]
    assert f"Enabled=true,AttributeName={time_to_live}" in COMMANDS
    assert "PointInTimeRecoveryEnabled=true" in COMMANDS
    assert "--deletion-protection-enabled" in COMMANDS
    assert "--on-demand-throughput MaxWriteRequestUnits=" in COMMANDS
    assert "--warm-throughput WriteUnitsPerSecond=" in COMMANDS
    view = table["StreamSpecification"]["StreamViewType"]
    assert f"StreamEnabled=true,StreamViewType={view}" in COMMANDS
    assert set(table) == {
        "BillingMode",
        "OnDemandThroughput",
        "WarmThroughput",
        "DeletionProtectionEnabled",
        "AttributeDefinitions",
        "KeySchema",
        "GlobalSecondaryIndexes",
        "PointInTimeRecoverySpecification",
        "SSESpecification",
        "TimeToLiveSpecification",
        "StreamSpecification",
    }, "does a restore keep the new property? If not, add it to the document"


def test_a_restore_stops_and_restarts_each_function_that_writes_to_the_table() -> None:
    """The webhook function may keep running during a restore. It writes only notes about its own
    progress, which no other function reads.
    """
    resources = deployed({"MailFrom": "a@example.com", "WebhookUrl": "https://example.com/hook"})
    role_of = {
        name: function["Role"]["Fn::GetAtt"][0]
        for name, function in of_type(resources, "Lambda::Function")
    }
    writing = {
        role
        for role, statement in allowing(resources)
        if {"dynamodb:PutItem", "dynamodb:UpdateItem"} & set(as_list(statement["Action"]))
    }
    writers = {name for name, role in role_of.items() if role in writing} - {"WebhookFn"}
    page = (PAGES / "restore.md").read_text(encoding="utf-8")
    for verb in ("put", "delete"):
        loop = rf"for FUNCTION in (.*); do\n *aws lambda {verb}-function-concurrency"
        outputs = re.findall(r"output (\w+)", re.findall(loop, page)[0])
        assert {TEMPLATE["Outputs"][name]["Value"]["Ref"] for name in outputs} == writers
    assert writers >= {"PublicFn", "MaintenanceFn", "MessagesFn"}
    for name in role_of.keys() - writers:
        assert f"`{name}`" in page, "the document must say why this function is not stopped"


def test_a_rollback_resets_each_function_and_the_private_function_last() -> None:
    page = (PAGES / "upgrade.md").read_text(encoding="utf-8")
    (loop,) = re.findall(r"for FUNCTION in ([^;]*); do\n *aws lambda get-alias", page)
    functions = [
        TEMPLATE["Outputs"][name]["Value"]["Ref"] for name in re.findall(r"output (\w+)", loop)
    ]
    assert sorted(functions) == sorted(named("AWS::Serverless::Function"))
    assert functions[-1] == "PrivateFn"


def test_the_pages_name_stacks_and_sections_of_samconfig() -> None:
    config = tomllib.loads((ROOT / "samconfig.toml").read_text(encoding="utf-8"))
    stacks = {
        config[name]["deploy"]["parameters"]["stack_name"] for name in ("default", "dev", "prod")
    }
    assert set(re.findall(r"STACK=([\w-]+)", TEXT)) <= stacks
    assert set(re.findall(r"CONFIG_ENV=(\w+)", TEXT)) <= set(config)


@pytest.mark.parametrize("alarm", named("AWS::CloudWatch::Alarm"))
def test_the_description_of_an_alarm_links_to_the_page_that_explains_it(alarm: str) -> None:
    description = str(named("AWS::CloudWatch::Alarm")[alarm]["AlarmDescription"])
    ((page, anchor),) = re.findall(r"(docs/[a-z/-]+\.md)(?:#([a-z-]+))?$", description)
    assert not anchor or anchor in find_anchors(ROOT / page)
    assert f"`{alarm}`" in (ROOT / page).read_text(encoding="utf-8")


# The options that every command of the AWS CLI accepts.
COMMON = {"query", "output"}
# The AWS CLI commands that make several API calls. Their options are listed only in the CLI's
# documentation.
CUSTOM = {
    ("configure", "export-credentials"): {"format"},
    ("cloudformation", "deploy"): {
        "stack-name",
        "capabilities",
        "template-file",
        "parameter-overrides",
    },
}
# The services whose names differ between the AWS CLI and botocore.
NAMED = {"deploy": "codedeploy", "s3api": "s3"}
JOINED = COMMANDS.replace("\\\n", " ")
CALLS = re.findall(r"\baws ([a-z0-9-]+) ((?:wait )?[a-z-]+)([^\n;|]*)", JOINED)


def cli_name(name: str) -> str:
    return xform_name(name, "-")


def read_operations(service: str) -> dict[str, set[str]]:
    model: Any = Session().get_service_model(NAMED.get(service, service))
    return {
        cli_name(name): set(_options(model.operation_model(name).input_shape.members))
        for name in model.operation_names
        if model.operation_model(name).input_shape is not None
    }


def _options(members: dict[str, Any]) -> Iterator[str]:
    for name, shape in members.items():
        yield cli_name(name)
        if shape.type_name == "boolean":
            yield f"no-{cli_name(name)}"


def read_waiters(service: str) -> dict[str, str]:
    model: Any = Session().get_waiter_model(service)
    return {
        cli_name(name): cli_name(model.get_waiter(name).operation) for name in model.waiter_names
    }


@pytest.mark.parametrize(
    ("service", "command", "rest"), CALLS, ids=[" ".join(call[:2]) for call in CALLS]
)
def test_each_command_exists_in_the_aws_cli(service: str, command: str, rest: str) -> None:
    options = set(re.findall(r"(?<=\s)--([a-z-]+)", rest)) - COMMON
    if (service, command) in CUSTOM:
        assert options <= CUSTOM[service, command]
        return
    if command.startswith("wait "):
        command = read_waiters(service)[command.removeprefix("wait ")]
    assert options <= read_operations(service)[command]


def test_all_aws_commands_on_the_pages_are_found() -> None:
    assert len(CALLS) == len(re.findall(r"\baws [a-z]", JOINED)) > 15


@pytest.mark.parametrize("block", [text for _, text in CODE], ids=lambda text: text.split("\n")[0])
def test_each_code_block_is_valid_shell(block: str) -> None:
    checked = subprocess.run(
        ["/bin/sh", "-n"], input=block, capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")
