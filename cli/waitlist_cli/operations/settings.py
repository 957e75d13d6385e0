"""Creates waitlists and changes their settings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from waitlist_cli.errors import Refused
from waitlist_cli.operations.declared import defaults

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

SETTINGS_CHANGED = "settings_changed"
WAITLIST_EXISTS = "waitlist_exists"
CHANGED_AGAIN = (
    "Somebody has changed the same settings since you saved them, so nothing was undone. Open the "
    "page again to see the change."
)
# How many times to try to save a change while other operators are changing settings.
TRIES = 5
Document = dict[str, Any]
# The default settings of the customer page, which apply if the waitlist's `page` is null.
NO_PAGE = defaults("page")


def create(api: "Api", waitlist_id: str, given: dict[str, Any]) -> Any:
    """Create a waitlist and return it. Raises Refused if the waitlist already exists."""
    exists = Refused(
        f"{waitlist_id} already exists. To change it, use: waitlist edit {waitlist_id}",
        WAITLIST_EXISTS,
    )
    if _exists(api, waitlist_id):
        raise exists
    try:
        return api.operator("PUT", f"/{waitlist_id}", given, only_new=True)
    except Refused as error:
        if error.code != WAITLIST_EXISTS:
            raise
        if error.fields:
            raise exists from error
    # The existing waitlist has exactly these settings, so an earlier attempt at this request
    # created it.
    return api.operator("GET", f"/{waitlist_id}")


def change(
    api: "Api", waitlist_id: str, given: Mapping[str, Any], version: int | None = None
) -> Any:
    """Change settings with a JSON Merge Patch, and return the waitlist.

    If the settings have changed since `version`, raise Refused. If no `version` is given, always
    make the change.
    """
    try:
        return api.operator("PATCH", f"/{waitlist_id}", given, version=version)
    except Refused as error:
        if error.code != SETTINGS_CHANGED or error.fields:
            raise
    # The settings already have these values, so an earlier attempt at this request made the change.
    return api.operator("GET", f"/{waitlist_id}")


def zone_of(api: "Api", waitlist_id: str) -> Callable[[], str]:
    """Return a function that asks the service for the waitlist's time zone."""
    return lambda: str(api.operator("GET", f"/{waitlist_id}")["timezone"])


@dataclass(frozen=True)
class Change:
    """The settings that a change has affected, with their values before and after the change."""

    before: Document
    after: Document


def change_seen(
    api: "Api", waitlist_id: str, seen: Mapping[str, Any] | None, given: Document
) -> Change:
    """Change the settings in `given` whose values differ from the values that the operator saw.

    If another operator has changed one of these settings in the meantime, raise Refused.
    """
    for _ in range(TRIES):
        now = api.operator("GET", f"/{waitlist_id}")
        seen = seen or now
        mine = {name: value for name, value in given.items() if value != seen[name]}
        if others := [name for name in mine if now[name] not in (seen[name], mine[name])]:
            break
        mine = {name: value for name, value in mine.items() if value != now[name]}
        if not mine:
            return Change({}, {})
        patch = {
            name: replacement_patch(now[name], value) if isinstance(value, dict) else value
            for name, value in mine.items()
        }
        try:
            saved = change(api, waitlist_id, patch, now["version"])
            if saved["version"] != now["version"] + 1:
                # Somebody else changed the settings at the same time. An undo could also revert
                # that change, so return an empty change, which cannot be undone.
                return Change({}, {})
            return Change({name: now[name] for name in mine}, {name: saved[name] for name in mine})
        except Refused as error:
            if error.code != SETTINGS_CHANGED:
                raise
    names = ", ".join(others or mine)
    raise Refused(
        f"Another operator has changed {names} since you opened this page, so nothing was saved. "
        "Open the page again to see the change.",
        SETTINGS_CHANGED,
        412,
    )


def change_back(api: "Api", waitlist_id: str, made: Change) -> None:
    """Restore the previous values of the changed settings.

    Raise Refused if somebody has changed one of these settings since.
    """
    try:
        change_seen(api, waitlist_id, made.after, made.before)
    except Refused as error:
        if error.code != SETTINGS_CHANGED:
            raise
        raise Refused(CHANGED_AGAIN, error.code, error.status) from error


def replacement_patch(former: Any, new: Any) -> Any:
    """Return the JSON Merge Patch that turns the object `former` into the object `new`.

    If `former` or `new` is not an object, return `new`. If `new` is invalid, the service refuses
    it.
    """
    if not (isinstance(former, dict) and isinstance(new, dict)):
        return new
    return dict.fromkeys(former) | {
        name: replacement_patch(former.get(name), value) for name, value in new.items()
    }


def _exists(api: "Api", waitlist_id: str) -> bool:
    try:
        api.operator("GET", f"/{waitlist_id}")
    except Refused as error:
        if error.code == "waitlist_not_found":
            return False
        raise
    return True
