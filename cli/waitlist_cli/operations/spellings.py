"""Compares texts and telephone numbers regardless of how they are spelled."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property

# Unicode does not decompose these letters into a basic letter and an accent.
LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "\u0131": "i"}
)
# A telephone number begins with + or 0, and has only digits and separators.
NUMBER = re.compile(r"[+0][\d\s()/.-]{2,}")
DIGITS = re.compile(r"\d{3,}")
# The calling codes of countries with one or two digits. All other calling codes have three digits.
SHORT_CODES = re.compile("1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]")


def fold(text: str) -> str:
    """Return a text without capital letters and accents, so that Zoë becomes zoe."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(letter for letter in parts if not unicodedata.combining(letter))
    return letters.casefold().translate(LETTERS)


@dataclass(frozen=True)
class Number:
    """A telephone number, or its beginning. A number in the local spelling has no `country`."""

    country: str
    # The number within the country, without the leading 0.
    rest: str

    def begins_with(self, other: "Number") -> bool:
        is_abroad = self.country and other.country and self.country != other.country
        return not is_abroad and self.rest.startswith(other.rest)


def number_of(text: str) -> Number | None:
    """Return the telephone number that a text consists of, or None if it is not a number."""
    text = text.strip()
    if not NUMBER.fullmatch(text):
        return None
    digits = re.sub(r"\D", "", text.replace("(0)", ""))
    if not (text.startswith("+") or digits.startswith("00")):
        return Number("", digits.lstrip("0"))
    digits = digits.lstrip("0")
    short = SHORT_CODES.match(digits)
    end = short.end() if short else 3
    return Number(digits[:end], digits[end:].lstrip("0"))


@dataclass(frozen=True)
class Wanted:
    """A text that an operator searches for."""

    text: str

    @cached_property
    def _folded(self) -> str:
        return fold(self.text.strip())

    @cached_property
    def _number(self) -> Number | None:
        return number_of(self.text)

    def is_in(self, value: str) -> bool:
        """Return whether a value contains the text, in any spelling.

        If both are telephone numbers, the value must begin with the number that is searched for.
        """
        number = number_of(value)
        if number is not None and self._number is not None:
            return number.begins_with(self._number)
        if number is not None and DIGITS.fullmatch(self._folded):
            return self._folded in number.country + number.rest
        return self._folded in fold(value)
