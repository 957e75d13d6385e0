"""docs/internals/late-messages.md describes what each message to Redis does if it arrives late, and
names the tests that check this.
"""

import re

from tests.rules.sources import ROOT
from waitlist_shared.contracts import REQUESTS

PAGE = (ROOT / "docs/internals/late-messages.md").read_text()
ROWS = re.findall(r"^\| (`.+)$", PAGE, re.MULTILINE)


def test_the_document_has_a_row_for_every_message() -> None:
    named = {name for row in ROWS for name in re.findall(r"`(\w+)`", row.split(" | ")[0])}
    assert named == {*REQUESTS, "batch"}


def test_the_tests_that_the_document_names_exist() -> None:
    named = {name for row in ROWS for name in re.findall(r"`(behaviour/\w+\.py)`", row)}
    assert named
    assert not [name for name in named if not (ROOT / "tests/queue" / name).exists()]
