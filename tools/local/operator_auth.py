"""Signs httpx requests as an operator, the local one if no other is named."""

from collections.abc import Generator

import httpx
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tools.local.aws import ACCESS_KEY, REGION, SECRET_KEY
from tools.local.signature import SERVICE


class OperatorAuth(httpx.Auth):
    """AWS Signature Version 4 over method, URL, body and content type."""

    requires_request_body = True

    def __init__(
        self,
        access_key: str = ACCESS_KEY,
        secret_key: str = SECRET_KEY,
        session_token: str | None = None,
        region: str = REGION,
    ) -> None:
        credentials = Credentials(access_key, secret_key, session_token)
        self._auth = SigV4Auth(credentials, SERVICE, region)

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        signed = AWSRequest(request.method, str(request.url), data=request.content)
        signed.headers["Host"] = request.headers["host"]
        if "content-type" in request.headers:
            signed.headers["Content-Type"] = request.headers["content-type"]
        self._auth.add_auth(signed)
        for name in ("X-Amz-Date", "X-Amz-Security-Token", "Authorization"):
            if name in signed.headers:
                request.headers[name] = signed.headers[name]
        yield request
