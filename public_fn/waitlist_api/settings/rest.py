"""Define the `rest` setting, which limits how often, and for how long, customers may rest.

While a customer rests, other customers are served first.
"""

from typing import Annotated

from waitlist_api.settings.declared import Setting, Settings

DAY_MILLIS = 86_400_000


class RestRules(Settings, frozen=True, kw_only=True):
    """The rules for resting.

    An entry that rests keeps its position in the queue, but other entries are served first.
    """

    max_days: Annotated[
        int,
        Setting(
            "The maximum length of a rest, in days.", label="Longest rest, in days", ge=1, le=3650
        ),
    ] = 180
    times: Annotated[
        int,
        Setting(
            "How many times a customer may rest (let other customers go first) after each signup.",
            label="Number of rests",
            ge=1,
            le=1000,
        ),
    ] = 3
