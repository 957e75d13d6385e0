"""Signs one customer up as an operator."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from waitlist_cli.errors import Refused, fields_of

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api


def address_field(waitlist: Mapping[str, Any]) -> str | None:
    """Return the field of the profile that says who a person of a list is; None by customer ids."""
    identity = waitlist["identity"]
    return None if identity is None else str(identity["field"])


def sign_up(api: "Api", waitlist_id: str, key: str, *, ended: str = "", **row: Any) -> Any:
    """Sign a customer up, also for a closed list, and return the result; raises Refused.

    `row` is a row of an import; what is None or empty is left out. On a list with `identity` it has
    the address in its profile, and a customer id only if the person has no address. A repeat with
    the same `key` keeps the place. `ended` says what a customer who left or was admitted before
    gets.
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
