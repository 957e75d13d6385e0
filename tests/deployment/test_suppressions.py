"""Suppressions of the template linters: each has its reason beside it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tools.local.table import read_template

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = [ROOT / "template.yaml", *sorted((ROOT / "docs").rglob("*.yaml"))]
# What a reason needs to be one.
WORDS = 5


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_resource_that_is_let_pass_has_a_reason(path: Path) -> None:
    for name, skip in _skips(read_template(path)):
        assert re.fullmatch(r"CKV2?_AWS_\d+", skip["id"]), name
        assert len(skip["comment"].split()) >= WORDS, (name, skip)


def test_a_check_that_is_skipped_everywhere_stands_below_its_reason() -> None:
    lines = (ROOT / ".checkov.yaml").read_text(encoding="utf-8").splitlines()
    skips = [number for number, line in enumerate(lines) if re.match(r"\s+- CKV", line)]
    assert skips
    for number in skips:
        above = lines[number - 1].strip()
        assert above.startswith("# "), lines[number]
        assert len(above.split()) > WORDS, lines[number]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_an_ignored_check_of_cfn_lint_stands_below_its_reason(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if "ignore_checks" in line:
            assert lines[number - 1].strip().startswith("# "), (path.name, number + 1)


def test_checkov_makes_no_requests() -> None:
    configuration = (ROOT / ".checkov.yaml").read_text(encoding="utf-8")
    assert "\nskip-download: true\n" in configuration
    assert "api-key" not in configuration


def _skips(template: Any) -> Iterator[tuple[str, dict[str, str]]]:
    for name, resource in template["Resources"].items():
        for skip in resource.get("Metadata", {}).get("checkov", {}).get("skip", []):
            yield name, skip
