"""Claims people at the head of a queue, or at its end."""

from typing import TYPE_CHECKING, Any

from waitlist_cli.client.retries import RetryPolicy

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

# Of one request.
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
    """Return the answer with the `claims`; `complete` admits the people in the same call.

    With `filters`, in order of preference, each person is of the first that has one. A repeat with
    the same Idempotency-Key `key` returns the same claims.
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
