"""Signs up a customer on behalf of an operator."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from waitlist_cli.errors import FieldProblem, Refused, WrongUsage, fields_of
from waitlist_cli.operations.action import Field, Inverse, ListAction, ListRequest, name_zone
from waitlist_cli.operations.bump import PRIORITY
from waitlist_cli.operations.names import MADE_ID, name_of
from waitlist_cli.operations.person import Person
from waitlist_cli.operations.questions import answers, fields_for
from waitlist_cli.operations.same_person import warn_of_same_person
from waitlist_cli.terminal.output import format_value

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api


def address_field(waitlist: Mapping[str, Any]) -> str | None:
    """Return the profile field that identifies people, or None if customer ids identify people."""
    identity = waitlist["identity"]
    return None if identity is None else str(identity["field"])


def sign_up(api: "Api", waitlist_id: str, key: str, *, ended: str = "", **row: Any) -> Any:
    """Sign up a customer, even if the waitlist is closed, and return the result.

    If the waitlist sends `joined` messages, the customer receives one.

    Raises Refused if the service refuses the signup.
    """
    entry = {name: value for name, value in row.items() if value not in (None, {})}
    body: dict[str, Any] = {"entries": [{**entry, "idempotency_key": key, "tell": True}]}
    if ended:
        body["ended"] = ended
    result = api.operator("POST", f"/{waitlist_id}/import", body)["results"][0]
    if result["outcome"] == "refused":
        detail, code = str(result.get("detail", "")), str(result.get("code", ""))
        raise Refused(detail, code, None, fields_of(result))
    return result


def _add(request: ListRequest) -> tuple[str, Any]:
    values, waitlist = request.values, request.api.operator("GET", f"/{request.waitlist_id}")
    found, address = answers(waitlist, values), address_field(waitlist)
    customer_id = values["customer_id"]
    if address in found["profile"] and customer_id:
        both = (
            "Enter either the address or the customer id, but not both. Enter a customer id only "
            "if the person has no address."
        )
        raise WrongUsage(both, fields=[FieldProblem("customer_id", both)])
    if not (found["profile"] or found["attributes"] or customer_id):
        first, *_ = fields_for(waitlist)
        problem = FieldProblem(first.name, NO_ANSWER)
        raise WrongUsage(NO_ANSWER, fields=[problem])
    if address not in found["profile"]:
        # Derive the id from the dialog's key, so that submitting the dialog twice adds only one
        # person.
        customer_id = customer_id or MADE_ID.format(key=request.key)
    typed = values["joined_at"]
    result = sign_up(
        request.api,
        request.waitlist_id,
        request.key,
        ended=values["ended"],
        customer_id=customer_id or None,
        priority=values.get("priority", 0),
        joined_at=JOINED_AT.instant(typed, waitlist["timezone"]) if typed else None,
        **found,
    )
    person = Person(request.api, request.waitlist_id, result["entry_id"]).show()
    place = f" Position: {format_value(person['position'])}." if person["position"] else ""
    silent = explain_silence(waitlist, found["profile"]) if result.get("has_no_address") else ""
    notice = NOTICES[result["outcome"]].format(who=name_of(person, waitlist))
    # If the console made up the customer id, the service cannot notice that the person is already
    # on the waitlist, so look for a duplicate here.
    has_made_id = customer_id != values["customer_id"]
    twice = warn_of_same_person(request.api, waitlist, person) if has_made_id else ""
    return f"{notice}{place}{twice}{silent}", result


def explain_silence(waitlist: Mapping[str, Any], profile: Mapping[str, Any]) -> str:
    """Return why the service cannot send messages to a person with this profile."""
    number = str(profile.get("phone") or "").strip()
    if not number or address_field(waitlist) == "email":
        return NO_MESSAGES
    is_whole = number.startswith(("+", "00")) or _country_of_numbers(waitlist) is not None
    return f"{NO_MESSAGES} {NO_SMS if is_whole else NO_COUNTRY}"


def _country_of_numbers(waitlist: Mapping[str, Any]) -> str | None:
    """Return the country of telephone numbers without a country code.

    Return None if the settings name no such country.
    """
    if region := (waitlist["identity"] or {}).get("region"):
        return str(region)
    countries = (waitlist["messages"] or {}).get("sms_countries", ())
    return str(countries[0]) if len(countries) == 1 else None


NOTICES = {
    "joined": "{who} has joined.",
    "already": "{who} was already on the list and keeps their place.",
    "ended": "{who} was not added, because they left or were admitted before.",
    "banned": "{who} is banned and was not added.",
}
NO_ANSWER = "Answer at least one question, so that you can find the person again."
NO_MESSAGES = " They receive no messages, because there is no suitable address."
NO_SMS = (
    "The list sends no SMS to this telephone number. The message settings name the countries and "
    "the types of numbers that receive SMS."
)
NO_COUNTRY = (
    "The telephone number's country is unknown. Edit the number so that it begins with + and the "
    "country code."
)
FIRST_PRIORITY = replace(PRIORITY, value="0")
JOINED_AT = Field(
    "joined_at",
    "Joined at",
    hint="Signup time, such as 2026-03-01T09:30, which determines the place in the queue. A time "
    "without a UTC offset is in the waitlist's time zone. Default: now.",
    option="--joined-at",
)
ADD = ListAction(
    name="add",
    title="Add people to {who}",
    consequence="You can add people even while the list is closed. The dialog stays open for the "
    "next person.",
    path="/{waitlist_id}/import",
    stays_open=True,
    asked=lambda waitlist, _: fields_for(waitlist),
    fields=(
        FIRST_PRIORITY,
        replace(
            JOINED_AT,
            kind="time",
            hint="The time determines the person's place in the queue. Default: now.",
            adapt=name_zone,
        ),
        Field(
            "customer_id",
            "Customer id",
            hint="Your own id for the person. The console creates an id if you leave this empty.",
        ),
        Field(
            "ended",
            "If the person left or was admitted before",
            "choice",
            options=(("rejoin", "Let them join again"), ("skip", "Leave them out")),
            value="rejoin",
        ),
    ),
    carry_out=_add,
    inverse=lambda result: (
        [Inverse("remove", result["entry_id"], notice="{who} is no longer on the list.")]
        if result["outcome"] == "joined"
        else []
    ),
)
