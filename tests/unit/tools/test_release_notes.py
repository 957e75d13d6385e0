"""A release has the version that the code declares and a dated section in the changelog."""

import pytest

from tools.release_notes import CHANGELOG, notes_of
from waitlist_shared.version import VERSION

TEXT = """\
# Changelog

## 0.2.0 - 2026-12-01

- News.

## 0.1.0 - unreleased

- Older news.
"""


def test_the_notes_are_the_chapter_of_the_version() -> None:
    assert notes_of("v0.2.0", "0.2.0", TEXT) == "- News."


@pytest.mark.parametrize(
    ("tag", "version", "advice"),
    [
        ("v0.3.0", "0.2.0", "tag v0.2.0"),
        ("0.2.0", "0.2.0", "tag v0.2.0"),
        ("v0.1.0", "0.1.0", "or its date"),
        ("v0.3.0", "0.3.0", "no section"),
    ],
)
def test_a_mismatched_release_is_refused_with_advice(tag: str, version: str, advice: str) -> None:
    with pytest.raises(ValueError, match=advice):
        notes_of(tag, version, TEXT)


def test_the_changelog_has_a_chapter_for_the_version() -> None:
    assert f"\n## {VERSION} - " in CHANGELOG.read_text(encoding="utf-8")
