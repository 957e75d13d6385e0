"""The audit log: operators' requests that cannot be undone, or that read people's data."""

import re
from collections.abc import Mapping
from typing import Any

from waitlist_api.auth.credentials import operator_of
from waitlist_api.errors import Unauthorized
from waitlist_shared.ids import ENTRY_ID, WAITLIST_ID

ADMIN_LIST = "/v1/admin/waitlists/{waitlist_id}"
ADMIN_ENTRIES = f"{ADMIN_LIST}/entries"
ADMIN_ENTRY = f"{ADMIN_ENTRIES}/{{entry_id}}"
# Routes that answer customer ids, profiles and attributes, in pages.
READS = frozenset({f"GET {ADMIN_ENTRIES}", f"GET {ADMIN_ENTRY}"})
# These, and routes that delete data, replace settings, hand out tokens, add many people or send a
# message. The history of an entry names the operator of every other change, and an erasure deletes
# it.
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


def audited(event: object) -> dict[str, str] | None:
    """Return route, operator, waitlist and entry of a request; None for a request without audit.

    The first page of a list or history is audited, so that an export has one line. A path parameter
    that is not a valid id is left out, because it could contain anything.
    """
    if not isinstance(event, Mapping) or event.get("routeKey") not in AUDITED:
        return None
    if _is_next_page(event) or not (asked := _asked(event)):
        return None
    return {"audit": str(event["routeKey"]), **asked}


def continued(event: object) -> dict[str, str]:
    """Return operator, waitlist and entry of a request for a next page of people, else nothing.

    They go into the request's own line: an operator could write a cursor without a first page.
    """
    if not isinstance(event, Mapping) or event.get("routeKey") not in READS:
        return {}
    return _asked(event) if _is_next_page(event) else {}


def _is_next_page(event: Mapping[str, Any]) -> bool:
    query = event.get("queryStringParameters")
    return isinstance(query, Mapping) and bool(query.get("cursor"))


def _asked(event: Mapping[str, Any]) -> dict[str, str]:
    """Return operator, waitlist and entry; nothing if no operator asks."""
    try:
        return {"by": operator_of(event), **_ids(event.get("pathParameters"))}
    except Unauthorized:
        return {}


def _ids(parameters: Any) -> dict[str, str]:
    given = parameters if isinstance(parameters, Mapping) else {}
    return {
        name: given[name]
        for name, pattern in IDS.items()
        if isinstance(given.get(name), str) and pattern.fullmatch(given[name])
    }
