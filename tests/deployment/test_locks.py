"""Tests that lock files pin the version and the hash of every package that is deployed or that the
deployment uses.

The lock files must be up to date.
"""

import re
from pathlib import Path

import pytest

from tests.deployment.test_workflows import DEPLOY, commands, steps
from tests.rules.sources import ROOT
from tools import locks

LOCKS = [ROOT / name for name in locks.LOCKS]
PINNED = re.compile(r"^([a-z0-9.-]+)==([^;\\\s]+)", re.M)
each_lock = pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: str(lock.relative_to(ROOT)))
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def read_rule(target: str) -> tuple[str, str]:
    (found,) = re.findall(rf"^{re.escape(target)}: ?([^#\n]*).*\n((?:\t.*\n)*)", MAKEFILE, re.M)
    return found[0].strip(), found[1]


@each_lock
def test_each_lock_is_made_from_the_current_source(lock: Path) -> None:
    assert locks.is_current(lock), "`make locks` writes it"


def test_a_changed_source_makes_a_lock_outdated(tmp_path: Path) -> None:
    lock, source = tmp_path / "requirements.txt", tmp_path / "requirements.in"
    source.write_text("redis==8.1.0\n", "utf-8")
    assert not locks.is_current(lock)
    lock.write_text(f"{locks.DIGEST}{locks.digest_of(source)}\n", "utf-8")
    assert locks.is_current(lock)
    source.write_text("redis==8.1.1\n", "utf-8")
    assert not locks.is_current(lock)


def test_a_lock_is_written_with_the_digest_of_its_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    def compiled(command: list[str], **_: object) -> None:
        asked.append(command)
        (tmp_path / "requirements.txt").write_text("redis==8.1.0\n", "utf-8")

    monkeypatch.setattr(locks, "ROOT", tmp_path)
    monkeypatch.setattr(locks, "LOCKS", {"requirements.txt": "3.13"})
    monkeypatch.setattr("tools.locks.subprocess.run", compiled)
    (tmp_path / "requirements.in").write_text("redis==8.1.0\n", "utf-8")
    assert locks.main([]) == 0
    assert locks.main(["--upgrade"]) == 0
    assert locks.is_current(tmp_path / "requirements.txt")
    assert {"--generate-hashes", "--universal", "--no-build"} <= set(asked[0])
    assert ["--upgrade" in command for command in asked] == [False, True]


def test_sam_is_installed_by_hash_from_wheels_only() -> None:
    needed, recipe = read_rule("$(SAM_INSTALLED)")
    assert needed == "$(SAM_LOCK)"
    installing = [line for line in recipe.splitlines() if "pip install" in line]
    assert len(installing) == 1
    assert "--require-hashes --no-deps --only-binary :all: -r $(SAM_LOCK)" in installing[0]


def test_sam_build_only_finds_wheels_that_were_downloaded_by_hash() -> None:
    needed, recipe = read_rule("sam-build")
    assert "$(WHEELS)/complete" in needed
    (build,) = [line for line in recipe.splitlines() if "$(SAM) build" in line]
    assert "PIP_NO_INDEX=1 PIP_FIND_LINKS=$(CURDIR)/$(WHEELS)" in build
    assert "$(FUNCTION_LOCKS)" in read_rule("$(WHEELS)/complete")[0]
    assert "--require-hashes --no-deps --only-binary :all:" in MAKEFILE.split("PIP_DOWNLOAD =")[1]


@pytest.mark.parametrize("environment", ["dev", "prod"])
def test_a_job_installs_its_packages_before_it_gets_credentials(environment: str) -> None:
    """A workflow's job installs its packages before it gets AWS credentials.

    Otherwise, an installed package could steal them.
    """
    job = DEPLOY[environment]
    names = [step.get("run") or step["uses"].partition("@")[0] for step in steps(job)]
    credentials = names.index("aws-actions/configure-aws-credentials")
    assert "make sam-installed" in names[:credentials]
    after = [run for run in commands(job) if run in names[credentials:]]
    targets = [name for run in after for name in re.findall(r"\bmake ([a-z-]+)", run)]
    assert targets == ["sam-deploy", "smoke"]
    for target in targets:
        needed, recipe = read_rule(target)
        assert needed == "$(SAM_INSTALLED)", f"{target} would install {needed}"
        assert "pip" not in recipe
    assert read_rule("sam-installed")[0] == "$(SAM_INSTALLED)"


def collect_recipes(target: str) -> dict[str, str]:
    found: dict[str, str] = {}
    waiting = [target]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        needed, recipe = read_rule(name)
        found[name] = recipe
        called = re.findall(r"\$\(MAKE\)(?: --no-print-directory)? ([a-z -]+)", recipe)
        prerequisites = [*needed.split(), *" ".join(called).split()]
        waiting += [
            needed
            for needed in prerequisites
            if re.search(rf"^{re.escape(needed)}:", MAKEFILE, re.M)
        ]
    return found


def test_a_release_is_built_with_tools_that_are_installed_by_hash() -> None:
    """The tools that build a release are locked by hash.

    A manipulated tool could change the release's files before they are signed.
    """
    recipes = collect_recipes("release")
    assert {"sam-build", "sbom", "api-pages"} <= set(recipes)
    assert "$(INSTALLED)" not in recipes, "the tools of the tests are not locked"
    lines = [line for recipe in recipes.values() for line in recipe.splitlines()]
    installing = [line for line in lines if "pip install" in line or "pip download" in line]
    assert len(installing) == 2
    for line in installing:
        assert "--require-hashes --no-deps --only-binary :all:" in line
    # `npm ci` installs exactly the locked versions. npx would ask the registry for the newest
    # versions of a tool's dependencies.
    assert not [line for line in lines if "npx" in line or "npm install" in line]
    (wheel,) = [line for line in lines if "pip wheel" in line]
    assert "--no-build-isolation" in wheel, "pip would install the newest build backend"
