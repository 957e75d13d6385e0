"""Signs a customer up on behalf of an operator."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from waitlist_cli.errors import Refused, fields_of

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api


def address_field(waitlist: Mapping[str, Any]) -> str | None:
    """Return the profile field that identifies people, or None if customer ids identify them."""
    identity = waitlist["identity"]
    return None if identity is None else str(identity["field"])


def sign_up(api: "Api", waitlist_id: str, key: str, *, ended: str = "", **row: Any) -> Any:
    """Sign a customer up, even if the waitlist is closed, and return the result. Raises Refused.

    `row` contains the fields of an import row. Fields that are None or empty are left out. If the
    waitlist has an `identity`, the profile contains the address, and the row has a customer id only
    if the person has no address. A repeat with the same `key` keeps the place. `ended` says what
    happens to a customer who left or was admitted before.
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
