"""Signs the tokens with which an IAM user logs in to ElastiCache.

Import this module only if an IAM user is configured, because importing botocore is slow.
"""

import threading
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from botocore.auth import SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import ContainerProvider, CredentialResolver, EnvProvider
from botocore.exceptions import BotoCoreError
from botocore.utils import ContainerMetadataFetcher
from redis.credentials import CredentialProvider
from redis.exceptions import AuthenticationError

from waitlist_queue.config import IamUser

VALID_SECONDS = 900  # ElastiCache accepts no other value
# Renew a token three minutes before it expires, in case this computer's clock is slow.
RENEWAL_SECONDS = 720


class IamCredentials(CredentialProvider):
    """Provides a login token for all connections of a process, and renews it before it expires."""

    def __init__(
        self,
        user: IamUser,
        load_keys: Callable[[], Any] | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._user = user
        self._load_keys = load_keys or _keys_of_lambda
        self._now = now
        self._lock = threading.Lock()
        self._token = ""
        self._signed_at = 0.0

    def get_credentials(self) -> tuple[str, str]:
        """Return the name of the IAM user and a valid token."""
        with self._lock:
            # Measure the token's age with the wall clock, because the monotonic clock may stop
            # while Lambda freezes the process.
            now = self._now()
            if not self._token or not 0 <= now - self._signed_at < RENEWAL_SECONDS:
                self._token = self._signed()
                self._signed_at = now
            return self._user.name, self._token

    def _signed(self) -> str:
        cache = self._user.cache
        query = {"Action": "connect", "User": self._user.name}
        if cache.is_serverless:
            query["ResourceType"] = "ServerlessCache"
        request = AWSRequest("GET", f"http://{cache.name}/?{urlencode(query)}")
        SigV4QueryAuth(self._keys(), "elasticache", cache.region, VALID_SECONDS).add_auth(request)
        return str(request.url).removeprefix("http://")

    def _keys(self) -> Any:
        try:
            keys = self._load_keys()
        except BotoCoreError as error:
            raise AuthenticationError(f"no AWS keys to sign a token with: {error}") from error
        if not keys:
            raise AuthenticationError(
                "no AWS keys to sign a token with: the role of a Lambda function provides them"
            )
        return keys.get_frozen_credentials()


def _keys_of_lambda() -> Any:
    """Return the AWS keys of the function's role.

    The keys are read again for each token, because a process that was restored from a snapshot
    contains old keys.
    """
    # A call to Redis has little time, so do not sleep between attempts to read the keys.
    fetcher: Any = ContainerMetadataFetcher(sleep=lambda _seconds: None)
    providers = [EnvProvider(), ContainerProvider(fetcher=fetcher)]
    return CredentialResolver(providers).load_credentials()
