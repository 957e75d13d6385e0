"""The command that replaces the signing key of entry tokens keeps old tokens valid."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import boto3
import pytest
from moto import mock_aws

from tests.deployment.template import RESOURCES, TEMPLATE
from tools.operate.rotate_token_secret import DAY_SECONDS, DAYS_BETWEEN, OUTPUT, main
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.auth.secret import SecretUnavailable, secret_reader
from waitlist_api.auth.token_keys import BEFORE_IT_SIGNS_SECONDS, TokenKeys
from waitlist_api.aws.clients import secrets_client

NOW = 1_790_000_000
STACK = "waitlist-prod"
ENTRY, STAY = ("bakery", "a" * 26), 3_300_000_000_000


@pytest.fixture
def arn(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    generated = RESOURCES["EntryTokenSecret"]["Properties"]["GenerateSecretString"]
    with mock_aws():
        secrets: Any = boto3.client("secretsmanager")
        password = secrets.get_random_password(**generated)["RandomPassword"]
        arn = secrets.create_secret(Name="generated", SecretString=password)["ARN"]
        make_stack(STACK, {OUTPUT: {"Value": arn}})
        yield arn


def make_stack(name: str, outputs: dict[str, Any], **parameters: str) -> None:
    cloudformation: Any = boto3.client("cloudformation")
    template = {
        "Resources": {"Topic": {"Type": "AWS::SNS::Topic"}},
        "Outputs": outputs,
        "Parameters": {parameter: {"Type": "String"} for parameter in parameters},
    }
    given = [{"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()]
    cloudformation.create_stack(StackName=name, TemplateBody=json.dumps(template), Parameters=given)


def test_the_stack_outputs_name_the_secret() -> None:
    assert TEMPLATE["Outputs"][OUTPUT]["Value"] == {"Ref": "EntryTokenSecret"}


def rotate(*arguments: str, now: int = NOW) -> int:
    return main(["--stack", STACK, *arguments], now_seconds=lambda: now)


def tokens_at(arn: str, now: int) -> EntryTokens:
    return EntryTokens(secret_reader(arn, secrets_client()), lambda: now * 1000)


def test_the_first_rotation_keeps_the_generated_key(
    arn: str, capsys: pytest.CaptureFixture[str]
) -> None:
    first = secret_reader(arn, secrets_client())()
    old = EntryTokens(first).issue(*ENTRY, STAY)
    assert rotate() == 0
    keys = TokenKeys.parse(secret_reader(arn, secrets_client())())
    assert keys.previous is not None
    assert keys.previous.secret == first
    assert len(keys.current.secret) == 64
    for seconds, issued in ((0, old), (BEFORE_IT_SIGNS_SECONDS, keys.current.token(*ENTRY, STAY))):
        tokens = tokens_at(arn, NOW + seconds)
        assert tokens.issue(*ENTRY, STAY) == issued
        tokens.check(*ENTRY, f"Bearer {old}")
    said = capsys.readouterr().out
    assert keys.current.id in said
    assert keys.previous.id in said
    signs_at = datetime.fromtimestamp(NOW + BEFORE_IT_SIGNS_SECONDS, UTC)
    assert signs_at.isoformat() in said
    assert "Wait at least 30 days" in said
    assert first not in said
    assert keys.current.secret not in said


def test_a_second_rotation_waits_until_people_have_new_tokens(
    arn: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command refuses a second rotation that comes too early.

    A rotation removes the older key, which may have signed the only token that some customers have
    (promise P2).
    """
    rotate()
    before = secret_reader(arn, secrets_client())()
    soon = NOW + 2 * DAY_SECONDS
    assert rotate(now=soon) == 1
    assert secret_reader(arn, secrets_client())() == before
    assert "2 days ago" in capsys.readouterr().err
    assert rotate(now=NOW + DAY_SECONDS) == 1
    assert "was 1 day ago" in capsys.readouterr().err
    assert rotate(now=NOW + DAYS_BETWEEN * DAY_SECONDS) == 1
    assert "29 days ago" in capsys.readouterr().err
    assert rotate("--force", now=soon) == 0
    later = soon + (DAYS_BETWEEN + 1) * DAY_SECONDS
    second = TokenKeys.parse(secret_reader(arn, secrets_client())())
    assert rotate(now=later) == 0
    assert TokenKeys.parse(secret_reader(arn, secrets_client())()).previous == second.current


def test_no_rotation_changes_the_identity_of_people(
    arn: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """People's ids are computed from a key that no rotation changes.

    If it changed, the service would not recognise the address of a person who is already on the
    waitlist.
    """
    key = tokens_at(arn, NOW).identity_key("bakery")
    token = tokens_at(arn, NOW).issue(*ENTRY, STAY)
    for arguments in ((), ("--force",), ("--all",), ("--force",)):
        assert rotate(*arguments) == 0
        assert tokens_at(arn, NOW).identity_key("bakery") == key
    assert tokens_at(arn, NOW).identity_key("baker") != key
    rotate("--all")
    assert tokens_at(arn, NOW).find_proven_stay(*ENTRY, f"Bearer {token}") is None
    assert "contains only the new key" in capsys.readouterr().out


def test_two_rotations_at_once_keep_the_key_that_signs(arn: str) -> None:
    first = secret_reader(arn, secrets_client())()
    rotate()
    assert rotate("--force", now=NOW + 1) == 0
    keys = TokenKeys.parse(secret_reader(arn, secrets_client())())
    assert keys.previous is not None
    assert keys.previous.secret == first


def test_a_missing_stack_or_another_one_is_an_error(
    arn: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--stack", "nothing"]) == 1
    assert capsys.readouterr().err.startswith("Nothing was changed. ")
    make_stack("other", {})
    assert main(["--stack", "other"]) == 1
    assert "Check its name" in capsys.readouterr().err
    secrets: Any = boto3.client("secretsmanager")
    secrets.put_secret_value(SecretId=arn, SecretString="spoilt")
    assert rotate() == 1
    assert '"current"' in capsys.readouterr().err


def test_a_deleted_secret_is_unavailable(arn: str) -> None:
    with pytest.raises(SecretUnavailable):
        secret_reader(
            "arn:aws:secretsmanager:us-east-1:123456789012:secret:nothing", secrets_client()
        )()
