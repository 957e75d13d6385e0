"""Signs operators' requests to API Gateway with AWS Signature Version 4."""

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

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
# The exceptions that botocore raises when it finds no usable credentials.
NO_CREDENTIALS = (BotoCoreError, ClientError, ValueError, EOFError)
LOCAL_KEY = "local"
LOCAL_REGION = "us-east-1"


class OperatorAuth(httpx.Auth):
    """Signs requests with AWS Signature Version 4.

    The signer rereads the AWS credentials before each request, because temporary credentials
    expire.
    """

    requires_request_body = True

    def __init__(self, credentials: Callable[[], ReadOnlyCredentials], region: str) -> None:
        self._credentials = credentials
        self._region = region

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        if request.url.query:
            # AWS computes the signature over the query in its own encoding: `%20` for a space and
            # `%3A` for a colon. botocore does not encode the query, so encode it like this before
            # the request is signed and sent.
            query = urlencode(request.url.params.multi_items(), quote_via=quote)
            request.url = request.url.copy_with(query=query.encode())
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
                        "The AWS credentials or region contain characters that cannot be sent, "
                        "such as a line break. Set the credentials and the region again."
                    )
                request.headers[name] = value
        yield request


def operator_auth(target: "Target") -> OperatorAuth:
    """Return the signer for a service.

    Requests to a local service are signed with a fixed key, and all others with the operator's AWS
    credentials.
    """
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
            "There are no AWS credentials. Set AWS_PROFILE, or pass --profile NAME. If the "
            "service runs on this computer (`make run`), pass --local."
        )
    if not region:
        raise WrongUsage("The API's region is unknown. Pass --region NAME, or set AWS_REGION.")

    def frozen() -> ReadOnlyCredentials:
        try:
            return credentials.get_frozen_credentials()
        except NO_CREDENTIALS as error:
            raise _unusable(error) from error

    return OperatorAuth(frozen, region)


def _session(profile: str | None) -> "Session":
    # Importing botocore is slow, and requests to a local service do not need it.
    from botocore.session import Session

    return Session(profile=profile)


def _unusable(error: Exception) -> Unauthorised:
    why = str(error).rstrip(".") or "no code was entered"
    return Unauthorised(
        f"The AWS credentials cannot be used: {why}. Choose other credentials with --profile NAME "
        "or AWS_PROFILE, and check them with `aws sts get-caller-identity`."
    )
