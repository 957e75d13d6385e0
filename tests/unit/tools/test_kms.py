"""The fake KMS answers the requests that the public function sends through botocore."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from tests.unit.test_passes import URL, create_passes, issue, verify
from tests.unit.tools.fakes import serving, url_of
from tools.local.http_message import HttpRequest
from tools.local.kms import ALGORITHM, KEY_ARN, PATH, KmsEndpoint, LocalKms


@pytest.fixture(scope="module")
def kms() -> Iterator[Any]:
    with serving(KmsEndpoint(LocalKms())) as server:
        yield boto3.client(
            "kms",
            endpoint_url=url_of(server) + PATH,
            region_name="us-east-1",
            aws_access_key_id="local",
            aws_secret_access_key="local",
        )


def test_the_stand_in_signs_passes_that_a_library_accepts(kms: Any) -> None:
    passes = create_passes(kms, KEY_ARN)
    token = issue(passes)
    assert token == issue(passes)
    assert verify(token, passes)["iss"] == URL


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"KeyId": "arn:aws:kms:us-east-1:123456789012:key/other"}, "NotFoundException"),
        ({"MessageType": "DIGEST"}, "ValidationException"),
        ({"SigningAlgorithm": "RSASSA_PSS_SHA_256"}, "ValidationException"),
    ],
)
def test_the_stand_in_refuses_parameters_that_the_service_does_not_use(
    kms: Any, wrong: dict[str, str], code: str
) -> None:
    sent = {"KeyId": KEY_ARN, "MessageType": "RAW", "SigningAlgorithm": ALGORITHM, **wrong}
    with pytest.raises(ClientError) as error:
        kms.sign(Message=b"message", **sent)
    assert error.value.response["Error"]["Code"] == code


def test_the_stand_in_refuses_other_operations(kms: Any) -> None:
    with pytest.raises(ClientError, match="CreateKey is not supported here"):
        kms.create_key()


@pytest.mark.parametrize("header", [("origin", "http://localhost"), ("host", "evil.example.com")])
def test_a_web_page_gets_no_signature(header: tuple[str, str]) -> None:
    """P5"""
    headers = (("x-amz-target", "TrentService.GetPublicKey"), header)
    sent = HttpRequest("POST", PATH, headers, json.dumps({"KeyId": KEY_ARN}).encode())
    answer = KmsEndpoint(LocalKms())(sent)
    assert (answer.status, json.loads(answer.body)["__type"]) == (400, "AccessDeniedException")


def test_a_stored_key_is_used_again_in_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "pass-key.json"
    first, second = (issue(create_passes(LocalKms(path), KEY_ARN)) for _ in range(2))
    assert first == second != issue(create_passes(LocalKms(), KEY_ARN))
    assert path.stat().st_mode & 0o077 == 0
