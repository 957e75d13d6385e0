"""Creates waitlists and changes their settings."""

from typing import TYPE_CHECKING, Any

from waitlist_cli.errors import Refused

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

SETTINGS = (
    "name",
    "open",
    "paused",
    "capacity",
    "rejoin",
    "lease_seconds",
    "max_attempts",
    "max_claims",
    "hide_counts",
    "max_guest_bytes",
    "retention_days",
    "segments",
    "rest",
    "admission",
    "page",
)
TRIES = 4
# What the `page` setting is without being set.
NO_PAGE: dict[str, Any] = {
    "text": "",
    "colour": None,
    "logo_url": None,
    "fields": [],
    "enter_url": None,
}


def create(api: "Api", waitlist_id: str, given: dict[str, Any]) -> Any:
    """Create a waitlist and return it; raises Refused if it exists."""
    if _exists(api, waitlist_id):
        raise Refused(
            f"{waitlist_id} exists already. To change it: waitlist edit {waitlist_id}",
            "waitlist_exists",
        )
    return api.operator("PUT", f"/{waitlist_id}", given)


def change(api: "Api", waitlist_id: str, given: dict[str, Any]) -> Any:
    """Change some settings and return the waitlist; the others stay as they are.

    A setting that is an object, such as the policy, is replaced, not merged. So all are sent, and
    only for the version that was read; if another operator was faster, it is read again.
    """
    for _ in range(TRIES):
        before = api.operator("GET", f"/{waitlist_id}")
        kept = {name: before[name] for name in SETTINGS if name in before}
        version = f'"{before["version"]}"'
        wanted = {**kept, **given}
        if given.get("rest"):
            # Its two numbers are typed one by one.
            wanted["rest"] = {**(before["rest"] or {}), **given["rest"]}
        try:
            return api.operator("PUT", f"/{waitlist_id}", wanted, if_match=version)
        except Refused as error:
            if error.code != "settings_changed":
                raise
            refusal = error
    raise refusal


def _exists(api: "Api", waitlist_id: str) -> bool:
    try:
        api.operator("GET", f"/{waitlist_id}")
    except Refused as error:
        if error.code == "waitlist_not_found":
            return False
        raise
    return True
