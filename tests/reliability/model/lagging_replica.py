"""Puts a Redis server back into an earlier state, which simulates a failover to a replica that is
missing the last writes.
"""

from collections import deque
from collections.abc import Callable
from typing import Any

from redis import ConnectionPool, Redis, ResponseError

from waitlist_queue.config import Config
from waitlist_queue.connections import connect

MOST_BEHIND = 5
FIRST_RUN_ID = "server-0"
State = dict[bytes, bytes]

READ_ALL = """
local found = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  found[#found + 1] = key
  found[#found + 1] = redis.call('DUMP', key)
end
return found
"""
SHOW_ALL = """
local show = {
  hash = function(key) return redis.call('HGETALL', key) end,
  zset = function(key) return redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') end,
  string = function(key) return redis.call('GET', key) end,
  set = function(key) return redis.call('SMEMBERS', key) end,
  list = function(key) return redis.call('LRANGE', key, 0, -1) end,
}
local found = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  found[#found + 1] = {key, show[redis.call('TYPE', key).ok](key)}
end
return found
"""
PUT_ALL = """
for _, key in ipairs(redis.call('KEYS', '*')) do redis.call('DEL', key) end
for i = 1, #ARGV, 2 do redis.call('RESTORE', ARGV[i], 0, ARGV[i + 1]) end
"""


class LaggingReplica:
    """A client that can restore earlier states of Redis. If `keeps_past` is set, it stores Redis'
    data before each write.
    """

    def __init__(self, url: str) -> None:
        self._client: Any = connect(Config(url, redis_cluster=False, log_level="INFO"))
        self.raw: Any = _Noticed(url, self._forget)
        own = Redis.from_url(url)
        self._read_all: Any = own.register_script(READ_ALL)
        self._show_all: Any = own.register_script(SHOW_ALL)
        self._put_all: Any = own.register_script(PUT_ALL)
        self._state: State | None = None
        self._shown: list[list[Any]] | None = None
        self.past: deque[State] = deque(maxlen=MOST_BEHIND)
        self.keeps_past = False
        self.server_run_id = FIRST_RUN_ID

    def execute_command(self, *arguments: Any) -> Any:
        if not self.keeps_past:
            self._forget()
            return self._client.execute_command(*arguments)
        before = self.state()
        self._forget()
        answer = self._client.execute_command(*arguments)
        if self.state() != before:
            self.past.append(before)
        return answer

    def pipeline(self, transaction: bool) -> Any:
        self._forget()
        return _OneByOne(self) if self.keeps_past else self._client.pipeline(transaction)

    def _forget(self) -> None:
        self._state = self._shown = None

    def state(self) -> State:
        if self._state is None:
            flat = self._read_all()
            self._state = dict(zip(flat[::2], flat[1::2], strict=True))
        return self._state

    def shown(self) -> list[list[Any]]:
        if self._shown is None:
            self._shown = sorted(self._show_all())
        return self._shown

    def put(self, state: State) -> None:
        if state is not self._state:
            self._put_all(args=[part for pair in state.items() for part in pair])
            self._forget()
            self._state = state

    def go_back(self, writes: int) -> None:
        """Fail over to a replica that is missing the last writes. The replica has a different
        `run_id`, so the service can notice the failover.
        """
        self.lose(writes)
        self.take_over(f"{self.server_run_id}'")

    def lose(self, writes: int) -> None:
        """Fail over to a replica that is missing the last writes. The `run_id` stays the same, so
        the service cannot notice the failover.
        """
        state = self.state()
        for _ in range(min(writes, len(self.past))):
            state = self.past.pop()
        self.put(state)

    def take_over(self, server_run_id: str) -> None:
        self.server_run_id = server_run_id

    def flush(self) -> None:
        self.raw.flushall()


class _Noticed(Redis):
    def __init__(self, url: str, notice: Callable[[], None]) -> None:
        super().__init__(connection_pool=ConnectionPool.from_url(url))
        self._notice = notice

    def execute_command(self, *arguments: Any, **options: Any) -> Any:
        self._notice()
        return super().execute_command(*arguments, **options)  # type: ignore[no-untyped-call]


class _OneByOne:
    def __init__(self, redis: LaggingReplica) -> None:
        self._redis = redis
        self._commands: list[tuple[object, ...]] = []

    def execute_command(self, *arguments: object) -> None:
        self._commands.append(arguments)

    def execute(self, raise_on_error: bool) -> list[Any]:
        assert not raise_on_error
        return [self._answer(command) for command in self._commands]

    def _answer(self, command: tuple[object, ...]) -> Any:
        try:
            return self._redis.execute_command(*command)
        except ResponseError as error:
            return error
