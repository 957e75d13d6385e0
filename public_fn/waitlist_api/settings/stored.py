"""Settings of a list that its record stores as one text."""

from typing import Any, Self

import msgspec


class StoredSettings(msgspec.Struct, frozen=True):
    """A group of settings; equal ones have equal texts."""

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read what `text` returned."""
        return msgspec.json.decode(text, type=cls)

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> Self:
        """Return the settings of validated fields of a request body."""
        return msgspec.convert(fields, cls)

    @property
    def text(self) -> str:
        """JSON for the record."""
        return msgspec.json.encode(self).decode()
