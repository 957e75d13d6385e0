"""Redis connections that respect the deadline of a call and know the `run_id` of their server."""

import socket
import ssl
from typing import Any, Literal, Protocol, cast

from redis import Redis, exceptions
from redis.backoff import NoBackoff
from redis.cluster import RedisCluster
from redis.connection import Connection, ConnectionPool, SSLConnection
from redis.credentials import CredentialProvider
from redis.retry import Retry

from waitlist_queue.config import Config
from waitlist_queue.deadline import Deadline

# If Redis does not answer, a call fails early enough for the public function to respond (see
# docs/internals/time-budgets.md). Each attempt to connect or to read an answer has a shorter limit
# than the whole call, so a call has time to try a second Redis node.
CALL_SECONDS = 1.4
ANSWER_SECONDS = 0.8
CONNECT_SECONDS = 0.6
RETRIES = 1
# The maximum pause before reconnecting. The pauses are random, so that clients do not all reconnect
# at the same time.
PAUSE_SECONDS = 0.05
RUN_ID_LENGTH = 16


class Pipeline(Protocol):
    def execute_command(self, *arguments: object) -> Any: ...

    def execute(self, raise_on_error: Literal[False]) -> list[Any]: ...


class Client(Protocol):
    """The methods of Redis clients that this package uses. The clients for a single server and for
    a cluster both have them.
    """

    def execute_command(self, *arguments: object) -> Any: ...

    def pipeline(self, transaction: Literal[False]) -> Pipeline: ...


class _OwnRunId(str):
    """A placeholder in a Redis command.

    Before a connection sends the command, it replaces the placeholder with the `run_id` of its
    Redis server.
    """


# The placeholder is an empty string. If a script receives an empty `run_id`, it does not check
# which server it runs on.
OWN_RUN_ID = _OwnRunId()


deadline = Deadline(CALL_SECONDS)


class _DeadlineConnection(Connection):
    """A connection that never waits beyond the deadline of a call.

    It also adds its server's `run_id` to each script call, so that the script notices when a
    different server has taken over.
    """

    _server_run_id: str | None = None
    _has_connected = False

    @property
    def socket_connect_timeout(self) -> float:
        """The timeout for connecting: CONNECT_SECONDS, or the remaining time if that is shorter.

        redis-py reads this property again for each of the host's IP addresses.
        """
        return deadline.at_most(CONNECT_SECONDS)

    @socket_connect_timeout.setter
    def socket_connect_timeout(self, _seconds: float) -> None: ...

    @property
    def socket_timeout(self) -> float:
        return deadline.at_most(ANSWER_SECONDS)

    @socket_timeout.setter
    def socket_timeout(self, _seconds: float) -> None: ...

    def _connect(self) -> Any:
        if self._has_connected:
            deadline.pause(PAUSE_SECONDS)
        self._has_connected = True
        if deadline.left() <= 0:
            raise TimeoutError("the deadline of the call has passed")
        return super()._connect()  # type: ignore[no-untyped-call]

    def read_response(self, *arguments: Any, **options: Any) -> Any:
        sock = cast("socket.socket | None", self._sock)
        if sock and sock.gettimeout() != (seconds := self.socket_timeout):
            sock.settimeout(seconds)
        return super().read_response(*arguments, **options)

    def on_connect_check_health(self, check_health: bool = True) -> None:
        self._server_run_id = None
        super().on_connect_check_health(check_health=check_health)
        if not (self.credential_provider or self.username or self.password):
            # After a TLS handshake, the server sends session tickets. The connection pool closes a
            # connection that has unread data, so send a PING. Reading the reply to the PING also
            # reads the session tickets.
            self.send_command("PING", check_health=False)  # type: ignore[no-untyped-call]
            self.read_response()

    def _construct_command_packer(self, packer: Any) -> Any:
        return _RunIdPacker(self, super()._construct_command_packer(packer))  # type: ignore[no-untyped-call]

    def with_run_id(self, command: tuple[Any, ...]) -> tuple[Any, ...]:
        """Replace OWN_RUN_ID in the command with the `run_id` of the server."""
        if command[-1] is not OWN_RUN_ID:
            return command
        if self._sock is None:
            self.connect()  # type: ignore[no-untyped-call]
        if self._server_run_id is None:
            self.send_command("INFO", "server", check_health=False)  # type: ignore[no-untyped-call]
            self._server_run_id = _run_id(str(self.read_response()))
        return (*command[:-1], self._server_run_id)


class _RunIdPacker:
    """Encodes commands, and replaces OWN_RUN_ID with the `run_id` of the server."""

    def __init__(self, connection: _DeadlineConnection, packer: Any) -> None:
        self._connection = connection
        self._packer = packer

    def pack(self, *command: Any) -> Any:
        return self._packer.pack(*self._connection.with_run_id(command))


def _run_id(info: str) -> str:
    """Return the `run_id` from the output of INFO, or an empty string if there is none."""
    for line in info.splitlines():
        name, _, value = line.partition(":")
        if name == "run_id":
            return value[:RUN_ID_LENGTH]
    return ""


class _DeadlineTlsConnection(_DeadlineConnection, SSLConnection):
    """A TLS connection that shares its TLS context with the other connections in the pool.

    Creating a context loads the CA certificates, which takes longer than connecting.
    """

    def __init__(self, contexts: list[ssl.SSLContext], **options: Any) -> None:
        self._contexts = contexts
        super().__init__(**options)

    def _wrap_socket_with_ssl(self, sock: socket.socket) -> ssl.SSLSocket:
        if self._contexts:
            return self._contexts[0].wrap_socket(sock, server_hostname=self.host)
        wrapped = cast(ssl.SSLSocket, super()._wrap_socket_with_ssl(sock))  # type: ignore[no-untyped-call]
        self._contexts.append(wrapped.context)
        return wrapped


class _DeadlinePool(ConnectionPool):
    def __init__(self, connection_class: type = Connection, **options: Any) -> None:
        if issubclass(connection_class, SSLConnection):
            super().__init__(_DeadlineTlsConnection, contexts=[], **options)
        else:
            super().__init__(_DeadlineConnection, **options)


def connect(config: Config) -> Client:
    """Return a client for the Redis server or cluster at `redis_url`."""
    # Do not send the client library's name and version, because the Redis user may not be allowed
    # to run the commands that send them.
    options: dict[str, Any] = {"decode_responses": True, "protocol": 2, "driver_info": None}
    options.update(socket_keepalive=True, credential_provider=credentials_of(config))
    if config.redis_cluster:
        options.update(retry=Retry(NoBackoff(), RETRIES), connection_pool_class=_DeadlinePool)
        # If a cluster node is missing, calls to the other nodes must still work.
        options.update(require_full_coverage=False)
        return cast(Client, RedisCluster.from_url(config.redis_url, **options))
    # The Redis client itself retries only after a lost connection. After a timeout, its caller
    # retries.
    retry = Retry(NoBackoff(), RETRIES, supported_errors=(exceptions.ConnectionError,))
    pool = _DeadlinePool.from_url(config.redis_url, retry=retry, **options)
    return cast(Client, Redis.from_pool(pool))


def credentials_of(config: Config) -> CredentialProvider | None:
    """Return the credentials of the IAM user, or None if no IAM user is configured."""
    if config.iam_user is None:
        return None
    from waitlist_queue.iam_credentials import IamCredentials

    return IamCredentials(config.iam_user)
