"""Decides which operator requests are written to the audit log.

The audit log contains requests that cannot be undone and requests that read personal data.
"""

import re
from collections.abc import Mapping
from typing import Any

from waitlist_api.auth.credentials import identify_operator
from waitlist_api.errors import NoSuchRoute, Unauthorized
from waitlist_api.http.routing import find_route
from waitlist_shared.ids import ENTRY_ID, WAITLIST_ID

IDS = {"waitlist_id": re.compile(WAITLIST_ID), "entry_id": re.compile(ENTRY_ID)}


def read_audit_fields(event: object) -> dict[str, str] | None:
    """Return the audit record of a request, or None if the request is not audited."""
    if not isinstance(event, Mapping):
        return None
    audit = _audit_of(event)
    if not audit or (audit == "first_page" and _is_next_page(event)):
        return None
    asked = _operator_and_ids(event)
    return {"audit": str(event["routeKey"]), **asked} if asked else None


def read_next_page_fields(event: object) -> dict[str, str]:
    """Return fields for the request log if an operator asks for a later page of a list with
    personal data: who the operator is, and the ids in the request's path.

    For all other requests, the result is empty.
    """
    # The audit log contains only requests for the first page of a list. An operator could ask for a
    # later page without asking for the first, so the request log names the operator who asked for a
    # later page.
    if not isinstance(event, Mapping) or _audit_of(event) != "first_page":
        return {}
    return _operator_and_ids(event) if _is_next_page(event) else {}


def _audit_of(event: Mapping[str, Any]) -> str:
    try:
        return find_route(str(event.get("routeKey"))).operation.audit
    except NoSuchRoute:
        return ""


def _is_next_page(event: Mapping[str, Any]) -> bool:
    query = event.get("queryStringParameters")
    return isinstance(query, Mapping) and bool(query.get("cursor"))


def _operator_and_ids(event: Mapping[str, Any]) -> dict[str, str]:
    """Return a request's operator ARN, waitlist id and entry id.

    If no operator signed the request, return an empty dict.
    """
    try:
        return {"by": identify_operator(event), **_ids(event.get("pathParameters"))}
    except Unauthorized:
        return {}


def _ids(parameters: Any) -> dict[str, str]:
    given = parameters if isinstance(parameters, Mapping) else {}
    return {
        name: given[name]
        for name, pattern in IDS.items()
        if isinstance(given.get(name), str) and pattern.fullmatch(given[name])
    }
