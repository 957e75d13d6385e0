"""Tests the routes, the table, the logs, the schedule, the environment variables and the runtime
that template.yaml declares.
"""

import json
import re

import pytest

from tests.deployment.deployed import deployed
from tests.deployment.template import (
    RESOURCES,
    TEMPLATE,
    functions,
    named,
    route_authorizers,
)
from tests.rules.sources import ROOT
from tools.deploy.limits import NON_KEY_ATTRIBUTES
from tools.deploy.stack import make, translated
from waitlist_api.http.routing import all_routes
from waitlist_api.records.places import READ_FROM_INDEX

METHODS = {"get", "put", "post", "delete", "patch", "head", "options"}


def test_there_is_no_catch_all_route() -> None:
    """A request to an unknown path starts no function (promise P5)."""
    by_name = re.compile(r"(GET|HEAD|PUT|POST|PATCH|DELETE) (/[a-z0-9_.-]+|/\{[a-z_]+\})+")
    for route in route_authorizers():
        assert by_name.fullmatch(route), route


def test_the_template_and_the_application_have_the_same_routes() -> None:
    """Only the `/docs` route is missing from the template, because it exists only in a local run.

    API Gateway requires a signature with IAM credentials on exactly the routes for operators
    (promise P5).
    """
    template = {route: authorizer is not None for route, authorizer in route_authorizers().items()}
    routes = {route.key: route.operation.audience == "operator" for route in all_routes()}
    assert routes == template | {"GET /docs": False}


def test_the_table_has_expiry_and_a_stream_and_its_index_cannot_stop_it() -> None:
    """The checks in facts.py cover the table's encryption, recovery and retention."""
    table = RESOURCES["WaitlistTable"]["Properties"]
    assert table["TimeToLiveSpecification"] == {"AttributeName": "expires_at", "Enabled": True}
    assert table["StreamSpecification"] == {"StreamViewType": "NEW_AND_OLD_IMAGES"}
    assert "OnDemandThroughput" not in table["GlobalSecondaryIndexes"][0], "it would stop the table"
    # If the index could take fewer writes than the table, DynamoDB would slow down writes to the
    # table, so both have the same warm throughput.
    for warm in (table["WarmThroughput"], table["GlobalSecondaryIndexes"][0]["WarmThroughput"]):
        _, given, otherwise = warm["Fn::If"]
        assert given == {"WriteUnitsPerSecond": {"Ref": "WarmThroughput"}}
        assert otherwise == {"Ref": "AWS::NoValue"}
    assert "TableName" not in table, "a retained table with a fixed name blocks the next stack"


def test_the_index_projects_the_attributes_that_are_read_and_has_room() -> None:
    """The index contains every attribute that the service reads from it.

    DynamoDB allows 20 such attributes, two of which are kept free for later releases.
    """
    (index,) = RESOURCES["WaitlistTable"]["Properties"]["GlobalSecondaryIndexes"]
    assert index["Projection"]["ProjectionType"] == "INCLUDE"
    projected = index["Projection"]["NonKeyAttributes"]
    # Queries on the index filter by `updated_millis`, so the index must contain this attribute.
    assert sorted(projected) == sorted([*READ_FROM_INDEX, "updated_millis"])
    assert len(projected) <= NON_KEY_ATTRIBUTES - 2
    keys = {one["AttributeName"] for one in index["KeySchema"]} | {"pk", "sk"}
    assert not keys & set(projected), "DynamoDB projects keys by itself"


@pytest.mark.parametrize("reserved", ["0", "10"])
def test_maintenance_has_reserved_environments_if_the_account_has_room(reserved: str) -> None:
    """By default, the stack reserves no concurrency for the maintenance function, because Lambda
    refuses such a reservation in new AWS accounts.
    """
    stack = deployed({"MaintenanceConcurrency": reserved})
    function = stack["MaintenanceFn"]["Properties"]
    given = {"Ref": "MaintenanceConcurrency"} if reserved != "0" else None
    assert function.get("ReservedConcurrentExecutions") == given
    assert TEMPLATE["Parameters"]["MaintenanceConcurrency"]["Default"] == 0


def test_each_function_logs_json_to_its_own_group() -> None:
    for name, function in functions().items():
        group = {"Ref": f"{name}LogGroup"}
        quiet = {} if name == "MaintenanceFn" else {"SystemLogLevel": "WARN"}
        assert function["LoggingConfig"] == {"LogGroup": group, "LogFormat": "JSON", **quiet}


def test_the_access_log_has_no_personal_data() -> None:
    """The access log contains the route's name but not the path, and neither the caller's address
    nor their browser (promise P8).
    """
    settings = named("AWS::Serverless::HttpApi")["Api"]["AccessLogSettings"]
    assert settings["DestinationArn"]["Fn::GetAtt"][0] in named("AWS::Logs::LogGroup")
    logged = set(json.loads(settings["Format"]).values())
    assert logged <= {
        "$context.requestId",
        "$context.requestTime",
        "$context.routeKey",
        "$context.status",
        "$context.responseLatency",
        "$context.responseLength",
        "$context.integrationStatus",
        "$context.integrationLatency",
        "$context.error.responseType",
    }


def test_no_allowed_log_level_makes_libraries_log_whole_requests() -> None:
    """At the `DEBUG` level, botocore would log each request, including customers' profiles (promise
    P8).
    """
    assert "DEBUG" not in TEMPLATE["Parameters"]["LogLevel"]["AllowedValues"]


def test_maintenance_runs_every_minute_and_lambda_does_not_retry_it() -> None:
    function = functions()["MaintenanceFn"]
    (event,) = function["Events"].values()
    assert event["Type"] == "Schedule"
    assert event["Properties"]["Schedule"] == "rate(1 minute)"
    assert event["Properties"]["RetryPolicy"]["MaximumRetryAttempts"] == 0
    assert function["EventInvokeConfig"]["MaximumRetryAttempts"] == 0


@pytest.mark.parametrize("function", functions())
def test_the_code_reads_every_variable_of_its_function(function: str) -> None:
    folders = (ROOT / functions()[function]["CodeUri"], ROOT / "shared")
    files = [path for folder in folders for path in folder.rglob("*.py")]
    code = "".join(path.read_text(encoding="utf-8") for path in files)
    by_libraries = ("AWS_", "POWERTOOLS_")
    variables = functions()[function]["Environment"]["Variables"]
    own = {name for name in variables if not name.startswith(by_libraries)}
    assert {name for name in own if f'"{name}"' not in code} == set()


def test_functions_and_layer_are_built_for_the_same_runtime() -> None:
    common = TEMPLATE["Globals"]["Function"]
    layer = RESOURCES["SharedLayer"]
    assert common["Runtime"] == layer["Metadata"]["BuildMethod"] == "python3.13"
    assert common["Architectures"] == [{"Ref": "Architecture"}]
    assert layer["Metadata"]["BuildArchitecture"] == {"Ref": "Architecture"}
    assert common["Layers"] == [{"Ref": "SharedLayer"}]


@pytest.mark.parametrize(
    "parameters",
    [
        {"StartUp": "provisioned", "ProvisionedConcurrency": "3", "Edge": "on"},
        {"Deployment": "Canary10Percent5Minutes", "MailFrom": "line@example.com"},
    ],
)
def test_stacks_that_share_a_translated_template_are_as_cloudformation_creates_them(
    parameters: dict[str, str],
) -> None:
    shared, own = make(parameters), make(parameters, template=translated(parameters))
    assert (shared.resources, shared.outputs) == (own.resources, own.outputs)
