"""The operator of the local run."""

from botocore.credentials import Credentials

from tools.local.aws import ACCESS_KEY, REGION, SECRET_KEY
from waitlist_cli.client.sigv4 import OperatorAuth


def local_operator(secret_key: str = SECRET_KEY) -> OperatorAuth:
    key = Credentials(ACCESS_KEY, secret_key)
    return OperatorAuth(key.get_frozen_credentials, REGION)
