"""Define a waitlist's notice, a short text that operators show to all customers for a while."""

from typing import Annotated

from waitlist_api.settings.declared import Setting, Settings
from waitlist_api.settings.texts import (
    Language,
    TextOfLines,
    UtcText,
    check_not_blank,
    millis_or_none,
)

MAX_NOTICE = 500


class Notice(Settings, frozen=True, kw_only=True):
    """A notice, such as `The doctor is 30 minutes late.`

    Customers see the notice on their page, as plain text, and the service returns it in the
    waitlist's public data.
    """

    text: Annotated[
        Annotated[TextOfLines, Setting(max_length=MAX_NOTICE)]
        | Annotated[
            dict[
                Language,
                Annotated[
                    TextOfLines, Setting(min_length=1, max_length=MAX_NOTICE, check=check_not_blank)
                ],
            ],
            Setting(min_length=1),
        ]
        | None,
        Setting(
            "The text that customers see: either a single text, or one text for each language. If "
            "there is no text in the customer's language, the first text is shown. It may have "
            "several lines. An empty text ends the notice.",
            null="that there is no notice",
            examples=[
                {"en": "The doctor is 30 minutes late.", "de": "30 Minuten Verspätung."},
                "The doctor is 30 minutes late.",
            ],
        ),
    ]
    until: Annotated[
        UtcText | None,
        Setting(
            "When the notice ends automatically. The time must be in the future.",
            null="that the notice stays until an operator ends or replaces it",
            examples=["2099-12-31T18:00:00Z"],
        ),
    ] = None

    @property
    def is_empty(self) -> bool:
        """True if the notice has no text. Setting an empty notice ends the current notice."""
        return self.text is None or (isinstance(self.text, str) and not self.text.strip())

    @property
    def until_millis(self) -> int | None:
        return millis_or_none(self.until)

    def is_shown_at(self, now_millis: int) -> bool:
        """Return whether customers may still see the notice."""
        return self.until_millis is None or now_millis < self.until_millis


NO_NOTICE = Notice(text=None)
