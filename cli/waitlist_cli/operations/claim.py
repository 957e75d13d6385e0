"""Claims people at the head of a queue, or at its end."""

from typing import TYPE_CHECKING, Any

from waitlist_cli.client.retries import RetryPolicy

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api


def claim_people(
    api: "Api",
    waitlist_id: str,
    key: str,
    *,
    count: int = 1,
    filter_: dict[str, str] | None = None,
    newest: bool = False,
    lease_seconds: int | None = None,
    complete: bool = False,
    policy: RetryPolicy | None = None,
) -> Any:
    """Return the answer with the `claims`; `complete` admits the people in the same call.

    A repeat with the same Idempotency-Key `key` returns the same claims.
    """
    body = {
        "count": count,
        "filter": filter_,
        "order": "newest" if newest else "oldest",
        "lease_seconds": lease_seconds,
        "complete": complete,
    }
    return api.operator("POST", f"/{waitlist_id}/claims", body, key=key, policy=policy)
