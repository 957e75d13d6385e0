"""Claims people from the head or from the tail of a queue."""

from typing import TYPE_CHECKING, Any

from waitlist_cli.client.retries import RetryPolicy

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

# The maximum number of people that a single request can claim.
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
