"""Define the base class for settings that are stored as JSON text."""

from typing import Any, Self

import msgspec


class StoredSettings(msgspec.Struct, frozen=True):
    """A group of settings that is stored as JSON text. Equal settings have equal text."""

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Return the settings from their JSON text."""
        return msgspec.json.decode(text, type=cls)

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> Self:
        """Return the settings from the validated fields of a request body."""
        return msgspec.convert(fields, cls)

    @property
    def text(self) -> str:
        """The settings as JSON for the record."""
        return msgspec.json.encode(self).decode()
