"""Each external system is called by only one module. `make lint` checks the layers of the packages
with `lint-imports`.
"""

import ast
import os
import subprocess
import sys

import pytest

from tests.rules.sources import MODULES, PACKAGES, ROOT, Module, imported_modules, modules_of
from tests.support.each import each

every_module = each("module", MODULES)

DYNAMODB_CALLS = {
    "get_item",
    "put_item",
    "update_item",
    "delete_item",
    "query",
    "scan",
    "batch_get_item",
    "batch_write_item",
    "transact_get_items",
    "transact_write_items",
}


def find_called_methods(module: Module) -> set[str]:
    return {
        node.func.attr
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }


@every_module
def test_imports_are_absolute(module: Module) -> None:
    assert not [name for name in module.imports if name.startswith(".")]


def test_only_the_store_and_its_connections_import_redis() -> None:
    importing = [name for name, one in MODULES.items() if one.imports_any_of("redis", "hiredis")]
    assert sorted(importing) == [
        "waitlist_queue.connections",
        "waitlist_queue.error_hints",
        "waitlist_queue.iam_credentials",
        "waitlist_queue.store",
    ]


def test_shared_code_imports_only_the_standard_library_and_msgspec() -> None:
    allowed = {*sys.stdlib_module_names, "msgspec", "waitlist_shared"}
    for module in modules_of("waitlist_shared"):
        assert {name.split(".")[0] for name in module.imports} <= allowed, module.name


def test_only_the_login_by_iam_imports_the_signer() -> None:
    signing = MODULES["waitlist_queue.iam_credentials"]
    importing = [one.name for one in MODULES.values() if signing.name in imported_modules(one)]
    assert importing == ["waitlist_queue.connections"]
    assert not signing.imports_any_of("boto3")


def load_private_function(**environ: str) -> set[str]:
    program = "import sys, waitlist_queue.app as app; app.service(); print(*sys.modules)"
    folders = [str(PACKAGES[name].parent) for name in ("waitlist_queue", "waitlist_shared")]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("REDIS_")}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**inherited, "PYTHONPATH": os.pathsep.join(folders), **environ},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.split(".")[0] for name in done.stdout.split()}


def test_the_private_function_loads_no_aws_client_and_no_pydantic() -> None:
    """AWS clients and pydantic would slow down the private function's cold start, even if only a
    library imported them.
    """
    loaded = load_private_function(REDIS_URL="rediss://cache.example.com:6379")
    assert {"redis", "waitlist_queue", "waitlist_shared", "msgspec"} <= loaded
    assert not loaded & {"boto3", "botocore", "pydantic", "aws_lambda_powertools", "waitlist_api"}


def test_the_signer_is_loaded_before_the_first_redis_call() -> None:
    """P9"""
    cache = "arn:aws:elasticache:eu-west-1:123456789012:serverlesscache:waitlist"
    loaded = load_private_function(
        REDIS_URL="rediss://cache.example.com:6379",
        REDIS_IAM_USER="waitlist",
        REDIS_IAM_CACHE_ARN=cache,
    )
    assert "botocore" in loaded
    assert not loaded & {"boto3", "pydantic", "aws_lambda_powertools", "waitlist_api"}


def test_only_the_records_call_dynamodb() -> None:
    calling = [
        name for name, module in MODULES.items() if find_called_methods(module) & DYNAMODB_CALLS
    ]
    assert calling
    assert all(name.startswith("waitlist_api.records.") for name in calling), calling


def test_only_the_queue_client_invokes_a_function() -> None:
    calling = [name for name, module in MODULES.items() if "invoke" in find_called_methods(module)]
    assert calling == ["waitlist_api.queue.client"]


def test_only_passes_call_kms() -> None:
    calling = [
        name for name, module in MODULES.items() if "get_public_key" in find_called_methods(module)
    ]
    assert calling == ["waitlist_api.auth.passes"]
    signing = [name for name, module in MODULES.items() if "sign" in find_called_methods(module)]
    # The module that signs webhooks is listed too, because it calls a library method named `sign`.
    # That library sends no requests.
    assert sorted(signing) == [*calling, "waitlist_api.webhooks.signatures"]


def test_only_entry_points_read_the_environment() -> None:
    reading = [
        name
        for name, module in MODULES.items()
        if any(
            isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv", "environb")
            for node in ast.walk(module.tree)
        )
    ]
    assert sorted(reading) == [
        "waitlist_api.handlers.events",
        "waitlist_api.handlers.maintenance",
        "waitlist_api.handlers.messages",
        "waitlist_api.handlers.public",
        "waitlist_api.handlers.webhook",
        "waitlist_queue.app",
    ]


@pytest.mark.parametrize(
    "name",
    [
        "waitlist_queue.app",
        "waitlist_api.handlers.public",
        "waitlist_api.handlers.events",
        "waitlist_api.handlers.webhook",
    ],
)
def test_importing_an_entry_point_reads_nothing_from_the_environment(name: str) -> None:
    """Entry points must not read the environment at import time, because tests import them before
    they set the environment.
    """
    folders = os.pathsep.join(str(folder.parent) for folder in PACKAGES.values())
    subprocess.run(
        [sys.executable, "-c", f"import {name}"],
        env={"PYTHONPATH": folders, "PATH": os.environ["PATH"]},
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
