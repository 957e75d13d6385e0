"""The AWS commands of docs/operate are AWS': operations and options by their names."""

import re
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from botocore import xform_name
from botocore.session import Session

from tests.deployment.test_operations import CODE, COMMANDS

# Of the CLI itself, for every operation.
COMMON = {"query", "output"}
# What the CLI makes of several calls; its own documentation has their options.
CUSTOM = {
    ("configure", "export-credentials"): {"format"},
    ("cloudformation", "deploy"): {
        "stack-name",
        "capabilities",
        "template-file",
        "parameter-overrides",
    },
}
# Services that the CLI calls otherwise than botocore.
NAMED = {"deploy": "codedeploy", "s3api": "s3"}
JOINED = COMMANDS.replace("\\\n", " ")
CALLS = re.findall(r"\baws ([a-z0-9-]+) ((?:wait )?[a-z-]+)([^\n;|]*)", JOINED)


def cli(name: str) -> str:
    return xform_name(name, "-")


def operations(service: str) -> dict[str, set[str]]:
    """The options of each operation, as the CLI calls them."""
    model: Any = Session().get_service_model(NAMED.get(service, service))
    return {
        cli(name): set(_options(model.operation_model(name).input_shape.members))
        for name in model.operation_names
        if model.operation_model(name).input_shape is not None
    }


def _options(members: dict[str, Any]) -> Iterator[str]:
    for name, shape in members.items():
        yield cli(name)
        if shape.type_name == "boolean":
            yield f"no-{cli(name)}"


def waiters(service: str) -> dict[str, str]:
    model: Any = Session().get_waiter_model(service)
    return {cli(name): cli(model.get_waiter(name).operation) for name in model.waiter_names}


@pytest.mark.parametrize(
    ("service", "command", "rest"), CALLS, ids=[" ".join(call[:2]) for call in CALLS]
)
def test_a_command_is_one_of_the_clis(service: str, command: str, rest: str) -> None:
    options = set(re.findall(r"(?<=\s)--([a-z-]+)", rest)) - COMMON
    if (service, command) in CUSTOM:
        assert options <= CUSTOM[service, command]
        return
    if command.startswith("wait "):
        command = waiters(service)[command.removeprefix("wait ")]
    assert options <= operations(service)[command]


def test_the_commands_are_found() -> None:
    assert len(CALLS) == len(re.findall(r"\baws [a-z]", JOINED)) > 15


@pytest.mark.parametrize("block", [text for _, text in CODE], ids=lambda text: text.split("\n")[0])
def test_a_block_is_shell(block: str) -> None:
    checked = subprocess.run(
        ["/bin/sh", "-n"], input=block, capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")
