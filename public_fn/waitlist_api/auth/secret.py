"""Reads the secret of the entry tokens."""

from collections.abc import Callable
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from waitlist_api.auth.token_keys import SecretUnavailable


def secret_reader(arn: str, client: Any) -> Callable[[], str]:
    """Return a function that reads a secret, or raises SecretUnavailable."""

    def read() -> str:
        try:
            return str(client.get_secret_value(SecretId=arn)["SecretString"])
        except BotoCoreError as error:
            raise SecretUnavailable from error
        except ClientError as error:
            raise SecretUnavailable(will_pass=_will_pass(error)) from error

    return read


def _will_pass(error: ClientError) -> bool:
    response: Any = error.response
    is_throttled = response["Error"]["Code"] == "ThrottlingException"
    return is_throttled or int(response["ResponseMetadata"]["HTTPStatusCode"]) >= 500
