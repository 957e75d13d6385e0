"""`make release-notes TAG=v0.1.0`: prints the changelog's chapter of a release.

Exits with 1 if the tag is not that of the version, or if the chapter has no date.
"""

import re
import sys
from pathlib import Path

from waitlist_shared.version import VERSION

CHANGELOG = Path(__file__).resolve().parents[1] / "CHANGELOG.md"


def notes_of(tag: str, version: str, changelog: str) -> str:
    """Return the chapter; raises ValueError that says what to change before the tag."""
    if tag != f"v{version}":
        raise ValueError(
            f"the tag is {tag or 'empty'}, shared/waitlist_shared/version.py has {version}: set the"
            f" version, commit, and tag v{version}"
        )
    chapter = re.search(
        rf"^## {re.escape(version)} - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |\Z)", changelog, re.M | re.S
    )
    if not chapter:
        raise ValueError(f"CHANGELOG.md has no chapter `## {version} - YYYY-MM-DD`: write the date")
    return chapter[1].strip()


def main(tag: str) -> int:
    try:
        print(notes_of(tag, VERSION, CHANGELOG.read_text(encoding="utf-8")))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
