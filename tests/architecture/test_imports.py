"""Imports point down, and each outside world has one door."""

import ast
import os
import subprocess
import sys
from graphlib import TopologicalSorter

import pytest

from tests.architecture.sources import MODULES, PACKAGES, ROOT, Module, imported_modules, modules_of

every_module = pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)

# From above to below; a module that is not named stands with the services.
LEVELS = {
    "waitlist_api.app": 0,
    "waitlist_api.maintenance": 0,
    "waitlist_api.api": 1,
    "waitlist_api.routes": 2,
    "waitlist_api.services": 3,
    "waitlist_api": 4,
    "waitlist_api.records": 5,
    "waitlist_api.queue_client": 5,
    "waitlist_api.clock": 6,
    "waitlist_api.config": 6,
    "waitlist_api.errors": 6,
    "waitlist_api.segments.declared": 6,
    "waitlist_api.telling.tally": 6,
    "waitlist_queue.app": 0,
    "waitlist_queue.telling": 0,
    "waitlist_queue.service": 1,
    "waitlist_queue.operations": 2,
    "waitlist_queue": 4,
    "waitlist_queue.store": 5,
    "waitlist_queue.connections": 6,
    "waitlist_queue.call_time": 7,
    "waitlist_queue.config": 7,
    "waitlist_queue.iam_credentials": 7,
    "waitlist_queue.keys": 6,
    "waitlist_queue.remedies": 6,
    "waitlist_queue.scripts": 6,
    "waitlist_shared": 8,
}
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


def level_of(name: str) -> int:
    known = [prefix for prefix in LEVELS if name == prefix or name.startswith(f"{prefix}.")]
    return LEVELS[max(known, key=len)]


def calls_of(module: Module) -> set[str]:
    """Return the names of the methods that a module calls."""
    return {
        node.func.attr
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }


@every_module
def test_imports_point_down(module: Module) -> None:
    upward = {name for name in imported_modules(module) if level_of(name) < level_of(module.name)}
    assert upward == set()


def test_imports_make_no_circle() -> None:
    TopologicalSorter({name: imported_modules(one) for name, one in MODULES.items()}).prepare()


@every_module
def test_imports_are_absolute(module: Module) -> None:
    assert not [name for name in module.imports if name.startswith(".")]


def test_only_the_store_and_its_connections_import_redis() -> None:
    importing = [name for name, one in MODULES.items() if one.imports_any_of("redis", "hiredis")]
    assert sorted(importing) == [
        "waitlist_queue.connections",
        "waitlist_queue.iam_credentials",
        "waitlist_queue.remedies",
        "waitlist_queue.store",
    ]


def test_the_two_functions_do_not_import_each_other() -> None:
    for module in modules_of("waitlist_api"):
        assert not module.imports_any_of("waitlist_queue"), module.name
    for module in modules_of("waitlist_queue"):
        assert not module.imports_any_of("waitlist_api"), module.name


def test_what_is_shared_imports_neither_function() -> None:
    allowed = {*sys.stdlib_module_names, "msgspec", "waitlist_shared"}
    for module in modules_of("waitlist_shared"):
        assert {name.split(".")[0] for name in module.imports} <= allowed, module.name


def test_the_private_function_imports_no_aws_client_and_no_pydantic() -> None:
    heavy = ("boto3", "botocore", "pydantic", "aws_lambda_powertools")
    for module in modules_of("waitlist_queue", "waitlist_shared"):
        if module.name != "waitlist_queue.iam_credentials":
            assert not module.imports_any_of(*heavy), module.name


def test_only_what_logs_in_by_iam_imports_what_signs() -> None:
    signing = MODULES["waitlist_queue.iam_credentials"]
    importing = [one.name for one in MODULES.values() if signing.name in imported_modules(one)]
    assert importing == ["waitlist_queue.connections"]
    assert not signing.imports_any_of("boto3")


def loaded_by_private_function(**environ: str) -> set[str]:
    """Return the packages that the function has loaded when it begins to answer."""
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
    """Nor do the libraries that it imports: a cold start pays for each of them."""
    loaded = loaded_by_private_function(REDIS_URL="rediss://cache.example.com:6379")
    assert {"redis", "waitlist_queue", "waitlist_shared", "msgspec"} <= loaded
    assert not loaded & {"boto3", "botocore", "pydantic", "aws_lambda_powertools", "waitlist_api"}


def test_what_signs_is_loaded_before_the_first_call_of_redis_whose_time_is_short() -> None:
    """P9"""
    cache = "arn:aws:elasticache:eu-west-1:123456789012:serverlesscache:waitlist"
    loaded = loaded_by_private_function(
        REDIS_URL="rediss://cache.example.com:6379",
        REDIS_IAM_USER="waitlist",
        REDIS_IAM_CACHE_ARN=cache,
    )
    assert "botocore" in loaded
    assert not loaded & {"boto3", "pydantic", "aws_lambda_powertools", "waitlist_api"}


def test_only_the_records_call_dynamodb() -> None:
    calling = [name for name, module in MODULES.items() if calls_of(module) & DYNAMODB_CALLS]
    assert calling
    assert all(name.startswith("waitlist_api.records.") for name in calling), calling


def test_only_the_queue_client_invokes_a_function() -> None:
    calling = [name for name, module in MODULES.items() if "invoke" in calls_of(module)]
    assert calling == ["waitlist_api.queue_client"]


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
        "waitlist_api.app",
        "waitlist_api.maintenance",
        "waitlist_queue.app",
    ]


@pytest.mark.parametrize("name", ["waitlist_queue.app", "waitlist_api.app"])
def test_importing_an_entry_point_reads_nothing_from_the_environment(name: str) -> None:
    """A test may import it before it says where anything is."""
    folders = os.pathsep.join(str(folder.parent) for folder in PACKAGES.values())
    subprocess.run(
        [sys.executable, "-c", f"import {name}"],
        env={"PYTHONPATH": folders, "PATH": os.environ["PATH"]},
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
