"""Tests that `make run` installs the packages that the local run needs, and no test tools."""

import ast
import re
import sys
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.rules.sources import ROOT

MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
# The code behind `make run` and similar commands, and the names of the project's own packages.
RUNNING = (
    *("public_fn", "private_fn", "shared", "cli/waitlist_cli", "tools/local", "tools/demo"),
    "tools/openapi.py",
)
OWN = {"waitlist_api", "waitlist_queue", "waitlist_shared", "waitlist_cli", "tools"}
TESTING = {"pytest", "hypothesis", "mypy", "ruff", "playwright", "cfn-lint", "schemathesis", "uv"}


def read_requirements(path: Path) -> dict[str, Requirement]:
    found: dict[str, Requirement] = {}
    for line in path.read_text("utf-8").splitlines():
        text = line.partition("#")[0].strip()
        if other := re.fullmatch(r"-r (.+)", text):
            found |= read_requirements(path.parent / other[1])
        elif text and not text.startswith("-e "):
            requirement = Requirement(text)
            found[canonicalize_name(requirement.name)] = requirement
    return found


def find_installed(path: Path) -> set[str]:
    wanted = list(read_requirements(path).values())
    found: set[str] = set()
    while wanted:
        requirement = wanted.pop()
        name = canonicalize_name(requirement.name)
        if name in found:
            continue
        found.add(name)
        try:
            needed = map(Requirement, requires(name) or [])
        except PackageNotFoundError:
            continue
        extras = requirement.extras or {""}
        wanted += [
            other
            for other in needed
            if other.marker is None or any(other.marker.evaluate({"extra": e}) for e in extras)
        ]
    return found


RUN = find_installed(ROOT / "requirements-run.txt")


def find_imported() -> set[str]:
    files = [
        file
        for place in RUNNING
        for file in ([ROOT / place] if place.endswith(".py") else (ROOT / place).rglob("*.py"))
    ]
    names: set[str] = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.partition(".")[0])
    distributions = packages_distributions()
    others = names - OWN - set(sys.stdlib_module_names)
    return {canonicalize_name(distributions[name][0]) for name in others}


def test_the_run_installs_each_package_that_it_imports() -> None:
    assert find_imported() - RUN == set()


def test_the_run_installs_no_test_tools() -> None:
    assert not RUN & TESTING
    assert TESTING - read_requirements(ROOT / "requirements-dev.txt").keys() == set()


def test_the_tests_install_the_same_versions_as_the_run() -> None:
    run, dev = (
        read_requirements(ROOT / "requirements-run.txt"),
        read_requirements(ROOT / "requirements-dev.txt"),
    )
    assert {name: str(requirement.specifier) for name, requirement in run.items()} == {
        name: str(dev[name].specifier) for name in run
    }


@pytest.mark.parametrize("target", ["run", "token", "demo", "openapi"])
def test_the_first_commands_of_a_new_developer_install_only_the_packages_of_the_run(
    target: str,
) -> None:
    (needed,) = re.findall(rf"^{target}: ([^#\n]*)", MAKEFILE, re.M)
    assert needed.strip() == "$(RUN_INSTALLED)"


def test_all_other_commands_install_the_packages_of_the_run_first() -> None:
    (needed,) = re.findall(r"^\$\(INSTALLED\): (.*)", MAKEFILE, re.M)
    assert needed.split()[0] == "$(RUN_INSTALLED)"
