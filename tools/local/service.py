"""Starts and stops the servers of `make run` in the right order."""

import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Self

from tools.local import bot_check
from tools.local.banner import CUSTOMER_ID, FOREIGN_TOKEN, Addresses
from tools.local.child import Child
from tools.local.cors import CorsRules
from tools.local.dynamodb.ensure_table import (
    DynamoDbUnreachableError,
    dynamodb_client,
    ensure_table,
)
from tools.local.dynamodb.server import STREAM_OPTION
from tools.local.function import Function
from tools.local.functions import (
    ENTRY_TOKEN_SECRET,
    MAINTENANCE_NAME,
    MESSAGES_NAME,
    PUBLIC_NAME,
    TABLE_NAME,
    WEBHOOK_NAME,
    Backends,
    declared_functions,
)
from tools.local.http_server import HttpServer
from tools.local.jwt_authorizer import JwtAuthorizer, guarded_routes
from tools.local.jwt_issuer import JwksError, LocalIssuer, read_keys
from tools.local.kms import PATH as KMS_PATH
from tools.local.kms import KmsEndpoint, LocalKms
from tools.local.lambda_endpoint import PATH_PREFIX as LAMBDA_PATH
from tools.local.lambda_endpoint import LambdaEndpoint
from tools.local.local_gateway import LocalGateway
from tools.local.mailbox import PATH as MAILBOX_PATH
from tools.local.mailbox import Mailbox
from tools.local.ports import HOST
from tools.local.rate_limits import RateLimits
from tools.local.redis_check import RedisUnreachableError, check_redis
from tools.local.routes import Routes
from tools.local.schedule import MinuteSchedule
from tools.local.settings import Settings, without_password
from tools.local.sqs import PATH as SQS_PATH
from tools.local.sqs import LocalQueue, SqsEndpoint
from tools.local.table import read_template
from tools.local.webhooks import (
    DEAD_LETTERS_NAME,
    HIDDEN_SECONDS,
    MOST_RECEIVES,
    QUEUE_NAME,
    WebhookPump,
    stream_of,
)
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.bots.providers import PROVIDERS
from waitlist_api.records.table import Table

# How long the server waits for current requests before it stops. The public function's timeout is
# shorter, so all of them are answered.
DRAIN_SECONDS = 12
# How long the local service waits for a webhook receiver that does not answer before it stops.
WEBHOOK_DRAIN_SECONDS = 2


# The file with DynamoDB's items. Redis needs no file, because the service rebuilds each queue from
# DynamoDB.
KEPT_FILE = "dynamodb.sqlite"
KEPT_PASS_KEY = "pass-key.json"


class StartError(Exception):
    """The service cannot start. The message says why and what to do."""


class LocalService:
    """The whole local service as a context manager.

    When the block ends, all its processes and threads end. The constructor opens the port first. If
    the port is in use, it raises PortError before anything else has started.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._children: list[Child] = []
        self._parts = ExitStack()
        self._server = HttpServer(settings.port)
        self._parts.callback(self._server.stop)
        self.port = self._server.port
        self.url = f"http://{HOST}:{self.port}"
        self.redis_url = settings.redis_url or ""
        self.dynamodb_url = settings.dynamodb_url or ""

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self._parts.close()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        self._parts.close()

    @property
    def addresses(self) -> Addresses:
        return Addresses(
            self.port,
            self.url,
            self.redis_url,
            self.dynamodb_url,
            self._token(),
            is_kept=bool(self._settings.keep or self._settings.dynamodb_url),
        )

    def _token(self) -> str | None:
        """Return a token for the printed commands, or None if customers need no issuer's token."""
        issuer, audiences = self._settings.jwt_issuer, self._settings.jwt_audiences
        if not issuer:
            return None
        if self._settings.jwt_jwks is not None:
            return FOREIGN_TOKEN
        return LocalIssuer(issuer, audiences[0]).token(CUSTOMER_ID, int(time.time()))

    def lost_part(self) -> str | None:
        return next((child.module for child in self._children if not child.running), None)

    def _start(self) -> None:
        self._start_backends()
        functions = self._start_functions()
        queues = self._webhook_queues()
        mailbox = self._mailbox()
        endpoint = LambdaEndpoint({**functions, MESSAGES_NAME: mailbox})
        self._parts.callback(endpoint.stop, DRAIN_SECONDS)
        gateway = LocalGateway(
            functions[PUBLIC_NAME],
            {
                LAMBDA_PATH: endpoint,
                KMS_PATH: KmsEndpoint(self._kms()),
                MAILBOX_PATH: mailbox,
                SQS_PATH: SqsEndpoint(queues),
                **(
                    {bot_check.PATH: bot_check.BotCheckStandIn()}
                    if self._settings.bot_check
                    else {}
                ),
            },
            Routes.from_template(read_template()),
            jwt_authorizer=self._jwt_authorizer(),
        )
        self._server.start(gateway, cors=self._cors(), limits=self._rate_limits())
        mailbox.start()
        self._parts.callback(mailbox.stop, 5)
        if WEBHOOK_NAME in functions:
            read = stream_of(self.dynamodb_url)
            pump = WebhookPump(read, queues[QUEUE_NAME], functions[WEBHOOK_NAME])
            pump.start()
            self._parts.callback(pump.stop, WEBHOOK_DRAIN_SECONDS)
        schedule = MinuteSchedule(functions[MAINTENANCE_NAME])
        schedule.start()
        self._parts.callback(schedule.stop, DRAIN_SECONDS)
        self._parts.callback(self._drain, gateway.close)

    def _drain(self, close_front: Callable[[], None]) -> None:
        close_front()
        self._server.wait_until_idle(DRAIN_SECONDS)

    def _start_backends(self) -> None:
        if self.redis_url:
            self._check_redis()
        # Start both servers, and then wait for both.
        redis = None if self.redis_url else self._child("tools.local.redis_server")
        dynamodb = None if self.dynamodb_url else self._start_dynamodb()
        if redis is not None:
            self.redis_url = f"redis://{HOST}:{redis.port()}"
        if dynamodb is not None:
            self.dynamodb_url = f"http://{HOST}:{dynamodb.port()}"
        self._ensure_table()

    def _webhook_queues(self) -> dict[str, LocalQueue]:
        dead_letters = LocalQueue()
        queue = LocalQueue(HIDDEN_SECONDS, dead_letters, MOST_RECEIVES)
        return {QUEUE_NAME: queue, DEAD_LETTERS_NAME: dead_letters}

    def _mailbox(self) -> Mailbox:
        table = Table(dynamodb_client(self.dynamodb_url), TABLE_NAME)
        webhook = self._settings.webhook_url, self._settings.webhook_secret
        tokens = EntryTokens(ENTRY_TOKEN_SECRET)
        is_for_guests = not self._settings.jwt_issuer
        return Mailbox(table, tokens, self.url, webhook=webhook, is_for_guests=is_for_guests)

    def _bot_check(self) -> dict[str, str]:
        """By default, the variables contain a fake bot check provider's addresses."""
        settings = self._settings
        if not settings.bot_check:
            return {}
        return {
            "BOT_CHECK": settings.bot_check,
            "BOT_CHECK_SITE_KEY": settings.bot_check_site_key,
            "BOT_CHECK_SECRET": settings.bot_check_secret,
            "BOT_CHECK_URL": settings.bot_check_url or self.url + bot_check.VERIFY,
            "BOT_CHECK_SCRIPT_URL": self._bot_check_script(),
        }

    def _bot_check_script(self) -> str:
        """Return the URL of the fake provider's script. If the real provider checks the customers,
        return an empty string, so that the page loads the real provider's script.
        """
        settings = self._settings
        if settings.bot_check_script_url is not None:
            return settings.bot_check_script_url
        is_real = settings.bot_check_url == PROVIDERS[settings.bot_check].verify_url
        return "" if is_real else self.url + bot_check.SCRIPT

    def _kms(self) -> LocalKms:
        keep = self._settings.keep
        return LocalKms(None if keep is None else keep / KEPT_PASS_KEY)

    def _cors(self) -> CorsRules | None:
        origins = self._settings.cors_origins
        return CorsRules.from_template(read_template(), origins) if origins else None

    def _rate_limits(self) -> RateLimits | None:
        rate = self._settings.signup_rate_limit
        return None if rate is None else RateLimits.from_template(read_template(), rate)

    def _jwt_authorizer(self) -> JwtAuthorizer | None:
        issuer, audiences = self._settings.jwt_issuer, self._settings.jwt_audiences
        if not issuer:
            return None
        jwks = self._settings.jwt_jwks
        try:
            keys = LocalIssuer(issuer, audiences[0]).keys if jwks is None else read_keys(jwks)
        except JwksError as error:
            raise StartError(f"JWT_JWKS={jwks} does not return usable keys: {error}") from error
        return JwtAuthorizer(issuer, audiences, keys, guarded_routes(read_template()))

    def _start_dynamodb(self) -> Child:
        keep = self._settings.keep
        options = [STREAM_OPTION] if self._settings.webhook_url else []
        if keep is None:
            return self._child("tools.local.dynamodb.server", *options)
        try:
            keep.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StartError(f"KEEP={keep} cannot be used: {error.strerror}") from error
        return self._child("tools.local.dynamodb.server", *options, str(keep / KEPT_FILE))

    def _child(self, module: str, *arguments: str) -> Child:
        child = self._parts.enter_context(Child(module, *arguments))
        self._children.append(child)
        return child

    def _check_redis(self) -> None:
        try:
            check_redis(self.redis_url, cluster=self._settings.redis_cluster)
        except RedisUnreachableError as error:
            url = without_password(self.redis_url)
            raise StartError(
                f"The Redis server at REDIS_URL={url} does not answer: {error}"
            ) from error

    def _ensure_table(self) -> None:
        try:
            ensure_table(self.dynamodb_url, TABLE_NAME)
        except DynamoDbUnreachableError as error:
            url = without_password(self.dynamodb_url)
            message = (
                f"The DynamoDB at AWS_ENDPOINT_URL_DYNAMODB={url} has no usable table: {error}"
            )
            raise StartError(message) from error

    def _start_functions(self) -> dict[str, Function]:
        backends = Backends(
            redis_url=self.redis_url,
            redis_cluster=self._settings.redis_cluster,
            dynamodb_url=self.dynamodb_url,
            api_url=self.url,
            log_level=self._settings.log_level,
            jwt_issuer=self._settings.jwt_issuer,
            cors_origins=self._settings.cors_origins,
            webhook_url=self._settings.webhook_url,
            webhook_secret=self._settings.webhook_secret,
            bot_check=self._bot_check(),
        )
        declared = declared_functions(
            read_template(),
            backends,
            os.environ,
            private_concurrency=self._settings.private_concurrency,
            public_concurrency=self._settings.public_concurrency,
        )
        functions = {}
        for name, function in declared.items():
            functions[name] = Function(function.settings, function.environ)
            self._parts.callback(functions[name].stop)
        for started in functions.values():
            started.wait_until_ready()
        return functions
