"""Check the files that have changed since the last commit.

`make quick` runs this program. It checks the format, lint and types of the whole repository, and
runs the tests that concern the changed files. `make check` runs all tests.
"""

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
PACKAGES = ("public_fn", "private_fn", "shared", "cli")
# Folders whose tests start no other processes.
FAST = ("tests/unit", "tests/rules", "tests/service/contract", "tests/deployment")
OF_SCRIPTS = ("tests/rules/test_scripts.py", "tests/queue/test_queue.py")
OF_DOCUMENTS = ("tests/deployment/test_documents.py",)
# The tests of the queue's behaviour can run on one server or on a cluster. One server is enough
# here.
ON_ONE_SERVER = ("-k", "not cluster")


def changed_files() -> list[str]:
    found = _git("diff", "--name-only", "--diff-filter=d", "HEAD")
    return sorted({*found, *_git("ls-files", "--others", "--exclude-standard")})


def tests_of(changed: Iterable[str]) -> set[str]:
    """Return the changed test files, and the fast test files that name a changed module."""
    selected: set[str] = set()
    for name in changed:
        path = Path(name)
        if path.suffix == ".lua":
            selected.update(OF_SCRIPTS)
        elif path.suffix == ".md":
            selected.update(OF_DOCUMENTS)
        elif name.startswith("tests/") and path.match("test_*.py"):
            selected.add(name)
        elif path.suffix == ".py":
            selected.update(_tests_that_name(_module_of(path)))
    return selected


def _module_of(path: Path) -> str:
    parts = path.with_suffix("").parts
    parts = parts[1:] if parts[0] in PACKAGES else parts
    return ".".join(part for part in parts if part != "__init__")


def _tests_that_name(module: str) -> Iterator[str]:
    package, _, name = module.rpartition(".")
    named = re.compile(rf"{re.escape(module)}\b|from {re.escape(package)} import .*\b{name}\b")
    for folder in FAST:
        for file in sorted((ROOT / folder).rglob("test_*.py")):
            if named.search(file.read_text(encoding="utf-8")):
                yield str(file.relative_to(ROOT))


def _git(*arguments: str) -> list[str]:
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def main() -> int:
    commands: list[tuple[str, ...]] = [
        ("ruff", "format", "--check", "--quiet", "."),
        ("ruff", "check", "--quiet", "."),
        # mypy's daemon remembers the types of all modules, so only its first run takes minutes.
        ("dmypy", "run", "--timeout", "36000"),
    ]
    if selected := sorted(tests_of(changed_files())):
        commands.append(("pytest", "--numprocesses", "2", *ON_ONE_SERVER, *selected))
    statuses = [
        subprocess.run([str(BIN / tool), *options], cwd=ROOT, check=False).returncode
        for tool, *options in commands
    ]
    return max(statuses)


if __name__ == "__main__":
    sys.exit(main())
