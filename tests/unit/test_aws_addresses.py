"""AWS clients call the addresses that botocore's rules of endpoints name."""

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import BotoCoreError
from botocore.session import Session, get_session

from waitlist_api.aws.clients import new_session

OPERATIONS = {
    "dynamodb": ("describe_limits", {}),
    "kms": ("list_keys", {}),
    "lambda": ("invoke", {"FunctionName": "private"}),
    "secretsmanager": ("get_secret_value", {"SecretId": "secret"}),
}
NEW_REGION = "eu-nowhere-9"


class _Sent(Exception):
    """The request reached the HTTP session."""


def _regions() -> Iterator[str]:
    session = get_session()
    for partition in session.get_available_partitions():
        yield from session.get_available_regions("lambda", partition)
    yield NEW_REGION


def _request_of(session: Session, service: str, region: str) -> str:
    """Return the URL of a client's call, region and service of its signature; or the error."""
    client = session.create_client(
        service, region, aws_access_key_id="a", aws_secret_access_key="b"
    )
    requests: list[Any] = []

    def stop(request: Any, **_: Any) -> None:
        requests.append(request)
        raise _Sent

    client.meta.events.register("before-send", stop)
    name, parameters = OPERATIONS[service]
    try:
        with pytest.raises(_Sent):
            getattr(client, name)(**parameters)
    except BotoCoreError as error:
        return type(error).__name__
    (request,) = requests
    _key, _day, scope = request.headers["Authorization"].decode().partition(",")[0].split("/", 2)
    return f"{request.url} {scope}"


@pytest.fixture(autouse=True)
def _no_account_in_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCOUNT_ID_ENDPOINT_MODE", "disabled")


@pytest.mark.parametrize("service", OPERATIONS)
def test_in_every_region(service: str) -> None:
    stock, ours = get_session(), new_session()
    for region in _regions():
        assert _request_of(ours, service, region) == _request_of(stock, service, region)


@pytest.mark.parametrize("service", OPERATIONS)
@pytest.mark.parametrize("variable", ["AWS_USE_FIPS_ENDPOINT", "AWS_USE_DUALSTACK_ENDPOINT"])
@pytest.mark.parametrize("region", ["eu-central-1", "us-gov-west-1", "us-isob-east-1"])
def test_with_a_variant(
    service: str, variable: str, region: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "true")
    address = _request_of(new_session(), service, region)
    assert address == _request_of(get_session(), service, region)
