"""docs/internals/late-messages.md lists what each late message does, and the tests that show it."""

import re

from tests.rules.sources import ROOT
from waitlist_shared.contracts import REQUESTS

PAGE = (ROOT / "docs/internals/late-messages.md").read_text()
ROWS = re.findall(r"^\| (`.+)$", PAGE, re.MULTILINE)


def test_every_message_of_the_contract_has_a_row() -> None:
    named = {name for row in ROWS for name in re.findall(r"`(\w+)`", row.split(" | ")[0])}
    assert named == {*REQUESTS, "batch"}


def test_the_tests_of_a_row_exist() -> None:
    named = {name for row in ROWS for name in re.findall(r"`(behaviour/\w+\.py)`", row)}
    assert named
    assert not [name for name in named if not (ROOT / "tests/queue" / name).exists()]
