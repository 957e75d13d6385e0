"""Tests that docs/app/generated-clients.md names the versions of the code generators that the
project's own tests use.
"""

import json
import re

from tests.rules.sources import ROOT

PAGE = (ROOT / "docs/app/generated-clients.md").read_text("utf-8")
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
COMPILERS = json.loads((ROOT / "tests/service/clients/compilers/package.json").read_text("utf-8"))


def read_tested_versions() -> dict[str, str]:
    (python,) = re.findall(r"^CLIENT_GENERATOR_VERSION := (\S+)", MAKEFILE, re.M)
    (others,) = re.findall(r"^OPENAPI_GENERATOR_VERSION := (\S+)", MAKEFILE, re.M)
    npm = COMPILERS["dependencies"]
    return {
        "openapi-python-client": python,
        "openapi-generator": others,
        "openapi-generator-cli": others,
        "openapi-typescript": npm["openapi-typescript"],
        "openapi-fetch": npm["openapi-fetch"],
        "TypeScript": npm["typescript"],
    }


def test_the_page_names_the_tested_versions() -> None:
    named = re.findall(r"([A-Za-z-]+)(?: |@|==)(\d+\.\d+\.\d+)", PAGE)
    versions = read_tested_versions()
    assert {name for name, _ in named} == versions.keys()
    assert [(name, version) for name, version in named if version != versions[name]] == []


def test_each_generator_in_the_table_has_a_version() -> None:
    rows = re.findall(r"^\| (?:TypeScript|Python|Java|Go|Kotlin|Swift) \| (.*?) \|", PAGE, re.M)
    assert len(rows) == 6
    for generators in rows:
        for generator in generators.split(", "):
            assert re.search(r" \d+\.\d+\.\d+", generator), generator
