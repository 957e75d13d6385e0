"""Define the `call_numbers` setting, which gives customers short numbers, such as A042."""

from typing import Annotated, Literal

from waitlist_api.settings.declared import Setting, Settings

Restart = Literal["daily", "never"]


class CallNumberRules(Settings, frozen=True, kw_only=True):
    """How the waitlist numbers its customers.

    Each signup gets the next number, and the customer keeps it until they leave or are admitted. A
    number contains no personal data, so it can be shown on a screen or called over a loudspeaker.
    """

    restart: Annotated[
        Restart,
        Setting(
            "When numbering restarts at 001. With `daily`, it restarts at midnight in the "
            "waitlist's `timezone`. With `never`, it does not restart, so no number is given out "
            "twice.",
            label="Call numbers",
            choices={
                "off": "Customers get no numbers",
                "daily": "Begin at 001 every day",
                "never": "Continue for as long as the list exists",
            },
        ),
    ] = "daily"
    prefix: Annotated[
        str,
        Setting(
            "The letters at the beginning of each number. A change affects only later signups and "
            "does not restart the numbering.",
            label="Letters before the number",
            # A prefix with digits would be ambiguous. For example, A1001 could be number 001 after
            # the prefix A1, or number 1001 after the prefix A.
            pattern="^[A-Z]{0,4}$",
            refusal="must be at most four capital letters from A to Z",
            max_length=4,
            examples=["A"],
        ),
    ] = ""
