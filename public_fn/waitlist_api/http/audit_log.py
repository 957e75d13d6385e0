"""Audit log of operator requests that cannot be undone or that read personal data."""

import re
from collections.abc import Mapping
from typing import Any

from waitlist_api.auth.credentials import identify_operator
from waitlist_api.errors import Unauthorized
from waitlist_shared.ids import ENTRY_ID, WAITLIST_ID

ADMIN_LIST = "/v1/admin/waitlists/{waitlist_id}"
ADMIN_ENTRIES = f"{ADMIN_LIST}/entries"
ADMIN_ENTRY = f"{ADMIN_ENTRIES}/{{entry_id}}"
# Routes that return customer ids, profiles and attributes, one page at a time.
READS = frozenset({f"GET {ADMIN_ENTRIES}", f"GET {ADMIN_ENTRY}"})
# Requests that delete data, replace settings, issue tokens, import customers or send a message are
# also audited. Other changes need no audit log, because the entry's history names the operator.
AUDITED = frozenset(
    {
        f"PUT {ADMIN_LIST}",
        f"PATCH {ADMIN_LIST}",
        f"DELETE {ADMIN_LIST}",
        f"POST {ADMIN_LIST}/import",
        f"POST {ADMIN_LIST}/import/tokens",
        f"POST {ADMIN_LIST}/find",
        f"POST {ADMIN_LIST}/messages/test",
        f"DELETE {ADMIN_ENTRY}",
        f"POST {ADMIN_ENTRY}/token",
        f"POST {ADMIN_ENTRY}/link",
        f"GET {ADMIN_ENTRY}/messages",
        *READS,
    }
)
IDS = {"waitlist_id": re.compile(WAITLIST_ID), "entry_id": re.compile(ENTRY_ID)}


def read_audit_fields(event: object) -> dict[str, str] | None:
    """Return the audit record of a request, or None if the request is not audited.

    If a list has several pages, only the first page is audited.
    """
    if not isinstance(event, Mapping) or event.get("routeKey") not in AUDITED:
        return None
    if _is_next_page(event) or not (asked := _operator_and_ids(event)):
        return None
    return {"audit": str(event["routeKey"]), **asked}


def read_next_page_fields(event: object) -> dict[str, str]:
    """Return the log fields of a request for a later page of personal data.

    For all other requests, the result is empty.
    """
    # An operator could skip the audited first page by making up a cursor. The request log therefore
    # names the operator, the waitlist and the entry.
    if not isinstance(event, Mapping) or event.get("routeKey") not in READS:
        return {}
    return _operator_and_ids(event) if _is_next_page(event) else {}


def _is_next_page(event: Mapping[str, Any]) -> bool:
    query = event.get("queryStringParameters")
    return isinstance(query, Mapping) and bool(query.get("cursor"))


def _operator_and_ids(event: Mapping[str, Any]) -> dict[str, str]:
    """Return the operator, the waitlist and the entry.

    Without an operator, return an empty dict.
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
