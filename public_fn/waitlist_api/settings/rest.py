"""Define the `rest` setting, which limits how long and how often customers may let others pass.

A customer who lets others pass keeps their position in the queue, but other customers are served
first.
"""

from typing import Annotated

from waitlist_api.settings.declared import Setting, Settings

DAY_MILLIS = 86_400_000


class RestRules(Settings, frozen=True, kw_only=True):
    """How long and how often customers may let others pass."""

    max_days: Annotated[
        int,
        Setting(
            "How long a customer may let others pass each time, in days.",
            label="Longest pause, in days",
            ge=1,
            le=3650,
        ),
    ] = 180
    times: Annotated[
        int,
        Setting(
            "How many times a customer may let others pass per signup.",
            label="Number of pauses",
            ge=1,
            le=1000,
        ),
    ] = 3
