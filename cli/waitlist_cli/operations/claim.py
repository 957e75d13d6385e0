"""Claims people at the head or at the end of a queue."""

from typing import TYPE_CHECKING, Any

from waitlist_cli.client.retries import RetryPolicy

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

# The largest number of people that one request can claim.
MOST_CLAIMED = 100


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
    """Claim people, and return the response, which contains the `claims`.

    If `complete` is true, the request also admits the people. `filters` are in order of preference:
    the service takes each person from the first filter that anyone matches. A repeat with the same
    Idempotency-Key `key` returns the same claims.
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
