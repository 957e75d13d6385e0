"""The AWS clients: short timeouts, few retries, and no call that would outlast the request.

Why these numbers, and their sums: docs/internals/time-budgets.md.
"""

from functools import cache, partial
from typing import Any

from botocore.config import Config as ClientConfig
from botocore.exceptions import BotoCoreError, ClientError
from botocore.session import Session, get_session

from waitlist_api.aws.deadline import Deadline

# Time that a request reserves to report what went wrong.
ANSWER_SECONDS = 0.5
CONNECT_SECONDS = 1
# The longest pause of botocore, after throttling; doubled with every attempt.
THROTTLED_PAUSE_SECONDS = 1
# An `x-amz-retry-after` lengthens a pause by at most this.
ASKED_PAUSE_SECONDS = 5


def _config(read_seconds: int, attempts: int) -> ClientConfig:
    # Standard: every pause is random, and retries stop when most calls of a process fail. Adaptive
    # could delay calls for any length of time.
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
SQS = _config(read_seconds=2, attempts=3)
KMS = _config(read_seconds=2, attempts=3)
EVENTS = _config(read_seconds=2, attempts=3)
# Longer than a call of the private function and than its cold start. Only one retry: while Lambda
# throttles it, each waiting request occupies an environment of the public function.
LAMBDA = _config(read_seconds=4, attempts=2)
# No customer waits for maintenance, and it should succeed while requests are throttled.
PATIENT_LAMBDA = _config(read_seconds=4, attempts=5)
# One attempt: after a time-out the message may have been sent. The queue of messages tries again.
SENDING = _config(read_seconds=5, attempts=1)

NO_DEADLINE = Deadline()
# Botocore's HTTP response and its parsed body.
Response = tuple[Any, Any]


class OutOfTime(BotoCoreError):
    """The request has too little time left for another call."""

    fmt = "too little time is left for another call"


@cache
def _session() -> Session:
    """Return a session of botocore: boto3's would import s3transfer, which takes 100 ms."""
    return get_session()


def dynamodb_client(time: Deadline = NO_DEADLINE) -> Any:
    """Return a DynamoDB client whose calls respect the deadline."""
    return _with_deadline(_session().create_client("dynamodb", config=DYNAMODB), time)


def lambda_client(time: Deadline) -> Any:
    """Return a Lambda client for requests; it may send every message of the contract twice."""
    return _with_deadline(_session().create_client("lambda", config=LAMBDA), time)


def patient_lambda_client() -> Any:
    """Return a Lambda client for maintenance."""
    return _session().create_client("lambda", config=PATIENT_LAMBDA)


def secrets_client(time: Deadline = NO_DEADLINE) -> Any:
    """Return a Secrets Manager client whose calls respect the deadline."""
    return _with_deadline(_session().create_client("secretsmanager", config=SECRETS), time)


def sqs_client(time: Deadline = NO_DEADLINE) -> Any:
    """Return an SQS client whose calls respect the deadline."""
    return _with_deadline(_session().create_client("sqs", config=SQS), time)


def kms_client(time: Deadline = NO_DEADLINE) -> Any:
    """Return a KMS client whose calls respect the deadline."""
    return _with_deadline(_session().create_client("kms", config=KMS), time)


def events_client() -> Any:
    """Return a client of EventBridge."""
    return _session().create_client("events", config=EVENTS)


def mail_client() -> Any:
    """Return a client of SES v2."""
    return _session().create_client("sesv2", config=SENDING)


def sms_client() -> Any:
    """Return a client of AWS End User Messaging."""
    return _session().create_client("pinpoint-sms-voice-v2", config=SENDING)


def attempt_seconds(config: Any) -> float:
    """Return how long one attempt may take."""
    return float(config.connect_timeout + config.read_timeout)


def _with_deadline(client: Any, time: Deadline) -> Any:
    """Make a client refuse attempts, and pauses before them, that could outlast the deadline."""
    needed = attempt_seconds(client.meta.config)
    service = client.meta.service_model.service_id.hyphenize()
    # Raise before botocore decides on the pause: it has no other way to forbid a retry.
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
    """Raise the failure of an attempt if a retry would come too late.

    Botocore calls this after each attempt, also after a successful one.
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
