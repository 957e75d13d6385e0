"""Lists the settings that a waitlist still lacks, and says where an operator can set them."""

from dataclasses import dataclass
from typing import Any

from waitlist_cli.operations.action import Document
from waitlist_cli.operations.declared import settings, settings_in

# Maps each group of settings to the console page and the command that can change the group.
PLACES = {
    "admission": ("policy", "policy"),
    "messages": ("messages", "edit"),
    "page": ("page", "page"),
}
# The ids of the fields on the console's pages, if they differ from the settings' names.
FIELDS = {
    "admission": "policy",
    "admission.rate": "rate_count",
    "admission.presence": "away_after",
    "admission.until": "field-until",
    "messages.kinds": "rules",
    "messages.sms_countries": "sms-countries",
    "messages.texts": "own-words",
}
# On the policy form, the id of each of these fields is the setting's name without the `admission.`
# prefix.
OWN_LAYOUT = {
    f"admission.{key}"
    for key in (
        *("schedule", "combine", "max_inside", "acceptance"),
        *("no_show", "offer_hours"),
    )
}
# Settings without a label of their own.
LABELS = {
    "open": "Signups",
    "admission": "Admission",
    "confirm": "Still there?",
    "messages.sms_countries": "SMS to these countries",
}


@dataclass(frozen=True)
class Step:
    """A setting that the operator can change to resolve a warning."""

    label: str
    # The field's path in the console, below the waitlist's path.
    link: str


@dataclass(frozen=True)
class Item:
    """A warning about a waitlist's settings, and the steps that resolve it."""

    code: str
    # Describes the problem, and what the operator can do about it.
    message: str
    steps: tuple[Step, ...]
    # The commands that change these settings.
    commands: tuple[str, ...]


def checklist(waitlist: Document) -> list[Item]:
    """Convert the service's warnings about a waitlist's settings to checklist items."""
    return [_item(warning, waitlist["waitlist_id"]) for warning in waitlist["warnings"]]


def _item(warning: dict[str, Any], waitlist_id: str) -> Item:
    names = warning["settings"]
    # An older version of the command line may not know a new setting.
    known = [name for name in names if name in settings()]
    commands = dict.fromkeys(_place(name)[1] for name in known)
    return Item(
        warning["code"],
        warning["message"].replace("`", ""),
        tuple(Step(_label(name), _link(name)) for name in known),
        tuple(f"waitlist {command} {waitlist_id}" for command in commands),
    )


def _place(name: str) -> tuple[str, str]:
    return PLACES.get(name.partition(".")[0], ("settings", "edit"))


def _label(name: str) -> str:
    return LABELS.get(name) or settings()[name].label or name.rpartition(".")[2].capitalize()


def _link(name: str) -> str:
    if name == "open":
        return "#do-open"
    page = _place(name)[0]
    return f"/{page}#{FIELDS.get(name) or _field(name, page)}"


def _field(name: str, page: str) -> str:
    key = name.rpartition(".")[2]
    if page in ("page", "messages") or name in OWN_LAYOUT:
        return key
    # A group is turned on by its first setting.
    if settings()[name].type == "group":
        name = next(iter(settings_in(name).values())).name
    return f"field-{name.replace('.', '_')}"
