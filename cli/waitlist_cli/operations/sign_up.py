"""Signs up a customer on behalf of an operator."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from waitlist_cli.errors import Refused, WrongUsage, fields_of
from waitlist_cli.operations.action import Document, Field, ListAction, ListRequest
from waitlist_cli.operations.bump import PRIORITY
from waitlist_cli.terminal.parameters import attributes_of, json_object, lines_of
from waitlist_cli.terminal.times import parse_utc_option

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api


def address_field(waitlist: Mapping[str, Any]) -> str | None:
    """Return the profile field that identifies people, or None if customer ids identify people."""
    identity = waitlist["identity"]
    return None if identity is None else str(identity["field"])


def sign_up(api: "Api", waitlist_id: str, key: str, *, ended: str = "", **row: Any) -> Any:
    """Sign up a customer, even if the waitlist is closed, and return the result.

    Raises Refused if the service refuses the signup.
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


def _add(request: ListRequest) -> tuple[str, Any]:
    values = request.values
    address, joined_at = values["address"], values["joined_at"]
    profile = json_object(values["profile"], PROFILE.label)
    if address and values["customer_id"]:
        raise WrongUsage(
            "Enter either the address or the customer id, but not both. Enter a customer id only "
            "if the person has no address."
        )
    if address:
        field = address_field(request.api.operator("GET", f"/{request.waitlist_id}"))
        profile = {**profile, field or "email": address}
    result = sign_up(
        request.api,
        request.waitlist_id,
        request.key,
        ended=values["ended"],
        customer_id=values["customer_id"] or None,
        profile=profile,
        attributes=attributes_of({}, lines_of(values["attributes"]), ATTRIBUTES.label),
        priority=values.get("priority", 0),
        joined_at=parse_utc_option(joined_at, JOINED_AT.label) if joined_at else None,
    )
    return NOTICES[result["outcome"]], result


def _address(field: Field, waitlist: Document) -> Field | None:
    name = address_field(waitlist)
    labels = {"email": "Mail address", "phone": "Telephone number"}
    return None if name is None else replace(field, label=labels[name])


def _customer_id(field: Field, waitlist: Document) -> Field:
    if address_field(waitlist) is not None:
        return field
    return replace(field, hint="Use visible ASCII characters only.", is_required=True)


NOTICES = {
    "joined": "The person has joined.",
    "already": "The person was already on the list and keeps their place.",
    "ended": "The person was not added, because they left or were admitted before.",
}
PROFILE = Field("profile", "Profile", "long", "A JSON object.", "{}")
ATTRIBUTES = Field(
    "attributes", "Attributes", "long", "Enter one attribute per line, as NAME=VALUE."
)
FIRST_PRIORITY = replace(PRIORITY, value="0")
JOINED_AT = Field(
    "joined_at",
    "Joined at",
    hint="Time of the signup, such as 2026-03-01T09:30:00+01:00. The time determines the place in "
    "the queue. By default, it is the current time.",
    option="--joined-at",
)
ADD = ListAction(
    name="add",
    title="Add a person to {who}",
    consequence="You can add people even while the list is closed. A customer who is already on "
    "the list keeps their place.",
    path="/{waitlist_id}/import",
    fields=(
        Field(
            "address",
            "Address",
            hint="A later signup with this address is treated as a signup of the same person.",
            adapt=_address,
        ),
        Field(
            "customer_id",
            "Customer id",
            hint="Enter a customer id only if the person has no address.",
            adapt=_customer_id,
        ),
        FIRST_PRIORITY,
        JOINED_AT,
        PROFILE,
        ATTRIBUTES,
        Field(
            "ended",
            "If the customer left or was admitted before",
            "choice",
            options=(("skip", "Leave them out"), ("rejoin", "Let them join again")),
            value="skip",
        ),
    ),
    carry_out=_add,
)
