"""Define the `page` setting, which describes the signup form and the customer's page."""

from collections.abc import Mapping
from typing import Any, Literal, Self
from urllib.parse import urlsplit

import msgspec

from waitlist_shared.decoding import warm_decoders

FieldType = Literal["text", "email", "tel", "select", "checkbox", "hidden"]
Kept = Literal["profile", "attributes"]
# Signups are counted under this name if the settings do not list their source.
OTHER = "other"
# The languages of the customer's page.
Language = Literal["en", "de", "fr", "es", "ar"]


class PageOption(msgspec.Struct, frozen=True, kw_only=True):
    """An option of a select field.

    The page shows the label in the customer's language. The form sends the value.
    """

    value: str
    labels: dict[str, str]


class PageField(msgspec.Struct, frozen=True, kw_only=True):
    """A field of the signup form. The answer is stored in the profile or as an attribute."""

    name: str
    label: str | dict[str, str]
    type: FieldType = "text"
    required: bool = False
    options: tuple[str | PageOption, ...] = ()
    kept_in: Kept = "profile"
    version: str | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels of the field, or its only label if there is one label for all languages."""
        return (self.label,) if isinstance(self.label, str) else tuple(self.label.values())

    @property
    def choices(self) -> tuple[str, ...]:
        """The values of the field's options."""
        return tuple(option if isinstance(option, str) else option.value for option in self.options)


class PageSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of the customer's page. The texts cannot contain HTML."""

    # A description of the waitlist, which may have several lines.
    text: str = ""
    colour: str | None = None
    logo_url: str | None = None
    fields: tuple[PageField, ...] = ()
    # The page sends admitted customers to this URL.
    enter_url: str | None = None
    image_url: str | None = None
    index: bool = False
    # The name of the field whose answers are counted as the sources of signups.
    source: str | None = None
    # The sources that are counted separately. If the list is empty, the options of the field are
    # used.
    sources: tuple[str, ...] = ()
    # Texts that replace the page's default texts, by language and key. A text with a number can
    # have a form for each plural category.
    texts: dict[str, dict[str, str | dict[str, str]]] = {}

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Return the settings from their JSON text."""
        return msgspec.json.decode(text, type=cls)

    @classmethod
    def from_body(cls, body: dict[str, Any]) -> Self:
        """Return the settings from a validated request body."""
        return msgspec.convert(body, cls)

    @property
    def json(self) -> str:
        """The settings as JSON for the record. Equal settings have equal JSON."""
        return msgspec.json.encode(self).decode()

    @property
    def body(self) -> dict[str, Any]:
        """The settings as the API returns them to operators."""
        shown: dict[str, Any] = msgspec.json.decode(self.json)
        return shown

    @property
    def public_body(self) -> dict[str, Any]:
        """The settings as the API returns them to customers, without the sources."""
        return {**self.body, "source": None, "sources": []}

    @property
    def counted_sources(self) -> tuple[str, ...]:
        """The sources that are counted separately. All other sources are counted together."""
        asked = next((field for field in self.fields if field.name == self.source), None)
        return self.sources or (asked.choices if asked else ())

    def source_of(self, answers: Mapping[str, Any]) -> str | None:
        """Return the source under which a signup is counted, or None if there is no answer.

        Anyone can enter any answer, so all answers that an operator has not listed are counted as
        `other`.
        """
        value = answers.get(self.source) if self.source else None
        if not isinstance(value, str) or not value.strip():
            return None
        plain = value.strip().casefold()
        return next(
            (source for source in self.counted_sources if source.casefold() == plain), OTHER
        )

    @property
    def logo_origin(self) -> str | None:
        """The scheme, host and port of the logo's URL, or None if there is no logo."""
        if self.logo_url is None:
            return None
        parts = urlsplit(self.logo_url)
        return f"{parts.scheme}://{parts.netloc}"


warm_decoders(PageSettings)
