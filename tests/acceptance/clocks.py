"""One deployment whose machines disagree about the time."""

from dataclasses import dataclass, field

from tests.support.admissions import Admissions
from tests.support.memory_table import MemoryTable
from tests.support.redis_past import RedisPast
from tests.support.redis_servers import Server
from tests.support.world import START_MILLIS, Clock, RedisClock, World

MINUTE_SECONDS = 60
HOUR_SECONDS = 3600


@dataclass
class Clocks:
    """The public function's clock, maintenance's and Redis'; what each is off by, in seconds."""

    valkey: Server
    public_off: float = 0
    keeper_off: float = 0
    redis: RedisClock = field(default_factory=RedisClock.standing)
    home: str = "server-one"

    def __post_init__(self) -> None:
        table = MemoryTable()
        self.public = self._world(table, self.public_off)
        self.keeper = self._world(table, self.keeper_off)
        self.desk = Admissions(self.public)

    def _world(self, table: MemoryTable, off: float) -> World:
        clock = Clock(START_MILLIS + int(off * 1000))
        return World.on(
            table,
            self.valkey.client,
            clock=clock,
            redis_clock=self.redis,
            here=lambda: self.home,
        )

    def another_keeper(self, off: float) -> World:
        """Return a second maintenance function, whose clock is off by something else."""
        return self._world(self.public.dynamodb, off)

    def go_on(self, seconds: float) -> None:
        """Let time pass, everywhere."""
        self.public.clock.advance(seconds)
        self.keeper.clock.advance(seconds)
        self.redis.advance(seconds)

    def two_runs(self) -> None:
        for _ in range(2):
            self.go_on(2 * MINUTE_SECONDS)
            self.keeper.services.caretaker.look_after_all()

    def redis_millis(self) -> int:
        assert self.redis.micros is not None
        return self.redis.micros // 1000

    # What may strike Redis while its clock goes back.
    def nothing(self) -> None: ...

    def flush(self) -> None:
        self.valkey.client.flushall()

    def fail_over(self) -> None:
        """Have another server take over that has everything."""
        self.home = f"{self.home}-two"

    def fail_over_behind(self, past: RedisPast) -> None:
        """Have another server take over that lacks what came after."""
        past.put_back()
        self.fail_over()
