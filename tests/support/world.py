"""The whole service in one process: the real functions and scripts, and an in-memory table."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from aws_lambda_powertools import Logger
from pydantic import BaseModel

from tests.support.dynamodb import TABLE
from tests.support.gateway import Answer, Caller
from tests.support.lambdas import MAINTENANCE, MESSAGES, PRIVATE, InProcessLambda
from tests.support.queues import LocalSqs
from tests.support.rights import WEBHOOK_DEAD_LETTERS, WEBHOOK_QUEUE, guarded
from tests.support.services import AllServices, MaintenanceServices
from tools.local.kms import KEY_ARN, LocalKms
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.bots.check import BotCheck
from waitlist_api.config import Config
from waitlist_api.entries.identify import Identities
from waitlist_api.http.api import Api
from waitlist_api.http.routing import import_routes
from waitlist_api.http.schemas.common import Model
from waitlist_api.maintenance.runner import MaintenanceRunner
from waitlist_api.observability.metrics import MetricsCollector
from waitlist_queue.connections import Client
from waitlist_queue.service import QueueService
from waitlist_queue.store import RedisStore

SECRET = "a-secret-for-tests-of-32-characters-or-more"
KMS = cache(LocalKms)
CONFIG = Config(
    table_name=TABLE,
    private_function_name=PRIVATE,
    maintenance_function_name=MAINTENANCE,
    entry_token_secret=SECRET,
    entry_token_secret_arn="",
    log_level="INFO",
    pass_key_arns=(KEY_ARN,),
    webhook_queue_url=WEBHOOK_QUEUE,
    webhook_dead_letters_url=WEBHOOK_DEAD_LETTERS,
    messages_function_name=MESSAGES,
    message_channels=("mail", "sms"),
)
START_MILLIS = 1_790_000_000_000


def find_subclasses(kind: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for one in kind.__subclasses__():
        yield one
        yield from find_subclasses(one)


@cache
def build_models() -> None:
    """Let pydantic build the schemas of all routes' models.

    In Lambda, pydantic builds a model's schema when the first request needs the model. A test
    process creates the API thousands of times, and pydantic would build the same schemas for each
    of these APIs.
    """
    import_routes()
    for model in find_subclasses(Model):
        model.model_rebuild(force=True)


@dataclass
class Clock:
    millis: int = START_MILLIS

    def now_millis(self) -> int:
        return self.millis

    def advance(self, seconds: float) -> None:
        self.millis += int(seconds * 1000)


@dataclass
class RedisClock:
    """Redis' clock, which is the server's own clock until a test sets a time."""

    micros: int | None = None

    @classmethod
    def standing(cls, millis: int = START_MILLIS) -> "RedisClock":
        return cls(millis * 1000)

    def now_micros(self) -> int | str:
        return "" if self.micros is None else self.micros

    def advance(self, seconds: float) -> None:
        """Advance the clock. If no test has set a time, the clock starts at the current time."""
        start = time.time_ns() // 1000 if self.micros is None else self.micros
        self.micros = start + int(seconds * 1_000_000)


@dataclass
class World:
    """A deployment whose functions can make only the calls that their IAM roles allow.

    The clients `dynamodb` and `redis` are not restricted. Tests read and change the stored data
    through them.
    """

    dynamodb: Any
    redis: Any
    lambda_: Any
    services: AllServices
    clock: Clock = field(default_factory=Clock)
    redis_clock: RedisClock = field(default_factory=RedisClock)
    metrics: MetricsCollector = field(default_factory=MetricsCollector)
    stage_variables: dict[str, str] = field(default_factory=dict)
    sqs: LocalSqs = field(default_factory=lambda: LocalSqs(time.time))

    @classmethod
    def on(
        cls,
        dynamodb: Any,
        redis: Any,
        wrap_lambda: Callable[[Any], Any] = lambda client: client,
        *,
        clock: Clock | None = None,
        redis_clock: RedisClock | None = None,
        here: Callable[[], str] = lambda: "",
        bot_check: BotCheck | None = None,
        config: Config | None = None,
    ) -> "World":
        """Return a deployment on the given database and Redis server. `here` returns the Redis
        server's run id.
        """
        build_models()
        clock, redis_clock = clock or Clock(), redis_clock or RedisClock()
        store = RedisStore(lambda: redis_client(redis), redis_clock.now_micros, here)
        # The time limit's clock stands still, because a slow machine could otherwise exceed the
        # limit.
        queue = QueueService(store, monotonic=lambda: 0)
        lambda_ = wrap_lambda(InProcessLambda(queue.handle))
        metrics, sqs = MetricsCollector(), LocalSqs(lambda: clock.millis / 1000)
        services = AllServices.on(
            config or CONFIG,
            guarded("PublicFn", dynamodb),
            guarded("PublicFn", lambda_),
            clock.now_millis,
            clock.advance,
            kms=lambda: guarded("PublicFn", KMS()),
            sqs=lambda: guarded("PublicFn", sqs),
            metrics=metrics,
            bot_check=bot_check,
        )
        return cls(dynamodb, redis, lambda_, services, clock, redis_clock, metrics, sqs=sqs)

    @cached_property
    def maintenance(self) -> MaintenanceRunner:
        services = MaintenanceServices.on(
            CONFIG,
            guarded("MaintenanceFn", self.dynamodb),
            guarded("MaintenanceFn", self.lambda_),
            self.clock.now_millis,
            self.clock.advance,
            metrics=self.metrics,
        )
        return services.maintenance

    @cached_property
    def api(self) -> Api:
        """The API is created on first use, because creating its routes is slow."""
        return Api(
            self.services.container, EntryTokens(SECRET), Logger(service="test", level="CRITICAL")
        )

    @cached_property
    def identities(self) -> Identities:
        return Identities(EntryTokens(SECRET), self.services.waitlist_cache)

    def request(self, method: str, path: str, **arguments: Any) -> Answer:
        caller = Caller(self.api.handle, self.stage_variables)
        return caller.request(method, path, **arguments)

    def advance(self, seconds: float) -> None:
        self.clock.advance(seconds)
        if self.redis_clock.micros is not None:
            self.redis_clock.advance(seconds)

    def maintain(self) -> None:
        self.advance(120)
        self.maintenance.run_all()


def redis_client(redis: Any) -> Client:
    client: Client = redis
    return client
