"""AWS clients with short timeouts and few retries (docs/internals/time-budgets.md)."""

from functools import cache, partial
from typing import Any

from botocore.config import Config as ClientConfig
from botocore.exceptions import BotoCoreError, ClientError
from botocore.session import Session, get_session

from waitlist_api.aws.deadline import Deadline

# The time reserved at the end of a request for sending an error response.
ANSWER_SECONDS = 0.5
CONNECT_SECONDS = 1
# The longest that botocore pauses before it first retries a throttled call. The limit doubles with
# each further retry.
THROTTLED_PAUSE_SECONDS = 1
# The most that the `x-amz-retry-after` response header can add to a pause.
ASKED_PAUSE_SECONDS = 5


def _config(read_seconds: int, attempts: int) -> ClientConfig:
    # In botocore's standard retry mode, a process stops retrying if most of its calls fail.
    # Adaptive mode is not used, because it could delay a call indefinitely.
    return ClientConfig(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=read_seconds,
        retries={"mode": "standard", "total_max_attempts": attempts},
        max_pool_connections=64,
        # The next two settings save a sixth of a call's CPU time. By default, botocore builds the
        # user agent twice per call, and looks up the account id for the endpoint URL.
        user_agent="waitlist",
        account_id_endpoint_mode="disabled",
        # Parameter validation takes a third of a call's CPU time. It is not needed, because AWS
        # rejects invalid requests anyway.
        parameter_validation=False,
    )


DYNAMODB = _config(read_seconds=2, attempts=3)
SECRETS = _config(read_seconds=2, attempts=3)
SQS = _config(read_seconds=2, attempts=3)
KMS = _config(read_seconds=2, attempts=3)
EVENTS = _config(read_seconds=2, attempts=3)
# The read timeout is long enough for a cold start of the private function. A call is retried only
# once, because the public function's instance is occupied while it waits.
LAMBDA = _config(read_seconds=4, attempts=2)
# Maintenance makes more attempts, because no customer is waiting for it.
PATIENT_LAMBDA = _config(read_seconds=4, attempts=5)
# The client does not retry a call that sends a message, because a retry after a timeout could send
# the message twice. The message queue repeats a failed call later.
SENDING = _config(read_seconds=5, attempts=1)

NO_DEADLINE = Deadline()
# The pair that botocore passes to handlers: its HTTP response, and the parsed body.
Response = tuple[Any, Any]


class OutOfTime(BotoCoreError):
    """Raised when a request has too little time left for another AWS call."""

    fmt = "too little time is left for another call"


@cache
def _session() -> Session:
    # A boto3 session also imports s3transfer, which takes 100 ms and is not needed here.
    return get_session()


def dynamodb_client(time: Deadline = NO_DEADLINE) -> Any:
    return _respect_deadline(_session().create_client("dynamodb", config=DYNAMODB), time)


def lambda_client(time: Deadline) -> Any:
    """Return the Lambda client that request handlers use to call the private function."""
    # The client may send a call twice after a timeout. This is safe, because the private function
    # handles repeated calls correctly.
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
    """Return the maximum duration of one attempt."""
    return float(config.connect_timeout + config.read_timeout)


def _respect_deadline(client: Any, time: Deadline) -> Any:
    """Make a client raise an error if its next attempt could run past the deadline."""
    needed = attempt_seconds(client.meta.config)
    service = client.meta.service_model.service_id.hyphenize()
    # After a failed attempt, botocore asks handlers whether to retry. This handler must come first,
    # so that it can raise an exception instead of allowing a retry.
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
    """Raise a failed attempt's error if a retry could not finish before the deadline."""
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
