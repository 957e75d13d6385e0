"""The AWS clients. They have short timeouts and few retries, and no call outlasts the request.

docs/internals/time-budgets.md explains these numbers and their sums.
"""

from functools import cache, partial
from typing import Any

from botocore.config import Config as ClientConfig
from botocore.exceptions import BotoCoreError, ClientError
from botocore.session import Session, get_session

from waitlist_api.aws.deadline import Deadline

# Time that a request reserves for its error response.
ANSWER_SECONDS = 0.5
CONNECT_SECONDS = 1
# Botocore's longest first pause after throttling. The pause doubles with every attempt.
THROTTLED_PAUSE_SECONDS = 1
# The header `x-amz-retry-after` can lengthen a pause by at most this much.
ASKED_PAUSE_SECONDS = 5


def _config(read_seconds: int, attempts: int) -> ClientConfig:
    # The standard retry mode adds jitter to every pause, and stops retrying when most calls of a
    # process fail. The adaptive mode could delay calls without a limit.
    return ClientConfig(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=read_seconds,
        retries={"mode": "standard", "total_max_attempts": attempts},
        max_pool_connections=64,
        # Use constants here. Otherwise botocore would build a user agent twice for each call, and
        # look up the credentials' account for the endpoint URL. Both together cost a sixth of a
        # call's CPU time.
        user_agent="waitlist",
        account_id_endpoint_mode="disabled",
        # Validation costs a third of a call's CPU time. Only our own code builds requests, and
        # DynamoDB rejects an invalid request anyway.
        parameter_validation=False,
    )


DYNAMODB = _config(read_seconds=2, attempts=3)
SECRETS = _config(read_seconds=2, attempts=3)
SQS = _config(read_seconds=2, attempts=3)
KMS = _config(read_seconds=2, attempts=3)
EVENTS = _config(read_seconds=2, attempts=3)
# The read timeout is longer than a cold start and a call of the private function. Only one retry is
# allowed, because during throttling each waiting request occupies an environment of the public
# function.
LAMBDA = _config(read_seconds=4, attempts=2)
# No customer waits for maintenance, and maintenance must succeed even while requests are throttled.
PATIENT_LAMBDA = _config(read_seconds=4, attempts=5)
# Only one attempt is made, because a message may have been sent before a timeout. The message queue
# retries it later.
SENDING = _config(read_seconds=5, attempts=1)

NO_DEADLINE = Deadline()
# Botocore's HTTP response and the parsed body.
Response = tuple[Any, Any]


class OutOfTime(BotoCoreError):
    """The request has too little time left for another call."""

    fmt = "too little time is left for another call"


@cache
def _session() -> Session:
    """Return a botocore session. A boto3 session would import s3transfer, which takes 100 ms."""
    return get_session()


def dynamodb_client(time: Deadline = NO_DEADLINE) -> Any:
    return _respect_deadline(_session().create_client("dynamodb", config=DYNAMODB), time)


def lambda_client(time: Deadline) -> Any:
    """Return a Lambda client for requests.

    It may send a message twice, because all messages of the contract can safely be repeated.
    """
    return _respect_deadline(_session().create_client("lambda", config=LAMBDA), time)


def patient_lambda_client() -> Any:
    return _session().create_client("lambda", config=PATIENT_LAMBDA)


def secrets_client(time: Deadline = NO_DEADLINE) -> Any:
    return _respect_deadline(_session().create_client("secretsmanager", config=SECRETS), time)


def sqs_client(time: Deadline = NO_DEADLINE) -> Any:
    return _respect_deadline(_session().create_client("sqs", config=SQS), time)


def kms_client(time: Deadline = NO_DEADLINE) -> Any:
    return _respect_deadline(_session().create_client("kms", config=KMS), time)


def events_client() -> Any:
    return _session().create_client("events", config=EVENTS)


def mail_client() -> Any:
    return _session().create_client("sesv2", config=SENDING)


def sms_client() -> Any:
    return _session().create_client("pinpoint-sms-voice-v2", config=SENDING)


def attempt_seconds(config: Any) -> float:
    """Return the longest duration of one attempt."""
    return float(config.connect_timeout + config.read_timeout)


def _respect_deadline(client: Any, time: Deadline) -> Any:
    """Make a client refuse attempts and pauses that could outlast the deadline."""
    needed = attempt_seconds(client.meta.config)
    service = client.meta.service_model.service_id.hyphenize()
    # Raise an exception before botocore decides to pause, because there is no other way to prevent
    # a retry.
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
    """Raise the error of an attempt if a retry could not finish before the deadline.

    Botocore calls this function after each attempt, even after a successful attempt.
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
