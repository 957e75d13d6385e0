"""The pages of docs/operate name existing make targets, parameters, outputs and stacks."""

import re
import tomllib

import pytest

from tests.deployment.documents import tables_of
from tests.deployment.template import RESOURCES, TEMPLATE, named
from tests.deployment.test_documents import anchors
from tests.deployment.test_workflows import targets
from tests.rules.sources import ROOT
from tools.operate import rotate_token_secret

PAGES = ROOT / "docs" / "operate"
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in sorted(PAGES.glob("*.md")))
CODE = re.findall(r"^( *)```sh\n(.*?)^\1```", TEXT, re.M | re.S)
COMMANDS = "\n".join(block for _, block in CODE)
ROLES = (ROOT / "docs" / "operate" / "policies" / "github-oidc-role.yaml").read_text(
    encoding="utf-8"
)


def test_the_make_targets_of_the_documents_exist() -> None:
    asked = set(re.findall(r"(?:^ *|`)make ([a-z-]+)", TEXT, re.M))
    assert {"sam-build", "sam-deploy", "smoke", "rotate-token-secret", "forget-order"} <= asked
    assert asked <= targets()


def test_the_outputs_that_it_reads_are_the_stacks() -> None:
    asked = set(re.findall(r"\boutput ([A-Z]\w+)", COMMANDS))
    asked |= set(re.findall(r"\b(\w+FunctionName)\b", COMMANDS))
    assert asked
    assert asked <= set(TEMPLATE["Outputs"])
    for name in ("DeployRoleArn", "ExecutionRoleArn", "ProviderArn"):
        assert f"`{name}`" in TEXT
        assert f"\n  {name}:\n" in ROLES


def test_the_parameters_that_it_sets_are_the_stacks() -> None:
    parameters = set(TEMPLATE["Parameters"])
    set_here = set(re.findall(r"`([A-Z][a-z][A-Za-z]+)=", TEXT))
    set_here |= set(re.findall(r'"([A-Z][a-z][A-Za-z]+)=', COMMANDS))
    assert {"ExistingTableName", "ExistingTableStreamArn", "Deployment"} <= set_here
    assert set_here - {"SameSite"} <= parameters  # a cookie's attribute


def test_each_way_to_start_is_described() -> None:
    for way in TEMPLATE["Parameters"]["StartUp"]["AllowedValues"]:
        assert f"| `{way}` |" in TEXT


def test_a_restored_table_gets_what_the_stacks_own_has() -> None:
    """DynamoDB restores keys, indexes and encryption; these five it leaves out."""
    table = RESOURCES["WaitlistTable"]["Properties"]
    time_to_live = table["TimeToLiveSpecification"]["AttributeName"]
    assert f"Enabled=true,AttributeName={time_to_live}" in COMMANDS
    assert "PointInTimeRecoveryEnabled=true" in COMMANDS
    assert "--deletion-protection-enabled" in COMMANDS
    assert "--on-demand-throughput MaxWriteRequestUnits=" in COMMANDS
    view = table["StreamSpecification"]["StreamViewType"]
    assert f"StreamEnabled=true,StreamViewType={view}" in COMMANDS
    assert set(table) == {
        "BillingMode",
        "OnDemandThroughput",
        "DeletionProtectionEnabled",
        "AttributeDefinitions",
        "KeySchema",
        "GlobalSecondaryIndexes",
        "PointInTimeRecoverySpecification",
        "SSESpecification",
        "TimeToLiveSpecification",
        "StreamSpecification",
    }, "is what is new kept by a restore? Else it belongs into the document"


def test_the_stacks_are_those_of_the_configuration() -> None:
    config = tomllib.loads((ROOT / "samconfig.toml").read_text(encoding="utf-8"))
    stacks = {
        config[name]["deploy"]["parameters"]["stack_name"] for name in ("default", "dev", "prod")
    }
    assert set(re.findall(r"STACK=([\w-]+)", TEXT)) <= stacks
    assert set(re.findall(r"CONFIG_ENV=(\w+)", TEXT)) <= set(config)


def test_rotation_waits_as_long_as_documented() -> None:
    assert f"at most every {rotate_token_secret.DAYS_BETWEEN} days" in TEXT


@pytest.mark.parametrize("alarm", named("AWS::CloudWatch::Alarm"))
def test_an_alarm_leads_to_the_page_that_explains_it(alarm: str) -> None:
    description = str(named("AWS::CloudWatch::Alarm")[alarm]["AlarmDescription"])
    ((page, anchor),) = re.findall(r"(docs/[a-z/-]+\.md)(?:#([a-z-]+))?$", description)
    assert not anchor or anchor in anchors(ROOT / page)
    assert f"`{alarm}`" in (ROOT / page).read_text(encoding="utf-8")


ASSUMPTIONS = tables_of("docs/internals/aws-assumptions.md")[0]


@pytest.mark.parametrize("row", ASSUMPTIONS, ids=lambda row: row["name"])
def test_a_first_deployment_confirms_each_assumption_about_aws(row: dict[str, str]) -> None:
    steps = (PAGES / "first-deployment.md").read_text(encoding="utf-8").partition("\n## 1.")[2]
    assert re.fullmatch("`[a-z-]+`", row["name"])
    assert row["name"] in steps
    assert all(row.values())
