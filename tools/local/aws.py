"""The account that the local run imitates, and its one operator."""

from botocore.credentials import Credentials

from waitlist_cli.client.sigv4 import OperatorAuth

ACCOUNT_ID = "123456789012"
REGION = "us-east-1"
ACCESS_KEY = "local"
SECRET_KEY = "local"


def function_arn(function_name: str) -> str:
    return f"arn:aws:lambda:{REGION}:{ACCOUNT_ID}:function:{function_name}"


def local_operator(secret_key: str = SECRET_KEY) -> OperatorAuth:
    """Return what signs requests as the local run's operator."""
    key = Credentials(ACCESS_KEY, secret_key)
    return OperatorAuth(key.get_frozen_credentials, REGION)
