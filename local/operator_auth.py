"""Signs httpx requests as the local operator."""

from collections.abc import Generator

import httpx
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from local.aws import ACCESS_KEY, REGION, SECRET_KEY
from local.signature import SERVICE


class OperatorAuth(httpx.Auth):
    """AWS Signature Version 4 over method, URL, body and content type."""

    requires_request_body = True

    def __init__(self, access_key: str = ACCESS_KEY, secret_key: str = SECRET_KEY) -> None:
        self._auth = SigV4Auth(Credentials(access_key, secret_key), SERVICE, REGION)

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        signed = AWSRequest(request.method, str(request.url), data=request.content)
        signed.headers["Host"] = request.headers["host"]
        if "content-type" in request.headers:
            signed.headers["Content-Type"] = request.headers["content-type"]
        self._auth.add_auth(signed)
        for name in ("X-Amz-Date", "Authorization"):
            request.headers[name] = signed.headers[name]
        yield request
