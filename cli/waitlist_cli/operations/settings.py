"""Creates waitlists and changes their settings."""

from typing import TYPE_CHECKING, Any

from waitlist_cli.errors import Refused

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

# What the `page` setting is without being set.
NO_PAGE: dict[str, Any] = {
    "text": "",
    "colour": None,
    "logo_url": None,
    "fields": [],
    "enter_url": None,
    "image_url": None,
    "index": False,
    "source": None,
    "texts": {},
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
    """Change some settings by JSON Merge Patch and return the waitlist; the others stay."""
    return api.operator("PATCH", f"/{waitlist_id}", given)


def replacing(former: Any, new: dict[str, Any]) -> dict[str, Any]:
    """Return the merge patch that leaves nothing of a former object but what the new one has."""
    if not isinstance(former, dict):
        return new
    return dict.fromkeys(former) | {
        name: replacing(former.get(name), value) if isinstance(value, dict) else value
        for name, value in new.items()
    }


def _exists(api: "Api", waitlist_id: str) -> bool:
    try:
        api.operator("GET", f"/{waitlist_id}")
    except Refused as error:
        if error.code == "waitlist_not_found":
            return False
        raise
    return True
