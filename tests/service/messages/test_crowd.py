"""Tests that each person gets each message once, whatever fails.

A message is sent only while its content is true, and only within the offer hours.
"""

from random import Random

import pytest

from tests.service.messages.crowd import Crowd, told
from tests.service.messages.stage import staged


def test_many_people_get_each_message_once_and_only_while_it_is_true(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with staged(monkeypatch) as stage:
        crowd = Crowd(stage, Random(7))
        told(crowd, 24)
        assert {kind for *_, kind in crowd.taken} >= {
            "joined",
            "near",
            "offered",
            "admitted",
            "left",
        }
    assert "example.com" not in caplog.text + capsys.readouterr().out
