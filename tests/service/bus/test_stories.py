"""Every change to an entry is published once and in order. Requests that change nothing publish
nothing.
"""

import pytest

from tests.service.bus.scene import Scene, in_order
from tests.service.bus.stories import STORIES, WORDS, Story
from tools.local.bus import READ_AT, lets_through
from waitlist_api.events.changes import event_of


@pytest.mark.parametrize("story", STORIES, ids=str)
def test_each_change_is_published_once_and_in_order(story: Story) -> None:
    """Each event has a higher timestamp than all the person's earlier events (promise P2). The
    stream's filter lets each event pass.
    """
    scene = Scene()
    story.happen(scene)
    published = scene.details("ada")
    assert [(one["event"], one.get("by")) for one in in_order(published)] == list(story.events)
    assert {one["waitlist_id"] for one in published} <= {"bakery"}
    assert scene.contradictions() == []
    events = [one for one in scene.table.records if event_of(one, READ_AT) is not None]
    assert all(map(lets_through, events))


def test_the_stories_have_every_event() -> None:
    assert {word for story in STORIES for word, _ in story.events} == set(WORDS)
