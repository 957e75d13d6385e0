"""Reads secrets from AWS Secrets Manager, and reloads them regularly."""

import logging
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from waitlist_api.clock import NowMillis

Value = TypeVar("Value")
READ_EACH_SECONDS = 300
RETRY_SECONDS = 30
logger = logging.getLogger(__name__)


class SecretUnavailable(Exception):
    """Raised when the secret cannot be read. `is_temporary` is true if a retry may succeed."""

    def __init__(self, *, is_temporary: bool = True) -> None:
        super().__init__("the secret cannot be read. Check that the function's role allows it")
        self.is_temporary = is_temporary


class Reloaded(Generic[Value]):
    """The parsed value of a secret, which is reloaded every 5 minutes.

    If a reload fails, the old value stays in use, and the next reload follows soon.
    """

    def __init__(
        self,
        name: str,
        read: Callable[[], str],
        parse: Callable[[str], Value],
        now_millis: NowMillis,
    ) -> None:
        """Read the secret for the first time. The log calls it `name`.

        `parse` raises ValueError if the secret's text is not valid. Raise SecretUnavailable or this
        ValueError if the secret cannot be read or parsed.
        """
        self._name = name
        self._read = read
        self._parse = parse
        self._now_millis = now_millis
        self._value = parse(read())
        self._read_again_millis = now_millis() + READ_EACH_SECONDS * 1000

    def value(self) -> Value:
        if self._now_millis() >= self._read_again_millis:
            self._read_again()
        return self._value

    def _read_again(self) -> None:
        wait_seconds = READ_EACH_SECONDS
        try:
            self._value = self._parse(self._read())
        except (SecretUnavailable, ValueError):
            wait_seconds = RETRY_SECONDS
            logger.warning("the %s could not be reloaded", self._name, exc_info=True)
        self._read_again_millis = self._now_millis() + wait_seconds * 1000


def secret_reader(arn: str, client: Any) -> Callable[[], str]:
    """Return a function that reads a secret, and raises SecretUnavailable if it cannot."""

    def read() -> str:
        try:
            return str(client.get_secret_value(SecretId=arn)["SecretString"])
        except BotoCoreError as error:
            raise SecretUnavailable from error
        except ClientError as error:
            raise SecretUnavailable(is_temporary=_is_temporary(error)) from error

    return read


def _is_temporary(error: ClientError) -> bool:
    response: Any = error.response
    is_throttled = response["Error"]["Code"] == "ThrottlingException"
    return is_throttled or int(response["ResponseMetadata"]["HTTPStatusCode"]) >= 500
