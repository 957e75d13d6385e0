"""Claims people, and completes, releases or extends claims. Claimed people can also be parked,
which means set aside.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from waitlist_cli.client.retries import RetryPolicy
from waitlist_cli.errors import UNREACHABLE, CliError, Refused
from waitlist_cli.operations.action import (
    CLAIM,
    ENTRY,
    REASON,
    TO,
    WHO,
    Document,
    Field,
    Inverse,
    ListAction,
    ListRequest,
    PersonAction,
)
from waitlist_cli.operations.names import status_name
from waitlist_cli.terminal.output import format_count, format_value

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

# The maximum number of people that a single request can claim.
MOST_CLAIMED = 100
MOST_DELAY_SECONDS = 12 * 3600
# What the console says instead of the service's message, by error code.
CALL_ERRORS = {
    "claim_expired": "This call has already ended. Either it has expired, or somebody has ended "
    "it.",
    "claim_mismatch": "This token does not belong to a current call to this person. Either the "
    "call has ended, or somebody else has called the person.",
    "claims_full": "The list's settings do not allow more open calls.",
    "waitlist_paused": "The list is paused. Until somebody resumes it, no one can be admitted, "
    "called or offered a place.",
    UNREACHABLE: "The service does not answer.",
}
CLAIM_TOKEN = Field(
    "claim_token",
    "Token of the call",
    hint="The desk or the program that called this person received the token.",
    is_required=True,
    option="--token",
    help="The claim_token of the claim.",
)
LEASE = Field(
    "lease_seconds",
    "Lease in seconds",
    "number",
    "Seconds until the claim expires. Default: the waitlist's setting.",
    at_least=1,
    option="--lease",
)


def seconds_left(person: Document) -> int:
    """Return how many seconds are left of this person's claim, or 0 if there is none."""
    if not person["claimed_until"]:
        return 0
    left = datetime.fromisoformat(person["claimed_until"]) - datetime.now(UTC)
    return max(0, int(left.total_seconds()))


def _former_lease(before: Document, extended: Document) -> list[Inverse]:
    """Return a list with the request that restores an extended claim's former deadline.

    The list is empty if the claim has ended or the former deadline has passed.
    """
    seconds = seconds_left(before)
    if not (seconds and extended["claim_token"]):
        return []
    values = {"claim_token": extended["claim_token"], "lease_seconds": seconds}
    notice = f"{WHO}'s former deadline is restored."
    return [Inverse("extend", extended["entry_id"], values, notice)]


def _former_claim(before: Document, _: Document) -> list[Inverse]:
    """Return a list with the request that undoes a release.

    The request claims the person until the claim's former deadline. If the person had been called,
    it calls them to the same place. If the former deadline has passed, the list is empty.
    """
    seconds = seconds_left(before)
    call = {"call": {"to": before["call"]["to"]}} if before["call"] else {}
    values = {"lease_seconds": seconds, **call}
    return [Inverse("claim-person", before["entry_id"], values)] if seconds else []


def _can_be_claimed_again(waitlist: Document, person: Document, body: Document) -> bool:
    """Return whether the console can undo the release by claiming the person again.

    The console cannot restore another client's claim, because the token of the new claim would go
    to the console, not to that client.
    """
    is_own = bool(person["claim_token"]) and not waitlist["paused"]
    return is_own and body.get("to") in (None, "place") and not body.get("delay_seconds")


def is_claimed(person: Document) -> bool:
    return person["status"] == "offered" and person["offered_until"] is None


COMPLETE = PersonAction(
    name="complete",
    summary="Admit a claimed person.",
    title="Admit {who}?",
    consequence="The person is admitted, and leaves the queue.",
    button="Admit",
    path=f"{CLAIM}/complete",
    is_possible=is_claimed,
    fields=(CLAIM_TOKEN, REASON),
    notice="{who} is admitted.",
    is_final=True,
    ends_claim=True,
)
RELEASE = PersonAction(
    name="release",
    summary="Release a claim.",
    title="Release {who} to the queue",
    consequence="The person goes back to waiting.",
    path=f"{CLAIM}/release",
    is_possible=is_claimed,
    fields=(
        CLAIM_TOKEN,
        TO,
        Field(
            "delay_seconds",
            "Seconds without a call",
            "number",
            "Number of seconds until the person can be called again, up to 12 hours. Until "
            "then, the person keeps their place, but others go first. Default: 0.",
            at_most=MOST_DELAY_SECONDS,
            option="--delay",
            help="Number of seconds until the person can be claimed again, up to 12 hours. Until "
            "then, the person keeps their place, but others go first. Default: 0.",
        ),
        REASON,
    ),
    notice="{who} is waiting again.",
    ends_claim=True,
    inverse=_former_claim,
    has_inverse_for=_can_be_claimed_again,
)
CALLED_TO = Field(
    "to",
    "Call to",
    hint="The place that the person should come to, such as Room 2. If the list has call numbers, "
    "its public screen shows this text, so do not write a name here.",
    is_required=True,
)
CALL = PersonAction(
    name="call",
    summary="Call a claimed person again, or to another place.",
    title="Call {who}",
    consequence="The person's page says where to come, and the person gets a message if the list "
    "sends messages about calls.",
    path=f"{CLAIM}/call",
    is_possible=is_claimed,
    fields=(CLAIM_TOKEN, CALLED_TO),
    notice=lambda answer: (
        f"{WHO} has been called to {answer['call']['to']}."
        if answer["call"]
        else f"The call to {WHO} has ended."
    ),
    prints_notice=True,
    # To undo a call, the console calls the person to the previous place. If there was no other
    # place before, the call cannot be undone.
    may_be_undone=True,
    inverse=lambda before, called: (
        [
            Inverse(
                "call",
                called["entry_id"],
                {"claim_token": called["claim_token"], "to": before["call"]["to"]},
            )
        ]
        if before["call"] and called["claim_token"] and before["call"]["to"] != called["call"]["to"]
        else []
    ),
)
CALL_TO = Field(
    "call_to",
    "Call to",
    hint="The place that people should come to, such as Room 2. Their pages and the public screen "
    "can show this text, so do not write a name here. If you leave this empty, the people are "
    "claimed but not called.",
    option="--call-to",
    help="Call the people to this place, such as 'Room 2'. Their pages and the public screen "
    "show it.",
)
CLAIM_PERSON = PersonAction(
    name="claim-person",
    summary="Claim one person, wherever they are in the queue.",
    title="Call {who}",
    consequence="No one else can serve the person until you finish or the call expires.",
    button="Call",
    path=f"{ENTRY}/claim",
    is_possible=lambda person: bool(person["ready"]),
    fields=(CALL_TO, LEASE, REASON),
    to_body=lambda values: {
        **{name: value for name, value in values.items() if name != CALL_TO.name},
        **({"call": {"to": values[CALL_TO.name]}} if values.get(CALL_TO.name) else {}),
    },
    notice=lambda claim: (
        f"{WHO} has been called to {claim['call']['to']}."
        if claim["call"]
        else f"{WHO} is claimed."
    ),
    inverse=lambda _, claimed: (
        [
            Inverse(
                "release",
                claimed["entry_id"],
                {"claim_token": claimed["claim_token"], "to": "place"},
            )
        ]
        if claimed["claim_token"]
        else []
    ),
)
EXTEND = PersonAction(
    name="extend",
    summary="Extend a claim.",
    title="Give {who} more time",
    consequence="The person's time starts over now.",
    path=f"{CLAIM}/extend",
    is_possible=is_claimed,
    fields=(CLAIM_TOKEN, LEASE),
    notice=lambda entry: f"{WHO} has time until {format_value(entry['claimed_until'])}.",
    inverse=_former_lease,
)
PARK = PersonAction(
    name="park",
    summary="Park a claimed person.",
    title="Set {who} aside",
    consequence="The person stays out of the queue until an operator returns them.",
    button="Set aside",
    path=f"{CLAIM}/park",
    is_possible=is_claimed,
    fields=(CLAIM_TOKEN, REASON),
    notice="{who} is set aside.",
    ends_claim=True,
)


def explain_lost_call(person: Document, who: str) -> Refused:
    """Return the error for calling a person who is no longer waiting."""
    if person["status"] == "offered":
        place = f" to {format_value(person['call']['to'])}" if person["call"] else ""
        return Refused(f"Somebody else has just called {who}{place}.", "", 409)
    status = status_name(person["status"])
    return Refused(f"{who} is no longer waiting. The status is now {status}.", "", 409)


def call_error(error: CliError) -> str:
    """Return an error's message for operators at a service counter, who know a claim as a call."""
    return CALL_ERRORS.get(error.code, error.message)


def claim_people(
    api: "Api",
    waitlist_id: str,
    key: str,
    values: Mapping[str, Any],
    policy: RetryPolicy | None = None,
) -> Any:
    """Claim people and return the response. `values` is the request body."""
    return api.operator("POST", f"/{waitlist_id}/claims", values, key=key, policy=policy)


def _claim(request: ListRequest) -> tuple[str, Any]:
    how = request.values[HOW.name]
    values = {
        name: value
        for name, value in request.values.items()
        if name not in (HOW.name, CALL_TO.name)
    }
    place = request.values.get(CALL_TO.name)
    body = {**values, "complete": how != HOW.value, **({"call": {"to": place}} if place else {})}
    answer = claim_people(request.api, request.waitlist_id, request.key, body)
    words = format_count(len(answer["claims"]), "person", "people")
    limit = " The list's settings allow no more claims at once." if answer.get("limit") else ""
    if how != HOW.value:
        return f"{words} admitted.{limit}", answer
    if answer["claims"] or limit:
        return f"{words} {f'called to {place}' if place else 'claimed'}.{limit}", answer
    if values.keys() & {"filter", "filters"}:
        return "No one in the queue matches the filter.", answer
    return "There is no one to claim.", answer


def _releases(answer: Document) -> list[Inverse]:
    """Return the requests that release the claims and return the people to their places.

    A person without a claim token was admitted at once, and has no claim to release.
    """
    return [
        Inverse("release", claim["entry_id"], {"claim_token": claim["claim_token"], "to": "place"})
        for claim in answer["claims"]
        if claim.get("claim_token")
    ]


def _warn(request: ListRequest) -> str:
    if request.values[HOW.name] == HOW.value:
        return ""
    people = format_count(request.values[COUNT.name], "person is", "people are")
    return f"Up to {people} admitted now. This cannot be undone."


def _if_segmented(field: Field, waitlist: Document, _: Document) -> Field | None:
    if not waitlist["segments"]:
        return None
    declared = " or ".join("+".join(names) for names in waitlist["segments"])
    return replace(
        field,
        hint=f"One NAME=VALUE per line, for each attribute of a segment: {declared}. After a "
        "blank line, you can add a filter that is used if no one matches the first. The "
        "filter 'anyone' matches everyone.",
    )


COUNT = Field(
    "count",
    "How many",
    "number",
    value="1",
    is_required=True,
    at_least=1,
    option="-n --count",
    help="Maximum number of people.",
)
FILTER = Field(
    "filter",
    "Only people with",
    "filters",
    "One NAME=VALUE per line, such as language=de. Leave this empty for everyone.",
    adapt=_if_segmented,
)
ORDER = Field(
    "order",
    "From",
    "choice",
    options=(("oldest", "The head of the queue"), ("newest", "The end of the queue")),
    value="oldest",
    help="Take people from the tail of the queue instead of the head.",
)
HOW = Field(
    "how",
    "And then",
    "choice",
    options=(("hold", "Hold them under a lease"), ("complete", "Admit them at once")),
    value="hold",
    help="Admit the claimed people in the same request.",
)
CLAIM_PEOPLE = ListAction(
    name="claim",
    summary="Claim people at the head of the queue, and print the claim_token of each claim.",
    title="Claim people on {who}",
    consequence="A claim lasts until you complete, release or park it, or until its lease ends.",
    more=lambda _: "The console forgets the claim tokens when it ends.",
    path="/{waitlist_id}/claims",
    fields=(replace(COUNT, at_most=MOST_CLAIMED), ORDER, LEASE, FILTER, CALL_TO, HOW),
    carry_out=_claim,
    inverse=_releases,
    ask_again=_warn,
)
