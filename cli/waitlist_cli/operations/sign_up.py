"""Signs up a customer on behalf of an operator."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from waitlist_cli.errors import Refused, fields_of

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api


def address_field(waitlist: Mapping[str, Any]) -> str | None:
    """Return the profile field that identifies people, or None if customer ids identify people."""
    identity = waitlist["identity"]
    return None if identity is None else str(identity["field"])


def sign_up(api: "Api", waitlist_id: str, key: str, *, ended: str = "", **row: Any) -> Any:
    """Sign up a customer, even if the waitlist is closed, and return the result.

    Raises Refused if the service refuses the row.
    """
    entry = {name: value for name, value in row.items() if value not in (None, {})}
    body: dict[str, Any] = {"entries": [{**entry, "idempotency_key": key}]}
    if ended:
        body["ended"] = ended
    result = api.operator("POST", f"/{waitlist_id}/import", body)["results"][0]
    if result["outcome"] == "refused":
        detail, code = str(result.get("detail", "")), str(result.get("code", ""))
        raise Refused(detail, code, None, fields_of(result))
    return result
