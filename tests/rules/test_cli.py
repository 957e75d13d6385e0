"""The command line is a package of its own and imports nothing from the server."""

import ast
import sys
from pathlib import Path

import pytest

from tests.rules.sources import ROOT, Module

FOLDER = ROOT / "cli" / "waitlist_cli"
LIBRARIES = {
    "anyascii",
    "botocore",
    "charset_normalizer",
    "httpx",
    "jinja2",
    "platformdirs",
    "rich",
    "segno",
    "starlette",
    "typer",
    "uvicorn",
}
ENVIRONMENT = {"environ", "getenv", "environb"}


def _module(path: Path) -> Module:
    parts = path.relative_to(FOLDER.parent).with_suffix("").parts
    return Module(".".join(parts).removesuffix(".__init__"), path)


MODULES = [_module(path) for path in sorted(FOLDER.rglob("*.py"))]
every_module = pytest.mark.parametrize("module", MODULES, ids=[one.name for one in MODULES])


@every_module
def test_the_command_line_imports_only_itself_and_its_libraries(module: Module) -> None:
    allowed = {*sys.stdlib_module_names, *LIBRARIES, "waitlist_cli"}
    assert {name.split(".")[0] for name in module.imports} <= allowed


def test_the_command_line_installs_the_libraries_that_it_imports() -> None:
    text = (ROOT / "cli" / "pyproject.toml").read_text("utf-8")
    imported = {name.split(".")[0] for module in MODULES for name in module.imports}
    assert imported & LIBRARIES == LIBRARIES
    assert all(f'"{name.replace("_", "-")}>=' in text for name in LIBRARIES)


def test_only_one_module_reads_the_environment() -> None:
    reading = [
        module.name
        for module in MODULES
        if any(
            isinstance(node, ast.Attribute) and node.attr in ENVIRONMENT
            for node in ast.walk(module.tree)
        )
    ]
    assert reading == ["waitlist_cli.terminal.context"]


def test_only_one_module_sends_requests() -> None:
    """Only three modules use an HTTP library. One sends requests, one creates the client, and one
    signs requests.
    """
    speaking = [module.name for module in MODULES if module.imports_any_of("httpx")]
    assert speaking == [
        "waitlist_cli.client.api",
        "waitlist_cli.client.sigv4",
        "waitlist_cli.terminal.context",
    ]
