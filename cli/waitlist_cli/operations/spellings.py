"""Compares texts regardless of case and accents, and telephone numbers regardless of format."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property

# Letters that Unicode does not decompose into a basic letter and an accent.
LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "\u0131": "i"}
)
# German letters that can also be written as two letters.
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
# A telephone number begins with + or 0, and has only digits and separators.
NUMBER = re.compile(r"[+0][\d\s()/.-]{2,}")
DIGITS = re.compile(r"\d{3,}")
# The letters and the digits of a call number.
CALL_NUMBER = re.compile(r"(.*?)(\d+)")
# The country calling codes that have one or two digits. All other calling codes have three digits.
SHORT_CODES = re.compile("1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]")


def fold(text: str) -> str:
    """Return the text in lower case and without accents. For example, Zoë becomes zoe."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(letter for letter in parts if not unicodedata.combining(letter))
    return letters.casefold().translate(LETTERS)


def fold_umlauts(text: str) -> str:
    """Return the text in lower case, with umlauts as two letters. For example, Müller becomes
    mueller.
    """
    return fold(unicodedata.normalize("NFC", text.casefold()).translate(UMLAUTS))


@dataclass(frozen=True)
class Number:
    """A telephone number, or the beginning of a number. `country` is empty if the number has no
    country code.
    """

    country: str
    # The telephone number without its country code and without the leading 0.
    rest: str

    def begins_with(self, other: "Number") -> bool:
        is_abroad = self.country and other.country and self.country != other.country
        return not is_abroad and self.rest.startswith(other.rest)


def number_of(text: str) -> Number | None:
    """Parse a text as a telephone number. Return None if the text is not a telephone number."""
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
    def _without_umlauts(self) -> str:
        return fold_umlauts(self.text.strip())

    @cached_property
    def words(self) -> tuple["Wanted", ...]:
        """The words of the text. A telephone number is one word, even if it contains spaces."""
        return (self,) if self._number else tuple(map(Wanted, self.text.split()))

    @cached_property
    def _number(self) -> Number | None:
        return number_of(self.text)

    def is_in(self, value: str) -> bool:
        """Return whether `value` contains the search text, regardless of case and accents.

        If both are telephone numbers, `value` must begin with the number in the search text.
        """
        number = number_of(value)
        if number is not None and self._number is not None:
            return number.begins_with(self._number)
        if number is not None and DIGITS.fullmatch(self._folded):
            return self._folded in number.country + number.rest
        return self._folded in fold(value) or self._without_umlauts in fold_umlauts(value)

    def is_whole(self, value: str) -> bool:
        """Return whether `value` equals the search text, regardless of case and accents."""
        return self._folded == fold(value.strip())

    def is_part_of_number(self, call_number: str) -> bool:
        """Return whether a call number contains the search text."""
        return self._folded in fold(call_number)

    @cached_property
    def _call_number(self) -> tuple[str, str] | None:
        return _split_call_number(self.text)

    def is_call_number(self, call_number: str | None) -> bool:
        """Return whether the search text means this call number.

        For example, 42, 042, A-42 and a 042 mean the call number A042.
        """
        number = _split_call_number(call_number or "")
        if number is None or self._call_number is None:
            return False
        letters, digits = self._call_number
        return letters in ("", number[0]) and bool(re.fullmatch(f"0*{digits}", number[1]))

    def is_other_number(self, call_number: str | None) -> bool:
        """Return whether the search text is a different call number with the same letters.

        For example, A43 is different from A042. A text without letters does not count as a call
        number, because it can be part of a telephone number.
        """
        number = _split_call_number(call_number or "")
        if number is None or self._call_number is None:
            return False
        return self._call_number[0] == number[0] != "" and not self.is_call_number(call_number)


def _split_call_number(text: str) -> tuple[str, str] | None:
    """Return the letters and the digits of a call number, or None if the text is not a call
    number.
    """
    found = CALL_NUMBER.fullmatch(re.sub(r"[\W_]", "", fold(text)))
    return found and (found[1], found[2])
