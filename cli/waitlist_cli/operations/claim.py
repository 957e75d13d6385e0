"""Claims people, and completes, releases, extends or parks claims."""

from typing import TYPE_CHECKING, Any

from waitlist_cli.client.retries import RetryPolicy
from waitlist_cli.operations.action import CLAIM, REASON, TO, Action, Field

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

# The maximum number of people that a single request can claim.
MOST_CLAIMED = 100
MOST_DELAY_SECONDS = 12 * 3600
CLAIM_TOKEN = Field(
    "claim_token",
    "Claim token",
    hint="Another client made this claim and has the token.",
    is_required=True,
    option="--token",
    help="The claim_token of the claim.",
)
LEASE = Field(
    "lease_seconds",
    "Lease in seconds",
    "number",
    "Seconds until the claim expires. Default: the lease of the waitlist.",
    at_least=1,
    option="--lease",
)
COMPLETE = Action(
    name="complete",
    summary="Admit a claimed person.",
    title="Admit {who}?",
    consequence="The claim ends, and the person is admitted. This cannot be undone.",
    button="Admit",
    path=f"{CLAIM}/complete",
    fields=(CLAIM_TOKEN, REASON),
    notice="{who} is admitted.",
    is_final=True,
    ends_claim=True,
)
RELEASE = Action(
    name="release",
    summary="Release a claim.",
    title="Release {who} to the queue",
    consequence="The claim ends, and the person waits again.",
    button="Release",
    path=f"{CLAIM}/release",
    fields=(
        CLAIM_TOKEN,
        TO,
        Field(
            "delay_seconds",
            "Seconds without a claim",
            "number",
            "Seconds for which the person cannot be claimed again, at most 12 hours. The person "
            "keeps their place, but others go first. Default: none.",
            at_most=MOST_DELAY_SECONDS,
            option="--delay",
        ),
        REASON,
    ),
    notice="{who} waits again.",
    ends_claim=True,
)
EXTEND = Action(
    name="extend",
    summary="Extend a claim.",
    title="Extend the claim of {who}",
    consequence="The lease starts again from now.",
    button="Extend",
    path=f"{CLAIM}/extend",
    fields=(CLAIM_TOKEN, LEASE),
    notice="The lease has started again.",
)
PARK = Action(
    name="park",
    summary="Park a claimed person.",
    title="Park {who}",
    consequence="The claim ends, and the person stays out of the queue until an operator returns "
    "them.",
    button="Park",
    path=f"{CLAIM}/park",
    fields=(CLAIM_TOKEN, REASON),
    notice="{who} is parked.",
    ends_claim=True,
)


def claim_people(
    api: "Api",
    waitlist_id: str,
    key: str,
    *,
    count: int = 1,
    filter_: dict[str, str] | None = None,
    filters: list[dict[str, str]] | None = None,
    newest: bool = False,
    lease_seconds: int | None = None,
    complete: bool = False,
    policy: RetryPolicy | None = None,
) -> Any:
    """Claim people and return the response. If `complete` is true, admit them too.

    If there are several `filters`, the service uses the first filter that matches someone.
    """
    body: dict[str, Any] = {
        "count": count,
        "filter": filter_,
        "order": "newest" if newest else "oldest",
        "lease_seconds": lease_seconds,
        "complete": complete,
    }
    if filters:
        body["filters"] = filters
    return api.operator("POST", f"/{waitlist_id}/claims", body, key=key, policy=policy)
