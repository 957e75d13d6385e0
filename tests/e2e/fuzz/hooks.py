"""Hooks of Schemathesis: authentication, and rules that no OpenAPI document can express.

It loads this module itself, in a process of its own (see `campaign.py`).
"""

import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from http import HTTPStatus
from itertools import count
from typing import Any

import requests
import schemathesis
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from schemathesis.core.failures import AcceptedNegativeData, Failure
from schemathesis.core.transport import Response
from schemathesis.generation.meta import CoveragePhaseData, CoverageScenario, StatefulPhaseData
from schemathesis.openapi.checks import RejectedPositiveData, UseAfterFree

from tests.e2e.fuzz.scene import Scene
from tools.local.aws import ACCESS_KEY, REGION, SECRET_KEY
from tools.local.jwt_issuer import LocalIssuer
from tools.local.signature import SERVICE

# Which fields of a request that the document allows may be refused all the same, and why.
BEYOND_ANY_SCHEMA = {
    "query.cursor": "a cursor is one that a page of the same list gave",
    "query.first": "a page begins at a position only without a cursor, and of those who wait",
    "query.ready": "entries are ready, or not, only with status=waiting",
    "query.only": "entries are not verified, or asked, only with status=waiting",
    "query.since": "a time goes with the statuses of those who are done or inside",
    "body.admission": "cron expressions and time zones, and either cron or at",
    "body.page.fields": "options if, and only if, the type is select, no name twice, labels by "
    "type, and a checkbox is of the profile",
    "body.page": "the counted source is a field of the form",
    "body.page.texts": "keys are those of the page's texts, with their values alone",
    "query.segment": "a segment is one that this waitlist declares",
    "body.filter": "a filter is a segment that this waitlist declares",
    "body.filters": "each is such a segment or empty, and they go without a filter",
    "body.segments": "no two segments, and no two names of one, may be the same in any order",
    "body.attributes": "values may make 64 combinations for the segments of this waitlist, and "
    "have `max_guest_bytes` with the profile",
    "body.profile": "a profile has 8 KB as UTF-8, and `max_guest_bytes` with the attributes",
    "body.customer_id": "left out on a list with `identity`, required on others",
    "body.email": "an address is the field of the list's `identity`, and nothing else",
    "body.phone": "the same",
    "body.identity": "a region is a country that has telephone numbers",
    "body.messages": "a time zone, no kind twice, and none of a person where the list has none",
    "body.offered_until": "a time has a month of 1 to 12, and so on",
    "body.joined_at": "the same",
    "body.parked_at": "the same",
    "body.banned_at": "the same",
    "body.rest_until": "the same",
    "body.until": "the same, and a rest ends in the future, within `max_days`",
    "body.since": "the same",
    "body.refill": "a quota is of the whole list, so it goes without filters",
    "body.opens_at": "the same",
    "body.closes_at": "the same, and a list closes after it opens",
    "body.confirm": "customers have at most the time from one question to the next to answer",
    "header.if-match": "an ETag is one that the list has answered",
    "header.if-none-match": "it goes without If-Match",
    "header.idempotency-key": "a bump by places needs the key, others do not",
}
# The settings are validated when the changes are merged into them.
MERGED = "changeWaitlist"
SETTINGS = ("putWaitlist", MERGED)
# Each row of a file is answered by itself.
IMPORTS = ("importEntries", "importWithTokens")
# A customer who left still gets the status `left`, so the path exists after this request.
LEAVE = "DELETE /v1/waitlists/{waitlist_id}/entries/{entry_id}"
# The same of whole bodies: 16 KB, 32 levels, numbers that fit a double, and the body that came
# first with an Idempotency-Key.
BEYOND_ANY_BODY = {"too_large", "invalid_json", "idempotency_key_reused"}
# The version of a list is one that the request allows.
PRECONDITIONS = ("settings_changed", "waitlist_exists")


Case = schemathesis.Case[Any]
# Good for 12 hours; None where customers are guests.
ISSUED = (
    LocalIssuer(os.environ["JWT_ISSUER"], os.environ["JWT_AUDIENCE"]).token(
        "customer-0001", int(time.time())
    )
    if os.environ.get("JWT_ISSUER")
    else None
)
SCENE = Scene(os.environ["FUZZ_URL"], ISSUED)
IS_BRIEF = "FUZZ_BRIEFLY" in os.environ
TURNS: dict[str, Iterator[int]] = defaultdict(count)
SENT: set[tuple[str, ...]] = set()
# The number of wrong types that a text is tried with.
WRONG_TYPES = 5


class Signature(requests.auth.AuthBase):
    """AWS Signature Version 4, as operators sign."""

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        signed = AWSRequest(str(request.method), str(request.url), data=request.body or b"")
        if "Content-Type" in request.headers:
            signed.headers["Content-Type"] = str(request.headers["Content-Type"])
        SigV4Auth(Credentials(ACCESS_KEY, SECRET_KEY), SERVICE, REGION).add_auth(signed)
        for name in ("X-Amz-Date", "Authorization"):
            request.headers[name] = str(signed.headers[name])
        return request


# Not declared as an attribute of the decorator that it is.
schemathesis.auth.set_from_requests(Signature()).apply_to(tag="operator")  # type: ignore[attr-defined]


@schemathesis.auth(refresh_interval=None).apply_to(tag="customer")
class Customers:
    """The token of the entry that is asked for, or the issuer's token of one customer."""

    def get(self, case: Case, _context: schemathesis.AuthContext) -> str:
        return _token(case)

    def set(self, case: Case, data: str, _context: schemathesis.AuthContext) -> None:
        case.headers["Authorization"] = f"Bearer {data}"


def _token(case: Case) -> str:
    if ISSUED:
        return ISSUED
    waitlist_id, entry_id = (case.path_parameters.get(f"{one}_id") for one in ("waitlist", "entry"))
    return SCENE.token_of(str(waitlist_id), str(entry_id))


@schemathesis.hook
def filter_case(_context: schemathesis.HookContext, case: Case) -> bool:
    """Keep, in a brief run, one of the requests that try the same place for the same reason.

    Of the wrong types of a place this is now one, now another, and all values of an enum are sent.
    """
    tried = case.meta.phase.data if case.meta else None
    if not IS_BRIEF or not isinstance(tried, CoveragePhaseData):
        return True
    label = case.operation.label
    if tried.scenario is CoverageScenario.INCORRECT_TYPE:
        return next(TURNS[f"{label} type"]) % WRONG_TYPES == 0
    if "Enum value" in tried.description:
        return True
    is_method = tried.scenario is CoverageScenario.UNSPECIFIED_HTTP_METHOD
    reason = str(tried.scenario) if is_method else tried.description
    alike = (label, str(tried.parameter), reason)
    is_first = alike not in SENT
    SENT.add(alike)
    return is_first


@schemathesis.hook
def before_call(_context: schemathesis.HookContext, case: Case, kwargs: dict[str, Any]) -> None:
    """Replace the entry of every second request by one in the status that the operation needs.

    Drawn ids belong to no entry, so all requests would be answered 404.
    """
    operation = case.operation.definition.raw["operationId"]
    SCENE.spare(case, operation)
    if operation in SETTINGS and _is_drawn(case) and (turn := next(TURNS[operation])) % 2:
        # No list has a drawn ETag, and the one of the examples may be under deletion.
        for header in ("If-Match", "If-None-Match"):
            case.headers.pop(header, None)
        if operation != MERGED:
            case.path_parameters["waitlist_id"] = f"list-{turn}"
    if operation in SCENE.needs and _is_drawn(case) and next(TURNS[operation]) % 2:
        SCENE.cast(case, operation)
        if "customer" in case.operation.tags:
            case.headers["Authorization"] = f"Bearer {_token(case)}"


def _is_drawn(case: Case) -> bool:
    meta = case.meta
    return (
        meta is not None
        and meta.generation.mode.is_positive
        and not isinstance(meta.phase.data, StatefulPhaseData)
    )


@schemathesis.hook
def map_body(_context: schemathesis.HookContext, body: Any) -> Any:
    """Write 2.0 as 2: the API rejects 2.0, and a JSON schema cannot distinguish the two."""
    if isinstance(body, dict):
        return {name: map_body(_context, value) for name, value in body.items()}
    if isinstance(body, list):
        return [map_body(_context, value) for value in body]
    return int(body) if isinstance(body, float) and body.is_integer() else body


@schemathesis.hook
def filter_failure(
    _context: schemathesis.HookContext,
    failure: Failure,
    case: Case,
    response: Response,
) -> bool:
    """Ignore intended failures: see LEAVE, BEYOND_ANY_SCHEMA, MERGED and IMPORTS."""
    operation: str = case.operation.definition.raw["operationId"]
    if isinstance(failure, AcceptedNegativeData):
        return operation not in IMPORTS
    if isinstance(failure, UseAfterFree):
        return failure.operation != LEAVE
    if not isinstance(failure, RejectedPositiveData):
        return True
    problem = response.json()
    if operation == MERGED or problem["code"] in PRECONDITIONS:
        return False
    fields = {error["field"] for error in problem.get("errors", [])}
    if fields:
        return not all(_is_beyond_any_schema(field) for field in fields)
    return problem["code"] not in BEYOND_ANY_BODY


def _is_beyond_any_schema(field: str) -> bool:
    return any(field == known or field.startswith(f"{known}.") for known in BEYOND_ANY_SCHEMA)


@schemathesis.check
class EveryOperationSucceeds:
    """Holds the run itself: where all is refused, nothing is checked."""

    def __init__(self) -> None:
        self.successes: Counter[str] = Counter()
        self.asked: set[str] = set()

    def after_response(
        self, _context: schemathesis.CheckContext, response: Response, case: Case
    ) -> None:
        self.asked.add(case.operation.label)
        if response.status_code < HTTPStatus.MULTIPLE_CHOICES:
            self.successes[case.operation.label] += 1

    def after_run(self, _context: schemathesis.CheckContext) -> None:
        never = sorted(self.asked - self.successes.keys())
        if never:
            raise AssertionError(f"never answered with success: {', '.join(never)}")
