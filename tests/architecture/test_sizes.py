"""Files and functions stay small enough to be read at once."""

import ast
from pathlib import Path

import pytest

from tests.architecture.sources import MODULES, SCRIPTS, Module

FILE_LINES = 300
FUNCTION_LINES = 30
SCRIPT_LINES = 70
# They only list what there is: a line for each part that is wired, with nothing to decide.
LISTS = {"waitlist_api.services.on"}

every_module = pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)
Function = ast.FunctionDef | ast.AsyncFunctionDef


def own_lines(function: Function) -> int:
    """Count a function's lines from `def` on, without those of functions inside it."""
    inner = [node for node in function.body if isinstance(node, Function)]
    return _lines(function, function.lineno) - sum(_lines(node, _top(node)) for node in inner)


def _top(function: Function) -> int:
    return min([function.lineno, *[one.lineno for one in function.decorator_list]])


def _lines(function: Function, first: int) -> int:
    return (function.end_lineno or first) - first + 1


@every_module
def test_a_file_is_short(module: Module) -> None:
    assert len(module.text.splitlines()) <= FILE_LINES


@every_module
def test_a_function_is_short(module: Module) -> None:
    functions = [node for node in ast.walk(module.tree) if isinstance(node, Function)]
    long = {
        f"{module.name}.{node.name}": own_lines(node)
        for node in functions
        if own_lines(node) > FUNCTION_LINES
    }
    assert set(long) <= LISTS, long


@pytest.mark.parametrize("path", sorted(SCRIPTS.rglob("*.lua")), ids=lambda path: path.stem)
def test_a_script_is_short(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= SCRIPT_LINES
