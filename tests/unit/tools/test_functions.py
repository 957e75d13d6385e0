from typing import Any

from tools.local.functions import (
    MAINTENANCE_NAME,
    PRIVATE_NAME,
    PUBLIC_NAME,
    Backends,
    DeclaredFunction,
    declared_functions,
)
from tools.local.kms import KEY_ARN
from tools.local.table import read_template
from waitlist_api.aws import clients

BACKENDS = Backends(
    redis_url="redis://127.0.0.1:1",
    redis_cluster=False,
    dynamodb_url="http://127.0.0.1:2",
    api_url="http://127.0.0.1:3",
    log_level="WARNING",
)


def declare_functions(**inherited: str) -> dict[str, DeclaredFunction]:
    return declared_functions(read_template(), BACKENDS, inherited)


def test_handlers_and_limits_come_from_the_template() -> None:
    settings = declare_functions()[PRIVATE_NAME].settings
    assert settings.handler == "waitlist_queue.app.lambda_handler"
    assert (settings.timeout_seconds, settings.memory_mb) == (3, 512)
    assert (
        declare_functions()[PUBLIC_NAME].settings.handler
        == "waitlist_api.handlers.public.lambda_handler"
    )
    handler = declare_functions()[MAINTENANCE_NAME].settings.handler
    assert handler == "waitlist_api.handlers.maintenance.lambda_handler"


def test_the_concurrency_of_the_functions_can_be_set() -> None:
    functions = declared_functions(
        read_template(), BACKENDS, {}, private_concurrency=2, public_concurrency=3
    )
    limits = {name: one.settings.concurrency for name, one in functions.items()}
    assert limits == {PRIVATE_NAME: 2, PUBLIC_NAME: 3, MAINTENANCE_NAME: None}


def test_each_function_gets_only_the_variables_that_the_template_names() -> None:
    """P8"""
    functions = declare_functions()
    assert functions[PRIVATE_NAME].environ["REDIS_URL"] == "redis://127.0.0.1:1"
    assert functions[PRIVATE_NAME].environ["REDIS_CLUSTER"] == "false"
    assert "TABLE_NAME" not in functions[PRIVATE_NAME].environ
    assert "ENTRY_TOKEN_SECRET" not in functions[PRIVATE_NAME].environ
    public = functions[PUBLIC_NAME].environ
    assert public["TABLE_NAME"] == "waitlist-local"
    assert public["PRIVATE_FUNCTION_NAME"] == PRIVATE_NAME
    assert public["MAINTENANCE_FUNCTION_NAME"] == MAINTENANCE_NAME
    assert public["AWS_ENDPOINT_URL_LAMBDA"] == "http://127.0.0.1:3"
    assert public["AWS_ENDPOINT_URL_KMS"] == "http://127.0.0.1:3/kms"
    assert (public["PASS_KEY_ARNS"], public["PASS_ISSUER"]) == (KEY_ARN, "http://127.0.0.1:3")
    assert public["POWERTOOLS_SERVICE_NAME"] == "waitlist-public"
    assert "ENTRY_TOKEN_SECRET_ARN" not in public
    assert "REDIS_URL" not in public


def test_the_callers_own_aws_configuration_is_not_used() -> None:
    environ = declare_functions(
        AWS_PROFILE="production",
        AWS_ACCESS_KEY_ID="AKIAREAL",
        AWS_ENDPOINT_URL="https://elsewhere.example.com",
        HTTPS_PROXY="http://proxy.example.com",
        PATH="/bin",
    )[PUBLIC_NAME].environ
    assert environ["AWS_ACCESS_KEY_ID"] == "local"
    assert environ["PATH"] == "/bin"
    assert not environ.keys() & {"AWS_PROFILE", "AWS_ENDPOINT_URL", "HTTPS_PROXY"}


def test_waiting_for_an_environment_ends_before_the_callers_timeout() -> None:
    settings = {name: function.settings for name, function in declare_functions().items()}
    public, private = settings[PUBLIC_NAME], settings[PRIVATE_NAME]
    api_seconds = 25
    assert public.queue_seconds + public.timeout_seconds == api_seconds
    # The client's declared type lacks the `read_timeout` attribute.
    client: Any = clients.LAMBDA
    assert private.queue_seconds + private.timeout_seconds <= client.read_timeout
