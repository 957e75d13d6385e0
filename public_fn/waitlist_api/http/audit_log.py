"""The audit log: operators' requests that cannot be undone."""

import re
from collections.abc import Mapping
from typing import Any

from waitlist_api.auth.credentials import operator_of
from waitlist_api.errors import Unauthorized
from waitlist_shared.ids import ENTRY_ID, WAITLIST_ID

ADMIN_LIST = "/v1/admin/waitlists/{waitlist_id}"
ADMIN_ENTRY = f"{ADMIN_LIST}/entries/{{entry_id}}"
# Routes that delete data, replace settings, hand out tokens or add many people. The history of an
# entry names the operator of every other change, and an erasure deletes it.
AUDITED = frozenset(
    {
        f"PUT {ADMIN_LIST}",
        f"DELETE {ADMIN_LIST}",
        f"POST {ADMIN_LIST}/import",
        f"DELETE {ADMIN_ENTRY}",
        f"POST {ADMIN_ENTRY}/token",
    }
)
IDS = {"waitlist_id": re.compile(WAITLIST_ID), "entry_id": re.compile(ENTRY_ID)}


def audited(event: object) -> dict[str, str] | None:
    """Return route, operator, waitlist and entry of a request; None for a route without audit.

    A path parameter that is not a valid id is left out, because it could contain anything.
    """
    if not isinstance(event, Mapping) or event.get("routeKey") not in AUDITED:
        return None
    try:
        found = {"audit": str(event["routeKey"]), "by": operator_of(event)}
    except Unauthorized:
        return None
    return found | _ids(event.get("pathParameters"))


def _ids(parameters: Any) -> dict[str, str]:
    given = parameters if isinstance(parameters, Mapping) else {}
    return {
        name: given[name]
        for name, pattern in IDS.items()
        if isinstance(given.get(name), str) and pattern.fullmatch(given[name])
    }
