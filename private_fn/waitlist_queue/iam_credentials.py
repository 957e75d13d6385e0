"""How a user whom ElastiCache knows by IAM logs in: by a token that is good for 15 minutes.

Only what needs it may import this module, and late: botocore takes as long as all else together.
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

VALID_SECONDS = 900  # ElastiCache takes no other number
# Three minutes before the end: time enough for a clock that is wrong.
RENEWAL_SECONDS = 720


class IamCredentials(CredentialProvider):
    """One token for all connections that a process makes, and a new one before it ends.

    By the wall clock, which is the token's own: the monotonic one may stand still while Lambda
    keeps the process frozen.
    """

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
        """Return user and password. Raises AuthenticationError where there are no AWS keys."""
        with self._lock:
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
            raise AuthenticationError("no AWS keys to sign a token with, as a function's role has")
        return keys.get_frozen_credentials()


def _keys_of_lambda() -> Any:
    """Return the role's, from where Lambda puts them; nothing else could be reached from here.

    That is the environment, or with SnapStart an address on the function's own machine. Asked anew
    for each token: what is restored from a snapshot must not sign with that time's keys.
    """
    # Without the seconds between attempts, which a call does not have.
    fetcher: Any = ContainerMetadataFetcher(sleep=lambda _seconds: None)
    providers = [EnvProvider(), ContainerProvider(fetcher=fetcher)]
    return CredentialResolver(providers).load_credentials()
