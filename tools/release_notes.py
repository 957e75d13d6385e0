"""Print a release's section of the changelog.

`make release-notes TAG=v0.1.0` runs this program. The exit status is 1 if the tag does not match
the version, or if the section has no date.
"""

import re
import sys
from pathlib import Path

from waitlist_shared.version import VERSION

CHANGELOG = Path(__file__).resolve().parents[1] / "CHANGELOG.md"


def notes_of(tag: str, version: str, changelog: str) -> str:
    """Raise ValueError with advice if the tag or the date is wrong."""
    if tag != f"v{version}":
        raise ValueError(
            f"The tag is {tag or 'empty'}, but shared/waitlist_shared/version.py has {version}. "
            f"Set the version, commit, and tag v{version}."
        )
    chapter = re.search(
        rf"^## {re.escape(version)} - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |\Z)", changelog, re.M | re.S
    )
    if not chapter:
        raise ValueError(
            f"CHANGELOG.md has no section `## {version} - YYYY-MM-DD`. "
            "Write the section or its date."
        )
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
