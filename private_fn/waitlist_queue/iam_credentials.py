"""Signs the tokens by which an IAM user of ElastiCache logs in; a token is valid for 15 minutes.

Import this module late, and only where it is needed: botocore takes as long to import as all the
rest together.
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
# Three minutes before the end, because the clock may be wrong.
RENEWAL_SECONDS = 720


class IamCredentials(CredentialProvider):
    """One token for all connections of a process, replaced before it expires.

    It goes by the wall clock, as the token does, because the monotonic clock may stand still while
    Lambda keeps the process frozen.
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
    """Return the keys of the function's role: from the environment, or with SnapStart from an
    address on the function's own machine.

    They are read for each token, because a process that is restored from a snapshot must not sign
    with the keys of the snapshot.
    """
    # No pause between attempts: a call does not have the seconds.
    fetcher: Any = ContainerMetadataFetcher(sleep=lambda _seconds: None)
    providers = [EnvProvider(), ContainerProvider(fetcher=fetcher)]
    return CredentialResolver(providers).load_credentials()
