"""The service counts the parts of an SMS by 3GPP TS 23.038 and the limits that AWS End User
Messaging documents.

https://docs.aws.amazon.com/sms-voice/latest/userguide/sms-limitations-character.html
"""

import pytest

from waitlist_api.settings.sms import ALPHABET, EXTENSION, count_sms_parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", 1),
        ("a" * 160, 1),
        ("a" * 161, 2),
        ("a" * 306, 2),
        ("a" * 307, 3),
        ("a" * 459, 3),
        ("a" * 460, 4),
        # In the GSM alphabet, each euro sign takes two of the places in a part.
        ("€" * 80, 1),
        ("€" * 81, 2),
        # A part has 153 places. 76 euro signs fill 152 of them, and the next euro sign does not fit
        # into the last place.
        ("€" * 153, 3),
        ("ä" * 160, 1),
        # A single character outside the GSM alphabet makes the whole text use 16-bit characters.
        ("a" * 69 + "ê", 1),
        ("a" * 70 + "ê", 2),
        ("ê" * 134, 2),
        ("ê" * 135, 3),
        ("\N{RIGHT SINGLE QUOTATION MARK}" + "a" * 70, 2),
        ("ش" * 67 * 3, 3),
        ("\N{PARTY POPPER}" * 35, 1),
        ("\N{PARTY POPPER}" * 36, 2),
        # A surrogate pair is not split between two parts.
        ("\N{PARTY POPPER}" * 67, 3),
    ],
)
def test_the_parts_of_a_text_are_counted(text: str, parts: int) -> None:
    assert count_sms_parts(text) == parts


def test_the_alphabet_has_the_characters_of_the_standard() -> None:
    """The alphabet has the characters of the standard. The table has 128 places, and one of them is
    the escape character, which is not text.
    """
    assert len(ALPHABET) == 127
    assert len(EXTENSION) == 10
    assert not ALPHABET & EXTENSION
