"""The whole service in one process, with both stores, both clocks, and the events that can change
them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from tests.reliability.model import scenarios
from tests.reliability.model.chance import SOURCE
from tests.reliability.model.client import WAITLIST_ID, Client, Tokens
from tests.reliability.model.effects import may_write
from tests.reliability.model.lagging_replica import FIRST_RUN_ID, LaggingReplica, State
from tests.reliability.model.outcomes import Outcome, outcome_of
from tests.reliability.model.requests import Request
from tests.reliability.model.sameness import Text
from tests.support.faults import Wire
from tests.support.lambdas import InProcessLambda
from tests.support.model import Waitlist
from tests.support.services import MaintenanceServices
from tests.support.stale_index import Past, StaleIndexTable
from tests.support.world import CONFIG, START_MILLIS, Clock, RedisClock
from tools.local.dynamodb.items import Item
from waitlist_api.clock import NowMillis
from waitlist_queue import keys
from waitlist_queue.service import QueueService
from waitlist_queue.store import RedisStore

STEP_SECONDS = 0.001
MINUTE = 60.0
# The longest that an index or a replica lags behind.
LONGEST_LAG = 15 * MINUTE
# The first maintenance run may have to rebuild the queue. The second run ends claims and offers,
# and the third run records this in DynamoDB.
RUNS = 3


@dataclass(frozen=True)
class Snapshot:
    """The state in which a case starts, both in the stores and in the sequential model."""

    items: Past
    past_items: tuple[Past, ...]
    redis: State
    past_redis: tuple[State, ...]
    millis: int
    tokens: Tokens
    line: Waitlist
    # The number of random values used so far.
    drawn: int = 0
    # The epoch identifies the queue in Redis. A rebuilt queue has a new epoch.
    epoch: str = ""
    # Interrupted requests, which may or may not have had an effect.
    unanswered: tuple[Request, ...] = ()


@dataclass(frozen=True)
class StepState:
    """The state of both stores and both clocks between two steps."""

    items: Past
    redis: State
    millis: int
    micros: int


class Testbed:
    """The stores and clocks of a waitlist, which any number of processes can use."""

    __test__ = False  # Otherwise, pytest would collect the class because of its name.

    def __init__(self, redis_url: str) -> None:
        self.redis = LaggingReplica(redis_url)
        self.table = StaleIndexTable()
        self.clock, self.redis_clock = Clock(), RedisClock.standing()
        store = RedisStore(
            lambda: self.redis, self.redis_clock.now_micros, lambda: self.redis.server_run_id
        )
        self.lambda_ = InProcessLambda(QueueService(store).handle)
        self.tokens: Tokens = {}
        self.is_index_late = False
        self.epoch = ""
        self._snapshots: dict[str, Snapshot] = {}
        self._snapshot = Snapshot({}, (), {}, (), START_MILLIS, {}, Waitlist())
        self._texts: dict[int, tuple[Item, Text]] = {}
        self.elsewhere = self.client()

    def client(self, wire: Wire | None = None, now_millis: NowMillis | None = None) -> Client:
        """Return a client in a new process that has the waitlist's settings in its cache."""
        wired = wire.client if wire else _as_it_is
        services = MaintenanceServices.on(
            CONFIG,
            wired(_Timed(self.table, self.wait)),
            wired(_Timed(self.lambda_, self.wait)),
            now_millis or self.clock.now_millis,
            self._pause,
        )
        if self.table.items:
            services.waitlist_cache.look_up(WAITLIST_ID)
        if wire:
            wire.disarm()
        return Client(services, self.wait, self.redis.raw, self.client, self.tokens)

    def wait(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.redis_clock.advance(seconds)
        if seconds > LONGEST_LAG:
            self.table.past.clear()
            self.redis.past.clear()

    def _pause(self, seconds: float) -> None:
        """Advance the clocks while a rebuild waits. The index catches up with the table in that
        time, unless a fault holds it back.
        """
        self.wait(seconds)
        if not self.is_index_late:
            self.table.catch_up()

    def prepare(self, requests: tuple[Request, ...]) -> Snapshot:
        self.begin(Snapshot({}, (), {}, (), START_MILLIS, {}, Waitlist()))
        self.redis.keeps_past = True
        line = Waitlist()
        self.elsewhere.limit_to(None)
        self.epoch = (self.redis.raw.hget(keys.meta(WAITLIST_ID), "epoch") or b"").decode()
        for request in requests:
            self.wait(MINUTE)
            answer = outcome_of(lambda request=request: request.send(self.elsewhere))  # type: ignore[misc]
            line, expected = request.effect(line)
            assert answer.verdict == ("refused" if expected.refusal else "done"), answer
        self.wait(MINUTE)
        unanswered = tuple(request.unanswered for request in requests if request.unanswered)
        return replace(self.snapshot(line), unanswered=unanswered)

    def snapshot_of(self, scenario: str) -> Snapshot:
        """Return the snapshot in which a scenario starts.

        The first call for each scenario replaces the contents of the stores.
        """
        if scenario not in self._snapshots:
            self._snapshots[scenario] = self.prepare(scenarios.of(scenario))
        return self._snapshots[scenario]

    @property
    def line(self) -> Waitlist:
        """The model's state in the most recently restored snapshot."""
        return self._snapshot.line

    def snapshot(self, line: Waitlist) -> Snapshot:
        return Snapshot(
            self.table.items.copy(),
            tuple(self.table.past),
            self.redis.state(),
            tuple(self.redis.past),
            self.clock.millis,
            {claim: dict(tokens) for claim, tokens in self.tokens.items()},
            line,
            SOURCE.drawn,
            self.epoch,
        )

    def begin(self, snapshot: Snapshot) -> None:
        self.table.items = snapshot.items.copy()
        self.table.catch_up()
        self.is_index_late = False
        self.table.past.clear()
        self.table.past.extend(snapshot.past_items)
        self.redis.put(snapshot.redis)
        self.redis.take_over(FIRST_RUN_ID)
        self.redis.past.clear()
        self.redis.past.extend(snapshot.past_redis)
        self.redis.keeps_past = False
        self.clock.millis = snapshot.millis
        self.redis_clock.micros = snapshot.millis * 1000
        self.epoch = snapshot.epoch
        self.tokens.clear()
        self.tokens.update({claim: dict(known) for claim, known in snapshot.tokens.items()})
        self.lambda_.started.clear()
        if self._snapshot is not snapshot:
            self._snapshot = snapshot
            self._texts.clear()
            # Start a new process, because the old one may have another scenario's settings in its
            # cache.
            self.elsewhere = self.client()
        SOURCE.drawn = snapshot.drawn

    def step_state(self) -> StepState:
        """Return the state of the stores and clocks. The index is not saved, so it must be up to
        date.
        """
        micros = self.redis_clock.micros
        assert micros is not None
        return StepState(self.table.items.copy(), self.redis.state(), self.clock.millis, micros)

    def put(self, step_state: StepState) -> None:
        self.table.items = step_state.items.copy()
        self.redis.put(step_state.redis)
        self.clock.millis = step_state.millis
        self.redis_clock.micros = step_state.micros

    def texts(self) -> Iterator[Text]:
        """Describe the contents of the stores. Items that the case has not changed are left out."""
        items, before = self.table.items, self._snapshot.items
        changed = [key for key, item in items.items() if before.get(key) is not item]
        for key in sorted(changed):
            yield self._text(items[key])
        since = self._snapshot.millis
        gone = sorted(before.keys() - items.keys())
        others = (self.redis.server_run_id, self.is_index_late)
        yield Text.of((gone, self.redis.shown(), self.clock.millis, others), since)

    def _text(self, item: Item) -> Text:
        if id(item) not in self._texts:
            self._texts[id(item)] = item, Text.of(sorted(item.items()), self._snapshot.millis)
        return self._texts[id(item)][1]

    @property
    def time(self) -> tuple[int, int | None]:
        return self.clock.millis, self.redis_clock.micros

    def set_time(self, time: tuple[int, int | None]) -> None:
        self.clock.millis, self.redis_clock.micros = time

    def send_elsewhere(self, request: Callable[[Client], Any]) -> Outcome:
        return outcome_of(lambda: request(self.elsewhere))

    def maintain(self) -> None:
        self.wait(2 * MINUTE)
        self.send_elsewhere(Client.maintain)

    def maintain_until_quiet(self) -> None:
        for _ in range(RUNS):
            self._maintain_with_index()
        if self.redis.raw.exists(keys.dirty(WAITLIST_ID)):
            # If an offer ended in the last maintenance run, its slot may have gone to the next
            # customer. One more run records this offer.
            self._maintain_with_index()

    def _maintain_with_index(self) -> None:
        self.maintain()
        self.table.catch_up()
        self.is_index_late = False

    def lose_writes(self, writes: int) -> None:
        """Undo the last writes to Redis, as a failover to a lagging replica does. The service may
        not be able to restore all counters.
        """
        self.redis.lose(writes)
        self.epoch = ""

    def lose_redis(self) -> None:
        self.redis.flush()

    def lose_and_rebuild(self) -> None:
        self.redis.flush()
        self.send_elsewhere(Client.maintain)

    def lose_and_maintain(self) -> None:
        """Delete everything in Redis, and run maintenance two minutes later.

        After two minutes, the service treats an unfinished request as interrupted.
        """
        self.redis.flush()
        self.maintain()

    def rebuild_from_late_index(self, writes: int, *, throughout: bool) -> None:
        """Rebuild the queue from an index that does not contain the last writes yet.

        If `throughout` is true, the index does not catch up while the rebuild is running.
        """
        self.table.fall_behind(writes)
        self.is_index_late = throughout
        self.lose_and_rebuild()
        self.is_index_late = False
        self.table.catch_up()

    def is_cold(self) -> bool:
        return bool(self.redis.raw.hget(keys.meta(WAITLIST_ID), "state") != b"warm")


def _as_it_is(client: Any) -> Any:
    return client


class _Timed:
    """A client whose writes take a millisecond of simulated time."""

    def __init__(self, client: Any, wait: Callable[[float], None]) -> None:
        self._client = client
        self._wait = wait

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)
        operation = name.title().replace("_", "")

        def call(**arguments: Any) -> Any:
            if may_write(operation, arguments):
                self._wait(STEP_SECONDS)
            return method(**arguments)

        return call
