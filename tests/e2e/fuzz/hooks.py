"""Functions that Schemathesis calls before and after each request. They sign the requests, and know
rules that an OpenAPI document cannot express.

Schemathesis loads this module in its own process (see `campaign.py`).
"""

import json
import os
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from itertools import count
from typing import Any

import requests
import schemathesis
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from schemathesis.core.failures import AcceptedNegativeData, Failure
from schemathesis.core.parameters import ParameterLocation
from schemathesis.core.transport import Response
from schemathesis.generation.meta import (
    REQUEST_SHAPE_PROBES,
    CoveragePhaseData,
    CoverageScenario,
    StatefulPhaseData,
)
from schemathesis.openapi.checks import RejectedPositiveData, UseAfterFree

from tests.e2e.fuzz.scene import Scene
from tools.local.aws import ACCESS_KEY, REGION, SECRET_KEY
from tools.local.jwt_issuer import LocalIssuer
from tools.local.signature import SERVICE

# Because of these fields, the service may refuse a request that matches the OpenAPI document. Each
# field is listed with the reason.
BEYOND_ANY_SCHEMA = {
    "query.cursor": "a cursor must come from a page of the same list",
    "query.first": "a page of waiting entries may start at a position instead of a cursor",
    "query.ready": "this filter needs status=waiting",
    "query.only": "this filter needs status=waiting",
    "query.since": "a time needs the status of people who are done or inside",
    "body.admission": "cron expressions and time zones must be valid, and cron excludes at",
    "body.page.fields": "only a select has options, names are unique, labels depend on the "
    "type, and a checkbox belongs to the profile",
    "body.page": "the counted source must be a field of the form",
    "body.page.texts": "only the keys of the page's texts are allowed, with their placeholders",
    "query.segment": "the waitlist must declare the segment",
    "body.filter": "a filter must be a segment that the waitlist declares",
    "body.filters": "each must be a declared segment or empty, and filters exclude a filter",
    "body.segments": "segments must differ in any order, and so must the names within a segment",
    "body.attributes": "values may form at most 64 combinations for the segments, and "
    "`max_guest_bytes` limits them together with the profile",
    "body.profile": "a profile has at most 8 KB, and `max_guest_bytes` with the attributes",
    "body.customer_id": "forbidden on a waitlist with `identity`, and required on others",
    "body.email": "only the field of the waitlist's `identity` may be sent",
    "body.phone": "only the field of the waitlist's `identity` may be sent",
    "body.identity": "a region must be a country that has telephone numbers",
    "body.messages": "time zones must exist, kinds are unique, and some kinds need other settings",
    "body.entries": "an invitation has either entries, or a count with or without a filter",
    "body.offer_seconds": "an invitation has either a time or a number of seconds",
    "body.offered_until": "a time must exist in the calendar",
    "body.joined_at": "a time must exist in the calendar",
    "body.parked_at": "a time must exist in the calendar",
    "body.banned_at": "a time must exist in the calendar",
    "body.rest_until": "a time must exist in the calendar",
    "body.until": "a time must exist, a notice must end in the future, and so must a rest, "
    "within `max_days`",
    "body.text": "a text must not consist of spaces only, a message has only the placeholder "
    "{name}, and its waitlist must send messages",
    "body.since": "a time must exist in the calendar",
    "body.refill": "a quota applies to the whole waitlist, so it excludes filters",
    "body.timezone": "the time zone must exist",
    "body.opens_at": "a time must exist in the calendar",
    "body.closes_at": "a time must exist, and a waitlist must close after it opens",
    "body.confirm": "the time to answer may not exceed the time between two questions",
    "header.if-match": "an ETag must come from a response of the same waitlist",
    "header.if-none-match": "it excludes If-Match",
    "header.idempotency-key": "only a bump by places needs the key",
}
# The operation that merges changes into the settings. The result may be invalid even if the changes
# are valid.
MERGED = "changeWaitlist"
SETTINGS = ("putWaitlist", MERGED)
# An import returns a result for each row and succeeds even if some rows are refused.
IMPORTS = ("importEntries", "importWithTokens")
# A customer who has left can still read their entry. Schemathesis would report this as the use of a
# deleted resource.
LEAVE = "DELETE /v1/waitlists/{waitlist_id}/entries/{entry_id}"
# The codes with which the service may refuse a body that matches the OpenAPI document. For example,
# a body must not be larger than 16 KB.
BEYOND_ANY_BODY = {"too_large", "invalid_json", "idempotency_key_reused"}
# The codes with which the service refuses a request that expects a version of the waitlist other
# than the current one.
PRECONDITIONS = ("settings_changed", "waitlist_exists")


Case = schemathesis.Case[Any]
# The token is valid for 12 hours. In a run for guests, there is none.
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
# A short run sends only every fifth value that has the wrong type.
WRONG_TYPES = 5
# A short run leaves out values next to the smallest or the largest value, and bodies with only some
# of the optional fields.
BETWEEN = re.compile("near-boundary|object with all required", re.IGNORECASE)
# The first field of the path in Schemathesis's description of a request, such as `admission` in
# `admission -> rate -> per: Invalid enum value`.
FIELD = re.compile(r"Object with valid '([^']+)' value|([\w-]+)(?: ->|:)")


class Signature(requests.auth.AuthBase):
    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        signed = AWSRequest(str(request.method), str(request.url), data=request.body or b"")
        if "Content-Type" in request.headers:
            signed.headers["Content-Type"] = str(request.headers["Content-Type"])
        SigV4Auth(Credentials(ACCESS_KEY, SECRET_KEY), SERVICE, REGION).add_auth(signed)
        for name in ("X-Amz-Date", "Authorization"):
            request.headers[name] = str(signed.headers[name])
        return request


# At run time, this object has an `apply_to` method, which its type annotation lacks.
schemathesis.auth.set_from_requests(Signature()).apply_to(tag="operator")  # type: ignore[attr-defined]


@schemathesis.auth(refresh_interval=None).apply_to(tag="customer")
class Customers:
    """Adds a token to customers' requests. Guests send their entry token, and customers with an
    account send a token from the identity provider.
    """

    def get(self, case: Case, _context: schemathesis.AuthContext) -> str:
        return _token(case)

    def set(self, case: Case, data: str, _context: schemathesis.AuthContext) -> None:
        case.headers["Authorization"] = f"Bearer {data}"


def _token(case: Case) -> str:
    if ISSUED:
        return ISSUED
    waitlist_id, entry_id = (
        case.path_parameters.get(f"{kind}_id") for kind in ("waitlist", "entry")
    )
    return SCENE.token_of(str(waitlist_id), str(entry_id))


@schemathesis.hook
def filter_case(_context: schemathesis.HookContext, case: Case) -> bool:
    """In a short run, leave out requests that test the same thing as an earlier request."""
    tried = case.meta.phase.data if case.meta else None
    if not IS_BRIEF or not isinstance(tried, CoveragePhaseData):
        return True
    if BETWEEN.search(tried.description):
        return False
    is_of_wrong_type = tried.scenario is CoverageScenario.INCORRECT_TYPE
    if is_of_wrong_type and next(TURNS[f"{case.operation.label} type"]) % WRONG_TYPES:
        return False
    tested = _tested(case, tried)
    is_first = tested not in SENT
    SENT.add(tested)
    return is_first


def _tested(case: Case, tried: CoveragePhaseData) -> tuple[str, ...]:
    """Return what a request tests.

    If two operations get the same value for a parameter or field of the same name, both requests
    test the same code.
    """
    if tried.scenario in REQUEST_SHAPE_PROBES:
        return (tried.scenario, case.operation.method)
    name, location = tried.parameter, tried.parameter_location
    if name and location and tried.scenario is not CoverageScenario.MISSING_PARAMETER:
        sent = getattr(case, location.container_name)
        if location is ParameterLocation.BODY:
            field = FIELD.match(tried.description)
            name = field[1] or field[2] if field else ""
        if name and isinstance(sent, Mapping):
            mode = case.meta.generation.mode if case.meta else ""
            return (mode, name, json.dumps(sent.get(name), default=str))
    return (case.operation.label, str(name), tried.description)


@schemathesis.hook
def before_call(_context: schemathesis.HookContext, case: Case, kwargs: dict[str, Any]) -> None:
    """Schemathesis invents ids that no entry has, so every request would get a 404. Every other
    request is therefore given the id of an existing entry.
    """
    operation = case.operation.definition.raw["operationId"]
    SCENE.spare(case, operation)
    if operation in SETTINGS and _is_drawn(case) and (turn := next(TURNS[operation])) % 2:
        # Schemathesis invents an ETag that no waitlist has, so a request with one of these headers
        # would always be refused.
        for header in ("If-Match", "If-None-Match"):
            case.headers.pop(header, None)
        if operation != MERGED:
            case.path_parameters["waitlist_id"] = f"list-{turn}"
    is_about_a_waitlist = SCENE.is_about_a_waitlist(case, operation)
    if is_about_a_waitlist and _is_drawn(case) and next(TURNS[operation]) % 2:
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
    """Replace numbers such as 2.0 with whole numbers. A JSON schema allows 2.0 for a whole number,
    but the API refuses it.
    """
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
    """Return whether Schemathesis should report a failure. Failures that the constants in this file
    explain are not reported.
    """
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
    """Schemathesis can check the successful responses of an operation only if the operation has
    succeeded.
    """

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
            raise AssertionError(f"these operations never succeeded: {', '.join(never)}")
