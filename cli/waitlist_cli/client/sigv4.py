"""Signs requests as an operator: AWS Signature Version 4 for API Gateway."""

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

import httpx
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials, ReadOnlyCredentials
from botocore.exceptions import BotoCoreError, ClientError

from waitlist_cli.client.api import fits_header
from waitlist_cli.errors import Unauthorised, WrongUsage

if TYPE_CHECKING:
    from botocore.session import Session

    from waitlist_cli.client.configuration import Target

SERVICE = "execute-api"
SIGNED_HEADERS = ("X-Amz-Date", "X-Amz-Security-Token", "Authorization")
# A refused role is a ClientError; a credential_process that prints no JSON a ValueError; a code of
# MFA that no terminal can be asked for an EOFError.
NO_CREDENTIALS = (BotoCoreError, ClientError, ValueError, EOFError)
LOCAL_KEY = "local"
LOCAL_REGION = "us-east-1"


class OperatorAuth(httpx.Auth):
    """Reads the credentials at each request, because those of a role are renewed."""

    requires_request_body = True

    def __init__(self, credentials: Callable[[], ReadOnlyCredentials], region: str) -> None:
        self._credentials = credentials
        self._region = region

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        signed = AWSRequest(request.method, str(request.url), data=request.content)
        signed.headers["Host"] = request.headers["host"]
        if "content-type" in request.headers:
            signed.headers["Content-Type"] = request.headers["content-type"]
        now = self._credentials()
        keys = Credentials(now.access_key or "", now.secret_key or "", now.token)
        SigV4Auth(keys, SERVICE, self._region).add_auth(signed)
        for name in SIGNED_HEADERS:
            if name in signed.headers:
                value = str(signed.headers[name])
                if not fits_header(value):
                    raise Unauthorised(
                        "The AWS credentials or the region have characters that cannot be "
                        "sent, such as a line end. Set them again."
                    )
                request.headers[name] = value
        yield request


def operator_auth(target: "Target") -> OperatorAuth:
    """Return the signer of a target: the local run's key, or the usual AWS credentials."""
    if target.is_local:
        key = Credentials(LOCAL_KEY, LOCAL_KEY)
        return OperatorAuth(key.get_frozen_credentials, LOCAL_REGION)
    try:
        session = _session(target.profile)
        region = target.region or session.get_config_variable("region")
        credentials = session.get_credentials()
    except NO_CREDENTIALS as error:
        raise _unusable(error) from error
    if credentials is None:
        raise Unauthorised(
            "No AWS credentials: set AWS_PROFILE, or give --profile NAME. "
            "For the service of `make run`: --local"
        )
    if not region:
        raise WrongUsage(
            "The region of the API is not known. Give --region NAME, or set AWS_REGION."
        )

    def frozen() -> ReadOnlyCredentials:
        try:
            return credentials.get_frozen_credentials()
        except NO_CREDENTIALS as error:
            raise _unusable(error) from error

    return OperatorAuth(frozen, region)


def _session(profile: str | None) -> "Session":
    # Half of the import time, which the local run does not need.
    from botocore.session import Session

    return Session(profile=profile)


def _unusable(error: Exception) -> Unauthorised:
    why = str(error).rstrip(".") or "the code was not typed"
    return Unauthorised(
        f"AWS credentials: {why}. Choose others with --profile NAME or AWS_PROFILE; "
        "`aws sts get-caller-identity` checks them."
    )
