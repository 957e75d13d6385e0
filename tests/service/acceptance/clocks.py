"""A deployment in which the clocks of the two Lambda functions and Redis disagree."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.service.acceptance.test_lagging_replica import EventfulClock
from tests.support.admissions import Admissions
from tests.support.redis_servers import Server
from tests.support.snapshot import RedisState
from tests.support.tables import new_table
from tests.support.world import START_MILLIS, Clock, RedisClock, World

MINUTE_SECONDS = 60
HOUR_SECONDS = 3600


@dataclass
class Clocks:
    """A deployment whose clocks are wrong.

    `public_off` is how many seconds the public function's clock is off, and `keeper_off` is how
    many seconds maintenance's clock is off.
    """

    valkey: Server
    public_off: float = 0
    keeper_off: float = 0
    redis: RedisClock = field(default_factory=RedisClock.standing)
    server_run_id: str = "server-one"
    table: Any = field(default_factory=new_table)

    def __post_init__(self) -> None:
        self.public = self._world(self.public_off)
        self.keeper = self._world(self.keeper_off)
        self.people = Admissions(self.public)

    def _world(self, off: float) -> World:
        return self._with(Clock(START_MILLIS + int(off * 1000)))

    def _with(self, clock: Clock) -> World:
        return World.on(
            self.table,
            self.valkey.client,
            clock=clock,
            redis_clock=self.redis,
            here=lambda: self.server_run_id,
        )

    def another_keeper(self, off: float, meanwhile: Callable[[], None] = lambda: None) -> World:
        """Return a second maintenance function whose clock is off by `off` seconds.

        The first time that this function waits, the test runs `meanwhile`.
        """
        millis = self.public.clock.millis + int((off - self.public_off) * 1000)
        clock = EventfulClock(millis, meanwhile)
        return self._with(clock)

    def go_on(self, seconds: float) -> None:
        """Advance all clocks by the same time."""
        self.public.clock.advance(seconds)
        self.keeper.clock.advance(seconds)
        self.redis.advance(seconds)

    def two_runs(self) -> None:
        for _ in range(2):
            self.go_on(2 * MINUTE_SECONDS)
            self.keeper.maintenance.run_all()

    def redis_millis(self) -> int:
        assert self.redis.micros is not None
        return self.redis.micros // 1000

    # Each of the following methods simulates a different fault of Redis.
    def nothing(self) -> None: ...

    def flush(self) -> None:
        self.valkey.client.flushall()

    def fail_over(self) -> None:
        self.server_run_id = f"{self.server_run_id}-two"

    def fail_over_behind(self, past: RedisState) -> None:
        past.restore(self.valkey.client)
        self.fail_over()
