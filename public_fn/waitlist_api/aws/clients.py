"""The AWS clients: short time-outs, few retries, and no call that the request has no time for.

Why these numbers, and which sums they make: docs/time-budgets.md.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from botocore.config import Config as ClientConfig
from botocore.exceptions import BotoCoreError, ClientError
from botocore.session import Session, get_session

from waitlist_api.auth.token_keys import SecretUnavailable
from waitlist_api.aws.deadline import Deadline

# What a request keeps of its time, to say what went wrong.
ANSWER_SECONDS = 0.5
CONNECT_SECONDS = 1
# Botocore pauses longest where it was throttled: up to this, doubled with every attempt.
THROTTLED_PAUSE_SECONDS = 1
# More than this, and the pause itself, botocore does not wait for an `x-amz-retry-after`.
ASKED_PAUSE_SECONDS = 5


def _config(read_seconds: int, attempts: int) -> ClientConfig:
    # Standard: every pause is random, and retries end when most calls of a process fail. Adaptive
    # would hold calls back for any length of time.
    return ClientConfig(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=read_seconds,
        retries={"mode": "standard", "total_max_attempts": attempts},
        max_pool_connections=64,
        # Constants: botocore would compose a user agent twice for each call, and look for the
        # account of the credentials to name it in the address, a sixth of a call's processor time.
        user_agent="waitlist",
        account_id_endpoint_mode="disabled",
        # A third of a call's processor time. Our own code builds every request, and DynamoDB
        # refuses a wrong one with the same error to us: a defect.
        parameter_validation=False,
    )


DYNAMODB = _config(read_seconds=2, attempts=3)
SECRETS = _config(read_seconds=2, attempts=3)
# Longer than the private function runs, and than it starts. One retry only: while it is throttled
# every request that waits for another keeps an environment of the public function.
LAMBDA = _config(read_seconds=4, attempts=2)
# Nobody waits for maintenance, which is to get through where requests are turned away.
PATIENT_LAMBDA = _config(read_seconds=4, attempts=5)

NO_DEADLINE = Deadline()
# Botocore's: the HTTP answer, and what it has parsed.
Response = tuple[Any, Any]


class OutOfTime(BotoCoreError):
    """The request has too little time left for another call."""

    fmt = "too little time is left for another call"


@cache
def _session() -> Session:
    """Return botocore's session: boto3's would import s3transfer, which takes 100 ms."""
    return get_session()


def dynamodb_client(time: Deadline = NO_DEADLINE) -> Any:
    """Return a DynamoDB client for requests that have so much time."""
    return _with_deadline(_session().create_client("dynamodb", config=DYNAMODB), time)


def lambda_client(time: Deadline) -> Any:
    """Return a Lambda client for requests; every message of the contract may be sent twice."""
    return _with_deadline(_session().create_client("lambda", config=LAMBDA), time)


def patient_lambda_client() -> Any:
    """Return a Lambda client for maintenance."""
    return _session().create_client("lambda", config=PATIENT_LAMBDA)


def secrets_client(time: Deadline = NO_DEADLINE) -> Any:
    """Return a Secrets Manager client for requests that have so much time."""
    return _with_deadline(_session().create_client("secretsmanager", config=SECRETS), time)


def secret_reader(arn: str, client: Any = None) -> Callable[[], str]:
    """Return what reads a secret of Secrets Manager; it raises SecretUnavailable."""
    client = client or secrets_client()

    def read() -> str:
        try:
            return str(client.get_secret_value(SecretId=arn)["SecretString"])
        except BotoCoreError as error:
            raise SecretUnavailable from error
        except ClientError as error:
            raise SecretUnavailable(will_pass=_will_pass(error)) from error

    return read


def _will_pass(error: ClientError) -> bool:
    response: Any = error.response
    is_throttled = response["Error"]["Code"] == "ThrottlingException"
    return is_throttled or int(response["ResponseMetadata"]["HTTPStatusCode"]) >= 500


def attempt_seconds(config: Any) -> float:
    """Return how long one attempt takes at the most."""
    return float(config.connect_timeout + config.read_timeout)


def _with_deadline(client: Any, time: Deadline) -> Any:
    """Have a client begin no attempt that might outlast the request, nor a pause before it."""
    needed = attempt_seconds(client.meta.config)
    service = client.meta.service_model.service_id.hyphenize()
    # Raised before the pause is decided on, as botocore knows no other way to forbid a retry.
    client.meta.events.register_first(f"needs-retry.{service}", partial(_may_retry, time, needed))
    client.meta.events.register_first(f"request-created.{service}", partial(_begin, time, needed))
    return client


def _begin(time: Deadline, needed: float, **_: Any) -> None:
    if time.left() < needed:
        raise OutOfTime


def _may_retry(
    time: Deadline,
    needed: float,
    response: Response | None,
    attempts: int,
    caught_exception: Exception | None,
    operation: Any,
    **_: Any,
) -> None:
    """Raise the failure as it is where its retry would come too late.

    It is called after each attempt, whatever came of it.
    """
    if response is not None and response[0].status_code < 300:
        return
    if time.left() >= _longest_pause(response, attempts) + needed:
        return
    if caught_exception is not None:
        raise caught_exception
    if response is not None:
        raise ClientError(response[1], operation.name)


def _longest_pause(response: Response | None, attempts: int) -> float:
    pause: float = THROTTLED_PAUSE_SECONDS * 2 ** (attempts - 1)
    is_asked = response is not None and "x-amz-retry-after" in response[0].headers
    return pause + ASKED_PAUSE_SECONDS if is_asked else pause
