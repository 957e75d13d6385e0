"""`waitlist webhook` resends undelivered events, a few hundred per request."""

import json

from tests.unit.cli.fake_service import FakeService, answer
from tests.unit.cli.fake_service import problem as refusal
from tests.unit.cli.typed import Typed


def test_a_replay_continues_until_no_dead_letters_are_left(fake: FakeService) -> None:
    fake.script = [
        answer(200, {"replayed": 400, "more": True}),
        answer(200, {"replayed": 601, "more": False}),
    ]
    typed = Typed(fake.url)
    text = typed.run("webhook", "replay", "--since", "2026-03-01T10:00:00+01:00")
    assert text == "1,001 events were resent.\n"
    assert [(one[0], one[1]) for one in fake.requests] == [("POST", "/v1/admin/webhook/replay")] * 2
    assert json.loads(fake.requests[0][3]) == {"since": "2026-03-01T09:00:00Z"}


def test_a_stack_without_a_webhook_is_an_error(fake: FakeService) -> None:
    fake.script = [refusal(409, "no_webhook", "Set WebhookUrl.")]
    result = Typed(fake.url)("webhook", "replay", "--since", "1h")
    assert (result.exit_code, result.stderr) == (1, "Set WebhookUrl. (no_webhook)\n")
