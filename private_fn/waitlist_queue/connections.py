"""Connections to Redis: they end in time, and can name the server that answers."""

import os
import socket
import ssl
from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, cast

from hiredis import pack_command
from redis import Redis, exceptions
from redis.backoff import NoBackoff
from redis.cluster import RedisCluster
from redis.connection import Connection, ConnectionPool, SSLConnection
from redis.credentials import CredentialProvider
from redis.retry import Retry

from waitlist_queue.config import Config
from waitlist_queue.deadline import Deadline

# A call must fail within 2 seconds, so that the public function can still answer (see
# docs/time-budgets.md). No single wait takes all of it: after one, a cluster's client still asks
# who has taken over.
CALL_SECONDS = 1.4
ANSWER_SECONDS = 0.8
CONNECT_SECONDS = 0.6
RETRIES = 1
# At the most, before a connection is made again: a server that is back is not met by all at once.
PAUSE_SECONDS = 0.05
HOME_LENGTH = 16


class Pipeline(Protocol):
    def execute_command(self, *arguments: object) -> Any: ...

    def execute(self, raise_on_error: Literal[False]) -> list[Any]: ...


class Client(Protocol):
    """What a single server's client and a cluster's have in common."""

    def execute_command(self, *arguments: object) -> Any: ...

    def pipeline(self, transaction: Literal[False]) -> Pipeline: ...


class _Here(str):
    """Stands for the server that a command goes to; its connection fills in which that is."""


# Nothing where no connection fills it in: then an order is at home wherever it is found.
HERE = _Here()


deadline = Deadline(CALL_SECONDS)


class _PunctualConnection(Connection):
    """Waits no longer than the call has time left, however many waits the client adds up.

    It asks the server at its other end for its `run_id`, if a script wants to be told: scripts
    compare it, so that they notice another server that has taken over.
    """

    _home: str | None = None
    _is_known = False

    @property
    def socket_connect_timeout(self) -> float:
        """Asked for each address that the host's name stands for."""
        return deadline.at_most(CONNECT_SECONDS)

    @socket_connect_timeout.setter
    def socket_connect_timeout(self, _seconds: float) -> None: ...

    @property
    def socket_timeout(self) -> float:
        return deadline.at_most(ANSWER_SECONDS)

    @socket_timeout.setter
    def socket_timeout(self, _seconds: float) -> None: ...

    def _connect(self) -> Any:
        if self._is_known:
            deadline.pause(PAUSE_SECONDS)
        self._is_known = True
        if deadline.left() <= 0:
            raise TimeoutError("the time of the call is up")
        return super()._connect()  # type: ignore[no-untyped-call]

    def read_response(self, *arguments: Any, **options: Any) -> Any:
        sock = cast("socket.socket | None", self._sock)
        if sock and sock.gettimeout() != (seconds := self.socket_timeout):
            sock.settimeout(seconds)
        return super().read_response(*arguments, **options)

    def on_connect_check_health(self, check_health: bool = True) -> None:
        self._home = None
        super().on_connect_check_health(check_health=check_health)
        if not (self.credential_provider or self.username or self.password):
            # A server with TLS sends session tickets after the handshake, and the pool takes unread
            # data for a broken connection: an answer has to be read, as a login does.
            self.send_command("PING", check_health=False)  # type: ignore[no-untyped-call]
            self.read_response()

    def _construct_command_packer(self, packer: Any) -> Any:
        return _HomePacker(self, super()._construct_command_packer(packer))  # type: ignore[no-untyped-call]

    def filled_in(self, command: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return a command that names the server which it goes to, where it wants to."""
        if command[-1] is not HERE:
            return command
        if self._sock is None:
            self.connect()  # type: ignore[no-untyped-call]
        if self._home is None:
            self.send_command("INFO", "server", check_health=False)  # type: ignore[no-untyped-call]
            self._home = _run_id(str(self.read_response()))
        return (*command[:-1], self._home)


class _HomePacker:
    """Fills in commands before they are packed."""

    def __init__(self, connection: _PunctualConnection, packer: Any) -> None:
        self._connection = connection
        self._packer = packer

    def pack(self, *command: Any) -> Any:
        return self._packer.pack(*self._connection.filled_in(command))


def _run_id(info: str) -> str:
    """Return what tells a server, and each of its starts, from others; nothing if it is hidden."""
    for line in info.splitlines():
        name, _, value = line.partition(":")
        if name == "run_id":
            return value[:HOME_LENGTH]
    return ""


class _PunctualTlsConnection(_PunctualConnection, SSLConnection):
    """Believes whom redis-py's context does, which the first connection of a pool makes for all.

    To read the certificates of all authorities for each takes longer than to connect.
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


class _PunctualPool(ConnectionPool):
    def __init__(self, connection_class: type = Connection, **options: Any) -> None:
        if issubclass(connection_class, SSLConnection):
            super().__init__(_PunctualTlsConnection, contexts=[], **options)
        else:
            super().__init__(_PunctualConnection, **options)


class _ScriptRedis(Redis):
    """Runs scripts without redis-py's bookkeeping, which costs as much as a script does.

    The connections they use stay taken from the pool: as many as ever ran scripts at once.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._idle: list[Any] = []  # whose pop and append are atomic
        os.register_at_fork(after_in_child=self._idle.clear)

    def execute_command(self, *arguments: Any, **options: Any) -> Any:
        if arguments[0] not in ("EVALSHA", "EVAL"):
            return super().execute_command(*arguments, **options)  # type: ignore[no-untyped-call]
        return self._connected(_ask, arguments)

    def pipeline(self, *_arguments: Any, **_options: Any) -> Any:
        return _ScriptPipeline(self)

    def ask_all(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return the replies to scripts sent in one go; a refused one's is its error."""
        replies: list[Any] = self._connected(_ask_all, commands)
        return replies

    def _connected(self, ask: Callable[[Any, Any], Any], what: Any) -> Any:
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self.connection_pool.get_connection()

        try:
            try:
                return ask(connection, what)
            except exceptions.ConnectionError:
                connection.disconnect()
                return ask(connection, what)
        except exceptions.ResponseError:
            raise
        except BaseException:
            connection.disconnect()  # an answer still to come must not be the next script's
            raise
        finally:
            self._idle.append(connection)


class _ScriptPipeline:
    """Scripts that wait to be sent together."""

    def __init__(self, client: _ScriptRedis) -> None:
        self._client = client
        self._commands: list[tuple[object, ...]] = []

    def execute_command(self, *arguments: object) -> None:
        self._commands.append(arguments)

    def execute(self, **_options: Any) -> list[Any]:
        return self._client.ask_all(self._commands)


def _ask(connection: Any, command: tuple[Any, ...]) -> Any:
    packed = pack_command(connection.filled_in(command))
    connection.send_packed_command((packed,), check_health=False)
    return connection.read_response()


def _ask_all(connection: Any, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
    packed = b"".join([pack_command(connection.filled_in(command)) for command in commands])
    connection.send_packed_command((packed,), check_health=False)
    return [_reply(connection) for _ in commands]


def _reply(connection: Any) -> Any:
    try:
        return connection.read_response()
    except exceptions.ResponseError as error:
        return error


def connect(config: Config) -> Client:
    """Return a client of the server or cluster at `redis_url`."""
    # No driver to be named: that would be two more questions, which the user need not be allowed.
    options: dict[str, Any] = {"decode_responses": True, "protocol": 2, "driver_info": None}
    options.update(socket_keepalive=True, credential_provider=credentials_of(config))
    if config.redis_cluster:
        options.update(retry=Retry(NoBackoff(), RETRIES), connection_pool_class=_PunctualPool)
        # Slots that nobody serves are no reason to refuse the others.
        options.update(require_full_coverage=False)
        return cast(Client, RedisCluster.from_url(config.redis_url, **options))
    # A lost connection is ours to retry, a time-out is the caller's.
    retry = Retry(NoBackoff(), RETRIES, supported_errors=(exceptions.ConnectionError,))
    pool = _PunctualPool.from_url(config.redis_url, retry=retry, **options)
    return cast(Client, _ScriptRedis.from_pool(pool))


def credentials_of(config: Config) -> CredentialProvider | None:
    """Return how an IAM user logs in; anybody else is named by the URL, or nobody is."""
    if config.iam_user is None:
        return None
    from waitlist_queue.iam_credentials import IamCredentials

    return IamCredentials(config.iam_user)
