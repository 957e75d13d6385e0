"""Tests messages about invitations, and that each invitation counts how many of its messages were
delivered.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.service.messages.stage import Stage, staged
from tests.service.messages.stand_ins import part

OWN = {"subject": "Come to {name}", "text": "You are invited until {until}."}


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with staged(monkeypatch) as made:
        yield made


def invite(stage: Stage, **body: Any) -> str:
    path = f"{stage.people.admin_path}/invitations"
    body = {"count": 10, "offer_seconds": 172_800, **body}
    answer = stage.world.request("POST", path, body=body, operator=True)
    assert answer.status == 200, answer.text
    return str(answer.json["invitation_id"])


def delivered(stage: Stage, invitation_id: str) -> int:
    path = f"{stage.people.admin_path}/invitations/{invitation_id}"
    return int(stage.world.request("GET", path, operator=True).json["funnel"]["delivered"])


def test_the_words_of_an_invitation_replace_the_usual_words_in_their_language(
    stage: Stage,
) -> None:
    stage.joins("ada")
    stage.joins("eva", languages="de")
    stage.send(*stage.news())
    stage.stand_ins.mails.clear()
    invitation = invite(stage, message={"en": OWN})
    assert delivered(stage, invitation) == 0
    assert stage.send_news() == []
    assert sorted(stage.stand_ins.subjects()) == ["Bakery: Sie sind an der Reihe", "Come to Bakery"]
    texts = sorted(part(mail, "plain") for mail in stage.stand_ins.mails)
    assert re.match(r"You are invited until \d\d:\d\d on \d", texts[1])
    assert delivered(stage, invitation) == 2


def test_a_message_of_an_invitation_that_bounces_is_not_delivered(stage: Stage) -> None:
    stage.joins("ada")
    stage.news()
    invitation = invite(stage)
    (offered,) = stage.news()
    stage.send(offered, offered)
    assert delivered(stage, invitation) == 1
    # A bounce contains the timestamp from the entry's record. The event's timestamp has one more
    # digit.
    stamp = str(int(offered["stamp"]) // 10)
    assert stage.send({**stage.bounce("ada"), "kind": ["offered"], "stamp": [stamp]}) == []
    assert delivered(stage, invitation) == 0


def test_a_person_without_an_address_is_invited_and_not_delivered(stage: Stage) -> None:
    stage.joins("ada", note="by hand")
    stage.news()
    invitation = invite(stage)
    stage.send_news()
    assert delivered(stage, invitation) == 0
    assert stage.people.status("ada") == "offered"
