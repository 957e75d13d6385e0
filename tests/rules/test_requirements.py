"""`make run` installs what the run needs, and no tools of the tests."""

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
# What runs with these packages, and what is our own.
RUNNING = (
    *("public_fn", "private_fn", "shared", "cli/waitlist_cli", "tools/local", "tools/demo"),
    "tools/openapi.py",
)
OWN = {"waitlist_api", "waitlist_queue", "waitlist_shared", "waitlist_cli", "tools"}
TESTING = {"pytest", "hypothesis", "mypy", "ruff", "playwright", "cfn-lint", "schemathesis", "uv"}


def listed(path: Path) -> dict[str, Requirement]:
    """Return the packages that a file of requirements names, also by other files."""
    found: dict[str, Requirement] = {}
    for line in path.read_text("utf-8").splitlines():
        text = line.partition("#")[0].strip()
        if other := re.fullmatch(r"-r (.+)", text):
            found |= listed(path.parent / other[1])
        elif text and not text.startswith("-e "):
            one = Requirement(text)
            found[canonicalize_name(one.name)] = one
    return found


def installed(path: Path) -> set[str]:
    """Return the packages that are installed for a file, with what they need themselves."""
    wanted = list(listed(path).values())
    found: set[str] = set()
    while wanted:
        one = wanted.pop()
        name = canonicalize_name(one.name)
        if name in found:
            continue
        found.add(name)
        try:
            needed = map(Requirement, requires(name) or [])
        except PackageNotFoundError:
            continue
        extras = one.extras or {""}
        wanted += [
            other
            for other in needed
            if other.marker is None or any(other.marker.evaluate({"extra": e}) for e in extras)
        ]
    return found


RUN = installed(ROOT / "requirements-run.txt")


def imported() -> set[str]:
    """Return the packages that the code of a run imports, by what is installed here."""
    files = [
        file
        for place in RUNNING
        for file in ([ROOT / place] if place.endswith(".py") else (ROOT / place).rglob("*.py"))
    ]
    names: set[str] = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names |= {one.name.partition(".")[0] for one in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.partition(".")[0])
    distributions = packages_distributions()
    others = names - OWN - set(sys.stdlib_module_names)
    return {canonicalize_name(distributions[name][0]) for name in others}


def test_the_run_installs_each_package_that_it_imports() -> None:
    assert imported() - RUN == set()


def test_the_run_installs_no_tool_of_the_tests() -> None:
    assert not RUN & TESTING
    assert TESTING - listed(ROOT / "requirements-dev.txt").keys() == set()


def test_the_tests_install_the_same_versions_as_the_run() -> None:
    run, dev = listed(ROOT / "requirements-run.txt"), listed(ROOT / "requirements-dev.txt")
    assert {name: str(one.specifier) for name, one in run.items()} == {
        name: str(dev[name].specifier) for name in run
    }


@pytest.mark.parametrize("target", ["run", "token", "demo", "openapi"])
def test_what_a_new_developer_calls_first_installs_what_the_run_needs(target: str) -> None:
    (needed,) = re.findall(rf"^{target}: ([^#\n]*)", MAKEFILE, re.M)
    assert needed.strip() == "$(RUN_INSTALLED)"


def test_every_other_target_installs_the_run_first() -> None:
    (needed,) = re.findall(r"^\$\(INSTALLED\): (.*)", MAKEFILE, re.M)
    assert needed.split()[0] == "$(RUN_INSTALLED)"
