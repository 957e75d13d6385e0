"""Tests of the keys that sign entry tokens: which keys are valid, which one signs new tokens, and
when a process notices a change.
"""

import base64
import hmac
import json
from dataclasses import dataclass, field

import pytest

from tests.support.world import Clock
from waitlist_api.auth.credentials import TOKEN, EntryTokens, Proof
from waitlist_api.auth.secret import READ_EACH_SECONDS, RETRY_SECONDS, SecretUnavailable
from waitlist_api.auth.token_keys import (
    BEFORE_IT_SIGNS_SECONDS,
    CODE_MAC_BYTES,
    STAY_CHARACTERS,
    BadSecret,
    TokenKeys,
)
from waitlist_api.errors import CodeRefused, Forbidden

OLD, NEW, OTHER = ("old-" * 16, "new-" * 16, "other-" * 10)
ENTRY, STAY = ("bakery", "a" * 26), 3_300_000_000_000
ISSUED = (*ENTRY, STAY)


@dataclass
class Secret:
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

    def start_process(self) -> EntryTokens:
        return EntryTokens(self.read, self.clock.now_millis)


@pytest.fixture
def secret() -> Secret:
    return Secret(OLD)


def accepts(tokens: EntryTokens, token: str) -> bool:
    return tokens.find_proven_stay(*ENTRY, f"Bearer {token}") == STAY


def test_a_token_names_its_key_without_revealing_it() -> None:
    key_id, _ = EntryTokens(OLD).issue(*ISSUED).split(".")
    assert key_id == EntryTokens(json.dumps({"current": OLD})).issue(*ISSUED).split(".")[0]
    assert key_id != EntryTokens(NEW).issue(*ISSUED).split(".")[0]
    assert key_id not in OLD


def test_a_plain_secret_is_the_only_key() -> None:
    """If the secret is plain text, that text is the only key. New stacks start like this, and older
    stacks whose keys were never rotated are still like this.
    """
    assert TokenKeys.parse(OLD) == TokenKeys.parse(json.dumps({"current": OLD}))
    token = EntryTokens(OLD).issue(*ISSUED)
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
def test_the_error_of_a_secret_without_keys_names_its_format(text: str) -> None:
    with pytest.raises(BadSecret, match="current_from"):
        EntryTokens(text)


def test_every_token_stays_valid_while_processes_notice_a_rotation(secret: Secret) -> None:
    """Every token stays valid while the keys are rotated.

    Processes notice the rotation at different times, but each one accepts the tokens of all the
    others (promise P2).
    """
    processes = [secret.start_process()]
    tokens = {processes[0].issue(*ISSUED)}
    for second in range(0, 3 * BEFORE_IT_SIGNS_SECONDS, 20):
        if second == 100:
            secret.rotate()
        if second % 260 == 0:
            processes.append(secret.start_process())
        tokens |= {process.issue(*ISSUED) for process in processes}
        assert all(accepts(process, token) for process in processes for token in tokens), second
        secret.clock.advance(20)
    assert len(tokens) == 2
    new = EntryTokens(NEW).issue(*ISSUED)
    assert {process.issue(*ISSUED) for process in processes} == {new}


def test_a_change_is_noticed_within_five_minutes(secret: Secret) -> None:
    process = secret.start_process()
    secret.text = json.dumps({"current": NEW, "previous": OLD})
    secret.clock.advance(READ_EACH_SECONDS - 1)
    assert process.issue(*ISSUED) == EntryTokens(OLD).issue(*ISSUED)
    secret.clock.advance(1)
    assert process.issue(*ISSUED) == EntryTokens(NEW).issue(*ISSUED)


def test_forged_tokens_do_not_cause_the_secret_to_be_read(secret: Secret) -> None:
    """P9"""
    process = secret.start_process()
    for _ in range(100):
        with pytest.raises(Forbidden):
            process.check(*ENTRY, f"Bearer {'0' * 8}.{'A' * 43}")
        process.issue(*ISSUED)
    assert secret.read_count == 1


@pytest.mark.parametrize("trouble", ["out of reach", "spoilt"])
def test_keys_stay_valid_while_the_secret_cannot_be_read(secret: Secret, trouble: str) -> None:
    process = secret.start_process()
    token = process.issue(*ISSUED)
    secret.is_reachable, secret.text = trouble != "out of reach", "spoilt"
    secret.clock.advance(READ_EACH_SECONDS)
    assert process.issue(*ISSUED) == token
    assert accepts(process, token)
    assert secret.read_count == 2
    secret.is_reachable, secret.text = True, NEW
    secret.clock.advance(RETRY_SECONDS)
    assert process.issue(*ISSUED) != token


def test_a_process_does_not_start_without_keys(secret: Secret) -> None:
    secret.is_reachable = False
    with pytest.raises(SecretUnavailable):
        secret.start_process()


def test_a_token_of_the_old_key_is_renewed_with_the_new_key(secret: Secret) -> None:
    old = EntryTokens(OLD).issue(*ISSUED)
    tokens = EntryTokens(json.dumps({"current": NEW, "previous": OLD}))
    new = tokens.check(*ENTRY, f"Bearer {old}").renewed
    assert new == EntryTokens(NEW).issue(*ISSUED)
    assert tokens.check(*ENTRY, f"Bearer {new}") == Proof(ENTRY[1], STAY)


def test_a_token_belongs_to_a_single_stay() -> None:
    tokens = EntryTokens(OLD)
    earlier, later = tokens.issue(*ENTRY, STAY), tokens.issue(*ENTRY, STAY + 1)
    assert tokens.check(*ENTRY, f"Bearer {earlier}").stay == STAY
    assert tokens.check(*ENTRY, f"Bearer {later}").stay == STAY + 1


@pytest.mark.parametrize("stay", [0, 1, STAY, 2**45 - 1])
def test_tokens_of_all_stays_have_the_same_length(stay: int) -> None:
    token = EntryTokens(OLD).issue(*ENTRY, stay)
    assert TOKEN.fullmatch(token)
    assert EntryTokens(OLD).check(*ENTRY, f"Bearer {token}").stay == stay


def test_the_stay_of_a_token_cannot_be_changed() -> None:
    """An entry token names the signup it is valid for. The signature covers this name, so nobody
    can change it (promise P5).
    """
    tokens = EntryTokens(OLD)
    one, another = tokens.issue(*ENTRY, STAY), tokens.issue(*ENTRY, STAY + 1)
    at = one.index(".") + 1 + STAY_CHARACTERS
    with pytest.raises(Forbidden):
        tokens.check(*ENTRY, f"Bearer {another[:at]}{one[at:]}")


def test_a_token_that_names_no_stay_is_refused() -> None:
    """A token that names no signup is refused.

    Otherwise it would be valid for every signup by the customer (promise P5).
    """
    key = TokenKeys.parse(OLD).current
    mac = hmac.digest(OLD.encode(), "/".join(ENTRY).encode(), "sha256")
    token = f"{key.id}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"
    with pytest.raises(Forbidden):
        EntryTokens(OLD).check(*ENTRY, f"Bearer {token}")


def test_a_code_that_verifies_an_address_cannot_change_the_address() -> None:
    """A code that verifies an address cannot be turned into a code that replaces an address.

    The code is readable, but signed (promise P5).
    """
    tokens, to = EntryTokens(OLD), "b" * 26
    verifies, moves = (tokens.issue_code(*ISSUED, 60_000, one) for one in ("", to))
    assert tokens.check_code(ENTRY[0], moves).to == to
    key, content = verifies.split(".")
    sent = base64.urlsafe_b64decode(content)
    parts = sent[:-CODE_MAC_BYTES], to.encode(), sent[-CODE_MAC_BYTES:]
    forged = base64.urlsafe_b64encode(b"".join(parts)).rstrip(b"=").decode()
    with pytest.raises(CodeRefused):
        tokens.check_code(ENTRY[0], f"{key}.{forged}")
