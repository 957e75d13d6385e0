"""Reads the secret that contains the keys for signing entry tokens."""

from collections.abc import Callable
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from waitlist_api.auth.token_keys import SecretUnavailable


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
