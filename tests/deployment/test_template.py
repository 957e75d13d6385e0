"""Checks the routes, table, logs, schedule, variables and runtime that the template declares."""

import json
import re
from typing import Any

import pytest

from tests.deployment.deployed import deployed
from tests.deployment.template import (
    RESOURCES,
    TEMPLATE,
    functions,
    named,
    route_authorizers,
)
from tools.deploy.limits import NON_KEY_ATTRIBUTES
from tools.local.table import create_table_request
from waitlist_api.http.routing import all_routes
from waitlist_api.records.places import READ_FROM_INDEX

METHODS = {"get", "put", "post", "delete", "patch", "head", "options"}
LOCAL_ONLY = {
    "ENTRY_TOKEN_SECRET",
    "BOT_CHECK_SECRET",
    "BOT_CHECK_URL",
    "BOT_CHECK_SCRIPT_URL",
    "AWS_ENDPOINT_URL_DYNAMODB",
    "AWS_ENDPOINT_URL_KMS",
    "AWS_ENDPOINT_URL_LAMBDA",
    "AWS_ENDPOINT_URL_SQS",
    "WEBHOOK_ONLY_LOOPBACK",
    "WEBHOOK_SECRET",
}


def test_there_is_no_catch_all_route() -> None:
    """There is no route for all other paths, so a request for an unknown path does not invoke a
    function (promise P5).
    """
    by_name = re.compile(r"(GET|HEAD|PUT|POST|PATCH|DELETE) (/[a-z0-9_.-]+|/\{[a-z_]+\})+")
    for route in route_authorizers():
        assert by_name.fullmatch(route), route


def test_the_template_and_the_application_have_the_same_routes() -> None:
    """The template and the application have the same routes. A route identifies an operator if and
    only if API Gateway checks IAM.

    The template has no route /docs, because only the local run has this route (promise P5).
    """
    template = {route: authorizer is not None for route, authorizer in route_authorizers().items()}
    routes = {route.key: route.operation.audience == "operator" for route in all_routes()}
    assert routes == template | {"GET /docs": False}


def test_the_table_has_expiry_a_stream_and_on_demand_capacity() -> None:
    """The table has an expiry attribute, a stream and on-demand capacity.

    facts.py checks the encryption, recovery and retention of the table.
    """
    table = RESOURCES["WaitlistTable"]["Properties"]
    assert table["TimeToLiveSpecification"] == {"AttributeName": "expires_at", "Enabled": True}
    assert table["StreamSpecification"] == {"StreamViewType": "NEW_AND_OLD_IMAGES"}
    assert table["BillingMode"] == "PAY_PER_REQUEST"
    assert table["OnDemandThroughput"] == {
        "MaxWriteRequestUnits": {"Ref": "MaxWriteUnitsPerSecond"}
    }
    assert "OnDemandThroughput" not in table["GlobalSecondaryIndexes"][0], "it would stop the table"
    # The index gets the same throughput as the table, because a throttled index throttles the
    # table.
    for warm in (table["WarmThroughput"], table["GlobalSecondaryIndexes"][0]["WarmThroughput"]):
        _, given, otherwise = warm["Fn::If"]
        assert given == {"WriteUnitsPerSecond": {"Ref": "WarmThroughput"}}
        assert otherwise == {"Ref": "AWS::NoValue"}
    assert "TableName" not in table, "a retained table with a fixed name blocks the next stack"


def test_the_index_projects_the_attributes_that_are_read_and_has_room() -> None:
    """The index projects the attributes that are read, and has room for new attributes, so that no
    second index is needed.

    DynamoDB allows 20 attributes for each index.
    """
    (index,) = RESOURCES["WaitlistTable"]["Properties"]["GlobalSecondaryIndexes"]
    assert index["Projection"]["ProjectionType"] == "INCLUDE"
    projected = index["Projection"]["NonKeyAttributes"]
    # `updated_millis` is projected because a filter compares it.
    assert sorted(projected) == sorted([*READ_FROM_INDEX, "updated_millis"])
    assert len(projected) <= NON_KEY_ATTRIBUTES - 2
    keys = {one["AttributeName"] for one in index["KeySchema"]} | {"pk", "sk"}
    assert not keys & set(projected), "DynamoDB projects keys by itself"


@pytest.mark.parametrize("reserved", ["0", "10"])
def test_maintenance_has_reserved_environments_if_the_account_has_room(reserved: str) -> None:
    """Maintenance has reserved environments if the account has room.

    By default, nothing is reserved, because Lambda would refuse a reservation in a new account.
    """
    stack = deployed({"MaintenanceConcurrency": reserved})
    function = stack["MaintenanceFn"]["Properties"]
    given = {"Ref": "MaintenanceConcurrency"} if reserved != "0" else None
    assert function.get("ReservedConcurrentExecutions") == given
    assert TEMPLATE["Parameters"]["MaintenanceConcurrency"]["Default"] == 0


def test_a_local_table_has_the_schema_of_the_deployed_table() -> None:
    request = create_table_request("any")
    table = RESOURCES["WaitlistTable"]["Properties"]
    for name in ("AttributeDefinitions", "KeySchema"):
        assert request[name] == table[name]
    (index,), (local,) = table["GlobalSecondaryIndexes"], request["GlobalSecondaryIndexes"]
    assert index == {**local, "WarmThroughput": index["WarmThroughput"]}


def test_each_function_logs_json_to_its_own_group() -> None:
    for name, function in functions().items():
        group = {"Ref": f"{name}LogGroup"}
        quiet = {} if name == "MaintenanceFn" else {"SystemLogLevel": "WARN"}
        assert function["LoggingConfig"] == {"LogGroup": group, "LogFormat": "JSON", **quiet}


def test_the_access_log_has_no_personal_data() -> None:
    """The access log has no personal data. It contains the route but not the path, and no address,
    user agent or caller (promise P8).
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
    """No allowed log level makes libraries log whole requests.

    At the level DEBUG, botocore logs the requests that it sends, including customers' profiles
    (promise P8).
    """
    assert TEMPLATE["Parameters"]["LogLevel"]["AllowedValues"] == ["INFO", "WARNING", "ERROR"]


def test_maintenance_runs_every_minute_and_lambda_does_not_retry_it() -> None:
    function = functions()["MaintenanceFn"]
    (event,) = function["Events"].values()
    assert event["Type"] == "Schedule"
    assert event["Properties"]["Schedule"] == "rate(1 minute)"
    assert event["Properties"]["RetryPolicy"]["MaximumRetryAttempts"] == 0
    assert function["EventInvokeConfig"]["MaximumRetryAttempts"] == 0


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (
            "PublicFn",
            {
                "TABLE_NAME",
                "PRIVATE_FUNCTION_NAME",
                "MAINTENANCE_FUNCTION_NAME",
                "ENTRY_TOKEN_SECRET_ARN",
                "JWT_ISSUER",
                "PASS_KEY_ARNS",
                "PASS_ISSUER",
                "CORS_ORIGINS",
                "EDGE_KEY_ARNS",
                "WEBHOOK_QUEUE_URL",
                "WEBHOOK_DEAD_LETTERS_URL",
                "MESSAGES_FUNCTION_NAME",
                "MESSAGE_CHANNELS",
                "BOT_CHECK",
                "BOT_CHECK_SITE_KEY",
                "BOT_CHECK_SECRET_ARN",
                "LOG_LEVEL",
                "METRICS",
                "METRICS_NAMESPACE",
                "POWERTOOLS_SERVICE_NAME",
            },
        ),
        (
            "MaintenanceFn",
            {
                "TABLE_NAME",
                "PRIVATE_FUNCTION_NAME",
                "LOG_LEVEL",
                "METRICS",
                "METRICS_NAMESPACE",
            },
        ),
        (
            "PrivateFn",
            {
                "REDIS_URL",
                "REDIS_CLUSTER",
                "REDIS_HAS_RUN_IDS",
                "REDIS_IAM_USER",
                "REDIS_IAM_CACHE_ARN",
                "LOG_LEVEL",
                "METRICS",
                "METRICS_NAMESPACE",
            },
        ),
        (
            "WebhookFn",
            {
                "TABLE_NAME",
                "WEBHOOK_URL",
                "WEBHOOK_QUEUE_URL",
                "WEBHOOK_DEAD_LETTERS_URL",
                "WEBHOOK_SECRET_ARN",
                "LOG_LEVEL",
                "METRICS",
                "METRICS_NAMESPACE",
            },
        ),
    ],
)
def test_a_deployed_function_has_exactly_these_variables(function: str, names: set[str]) -> None:
    variables: dict[str, Any] = functions()[function]["Environment"]["Variables"]
    absent = {name for name, value in variables.items() if value == {"Ref": "AWS::NoValue"}}
    assert set(variables) - absent == names
    assert absent <= LOCAL_ONLY


def test_functions_and_layer_are_built_for_the_same_runtime() -> None:
    common = TEMPLATE["Globals"]["Function"]
    layer = RESOURCES["SharedLayer"]
    assert common["Runtime"] == layer["Metadata"]["BuildMethod"] == "python3.13"
    assert common["Architectures"] == [{"Ref": "Architecture"}]
    assert layer["Metadata"]["BuildArchitecture"] == {"Ref": "Architecture"}
    assert common["Layers"] == [{"Ref": "SharedLayer"}]
