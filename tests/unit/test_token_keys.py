"""The keys of entry tokens: which are good, which signs, and when a change is noticed."""

import json
from dataclasses import dataclass, field

import pytest

from tests.support.world import Clock
from waitlist_api.auth import EntryTokens
from waitlist_api.errors import Forbidden
from waitlist_api.token_keys import (
    BEFORE_IT_SIGNS_SECONDS,
    READ_EACH_SECONDS,
    RETRY_SECONDS,
    BadSecret,
    SecretUnavailable,
    TokenKeys,
)

OLD, NEW, OTHER = ("old-" * 16, "new-" * 16, "other-" * 10)
ENTRY = ("bakery", "a" * 26)


@dataclass
class Secret:
    """A secret that may be changed, and be out of reach."""

    text: str
    is_reachable: bool = True
    clock: Clock = field(default_factory=Clock)
    read_count: int = 0

    def read(self) -> str:
        self.read_count += 1
        if not self.is_reachable:
            raise SecretUnavailable
        return self.text

    def rotate(self) -> None:
        from_seconds = self.clock.millis // 1000 + BEFORE_IT_SIGNS_SECONDS
        keys = {"current": NEW, "previous": OLD, "current_from": from_seconds}
        self.text = json.dumps(keys)

    def process(self) -> EntryTokens:
        """Return the tokens of a process that starts now."""
        return EntryTokens(self.read, self.clock.now_millis)


@pytest.fixture
def secret() -> Secret:
    return Secret(OLD)


def accepts(tokens: EntryTokens, token: str) -> bool:
    return tokens.proves(*ENTRY, f"Bearer {token}")


def test_a_token_names_its_key_and_tells_nothing_of_it() -> None:
    key_id, _ = EntryTokens(OLD).issue(*ENTRY).split(".")
    assert key_id == EntryTokens(json.dumps({"current": OLD})).issue(*ENTRY).split(".")[0]
    assert key_id != EntryTokens(NEW).issue(*ENTRY).split(".")[0]
    assert key_id not in OLD


def test_a_plain_secret_is_the_one_key() -> None:
    """As a stack makes it, and as it was before keys were changed."""
    assert TokenKeys.parse(OLD) == TokenKeys.parse(json.dumps({"current": OLD}))
    token = EntryTokens(OLD).issue(*ENTRY)
    assert accepts(EntryTokens(json.dumps({"current": NEW, "previous": OLD})), token)
    assert not accepts(EntryTokens(json.dumps({"current": NEW, "previous": OTHER})), token)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "short",
        "{",
        "{}",
        '{"current": "short"}',
        json.dumps({"current": 5}),
        json.dumps({"current": NEW, "previous": ""}),
        json.dumps({"current": NEW, "previous": OLD, "current_from": "now"}),
    ],
)
def test_a_secret_without_keys_is_told_what_it_should_hold(text: str) -> None:
    with pytest.raises(BadSecret, match="current_from"):
        EntryTokens(text)


def test_nobody_is_logged_out_whenever_each_process_notices(secret: Secret) -> None:
    """P2: at no second does one process refuse what another has given out."""
    processes = [secret.process()]
    tokens = {processes[0].issue(*ENTRY)}
    for second in range(0, 3 * BEFORE_IT_SIGNS_SECONDS, 20):
        if second == 100:
            secret.rotate()
        if second % 260 == 0:
            processes.append(secret.process())
        tokens |= {process.issue(*ENTRY) for process in processes}
        assert all(accepts(process, token) for process in processes for token in tokens), second
        secret.clock.advance(20)
    assert len(tokens) == 2
    new = EntryTokens(NEW).issue(*ENTRY)
    assert {process.issue(*ENTRY) for process in processes} == {new}


def test_a_change_is_noticed_within_five_minutes(secret: Secret) -> None:
    process = secret.process()
    secret.text = json.dumps({"current": NEW, "previous": OLD})
    secret.clock.advance(READ_EACH_SECONDS - 1)
    assert process.issue(*ENTRY) == EntryTokens(OLD).issue(*ENTRY)
    secret.clock.advance(1)
    assert process.issue(*ENTRY) == EntryTokens(NEW).issue(*ENTRY)


def test_a_secret_is_read_seldom_and_not_at_each_forged_token(secret: Secret) -> None:
    """P9"""
    process = secret.process()
    for _ in range(100):
        with pytest.raises(Forbidden):
            process.check(*ENTRY, f"Bearer {'0' * 8}.{'A' * 43}")
        process.issue(*ENTRY)
    assert secret.read_count == 1


@pytest.mark.parametrize("trouble", ["out of reach", "spoilt"])
def test_keys_stay_good_while_the_secret_cannot_be_read(secret: Secret, trouble: str) -> None:
    process = secret.process()
    token = process.issue(*ENTRY)
    secret.is_reachable, secret.text = trouble != "out of reach", "spoilt"
    secret.clock.advance(READ_EACH_SECONDS)
    assert process.issue(*ENTRY) == token
    assert accepts(process, token)
    assert secret.read_count == 2
    secret.is_reachable, secret.text = True, NEW
    secret.clock.advance(RETRY_SECONDS)
    assert process.issue(*ENTRY) != token


def test_a_process_does_not_start_without_keys(secret: Secret) -> None:
    secret.is_reachable = False
    with pytest.raises(SecretUnavailable):
        secret.process()


def test_whoever_shows_a_token_of_the_old_key_is_given_one_of_the_new(secret: Secret) -> None:
    old = EntryTokens(OLD).issue(*ENTRY)
    tokens = EntryTokens(json.dumps({"current": NEW, "previous": OLD}))
    new = tokens.renewed(*ENTRY, f"Bearer {old}")
    assert new == EntryTokens(NEW).issue(*ENTRY)
    assert tokens.renewed(*ENTRY, f"Bearer {new}") is None
