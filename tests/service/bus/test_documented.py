"""docs/app/events.md describes every event, and its examples match the real events."""

import json
import re
from typing import Any

from moto.events.models import EventPattern

from tests.deployment.documents import read_tables
from tests.rules.sources import ROOT
from tests.service.bus.life import samples
from tests.service.bus.stories import STORIES, WORDS
from tools.local.bus import SOURCE
from waitlist_api.events.changes import CHANGED

DOCUMENT = "docs/app/events.md"
TEXT = (ROOT / DOCUMENT).read_text(encoding="utf-8")
NAMES = {"source": SOURCE, "detail-type": CHANGED}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.M | re.S)


def test_every_event_has_a_line_with_its_possible_actors() -> None:
    (table,) = read_tables(DOCUMENT)
    lines = {row["event"].strip("`"): set(re.findall(r"`(\w+)`", row["by"])) for row in table}
    assert set(lines) == set(WORDS)
    for story in STORIES:
        for word, by in story.events:
            assert by is None or by in lines[word], (word, by)


def test_every_event_has_a_sample_as_it_really_is() -> None:
    (shown,) = blocks("json lines")
    assert [json.loads(line) for line in shown.splitlines()] == samples()


def test_the_whole_event_is_one_of_the_samples() -> None:
    whole = json.loads(blocks("json")[0])
    assert whole["detail"] in samples()
    assert {name: whole[name] for name in NAMES} == NAMES


def test_the_pattern_matches_offers_and_nothing_else() -> None:
    matches: Any = EventPattern(None, json.loads(blocks("json")[1])).matches_event
    matching = [one for one in samples() if matches({**NAMES, "detail": one})]
    assert [one["event"] for one in matching] == ["offered"]
    elsewhere = {**matching[0], "waitlist_id": "florist"}
    assert not matches({**NAMES, "detail": elsewhere})
