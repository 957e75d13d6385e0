"""The `page` setting of a list, as an operator sets it and the record stores it."""

from collections.abc import Mapping
from typing import Any, Literal, Self
from urllib.parse import urlsplit

import msgspec

from waitlist_shared.decoding import warm_decoders

FieldType = Literal["text", "email", "tel", "select", "checkbox", "hidden"]
Kept = Literal["profile", "attributes"]
# The source of a signup whose value no operator has named.
OTHER = "other"
# The languages of the customer's page.
Language = Literal["en", "de", "fr", "es", "ar"]


class PageOption(msgspec.Struct, frozen=True, kw_only=True):
    """A choice with a label for each language; the answer is its value."""

    value: str
    labels: dict[str, str]


class PageField(msgspec.Struct, frozen=True, kw_only=True):
    """One question of the join form; the answer is kept in the profile or as an attribute.

    `label` is one text, or one for each language. `version` is that of the text that a checkbox
    asks to agree to. A hidden field has the value of the page's address.
    """

    name: str
    label: str | dict[str, str]
    type: FieldType = "text"
    required: bool = False
    options: tuple[str | PageOption, ...] = ()
    kept_in: Kept = "profile"
    version: str | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The label in each of its languages."""
        return (self.label,) if isinstance(self.label, str) else tuple(self.label.values())

    @property
    def choices(self) -> tuple[str, ...]:
        """The values of its options."""
        return tuple(one if isinstance(one, str) else one.value for one in self.options)


class PageSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What the customer's page shows, and the address of the place that customers enter.

    Signups are counted by their answer to the field `source`: each of `sources` by itself, or each
    option of a select without them, and all other answers together. `text` may have several lines;
    no part is HTML. `texts` are words of the page by language and key, in place of its own; one
    with a number may have a text for each plural category.
    """

    text: str = ""
    colour: str | None = None
    logo_url: str | None = None
    fields: tuple[PageField, ...] = ()
    enter_url: str | None = None
    image_url: str | None = None
    index: bool = False
    source: str | None = None
    sources: tuple[str, ...] = ()
    texts: dict[str, dict[str, str | dict[str, str]]] = {}

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read what `json` returned."""
        return msgspec.json.decode(text, type=cls)

    @classmethod
    def from_body(cls, body: dict[str, Any]) -> Self:
        """Return the settings of a validated request body."""
        return msgspec.convert(body, cls)

    @property
    def json(self) -> str:
        """JSON for the record; equal settings have equal texts."""
        return msgspec.json.encode(self).decode()

    @property
    def body(self) -> dict[str, Any]:
        """The settings as callers see them."""
        shown: dict[str, Any] = msgspec.json.decode(self.json)
        return shown

    @property
    def public_body(self) -> dict[str, Any]:
        """The settings as customers see them: without what operators count."""
        return {**self.body, "source": None, "sources": []}

    @property
    def counted_sources(self) -> tuple[str, ...]:
        """The answers to the field `source` that are counted each by itself."""
        asked = next((one for one in self.fields if one.name == self.source), None)
        return self.sources or (asked.choices if asked else ())

    def source_of(self, answers: Mapping[str, Any]) -> str | None:
        """Return as which source a signup with these answers counts; None if it does not count.

        Anyone can make values up, so only what an operator has named is counted by itself.
        """
        value = answers.get(self.source) if self.source else None
        if not isinstance(value, str) or not value.strip():
            return None
        plain = value.strip().casefold()
        return next((one for one in self.counted_sources if one.casefold() == plain), OTHER)

    @property
    def logo_origin(self) -> str | None:
        """Scheme, host and port of the logo's address; None without a logo."""
        if self.logo_url is None:
            return None
        parts = urlsplit(self.logo_url)
        return f"{parts.scheme}://{parts.netloc}"


warm_decoders(PageSettings)
