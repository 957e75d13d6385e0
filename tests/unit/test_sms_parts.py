"""The service counts the parts of an SMS as 3GPP TS 23.038 specifies.

The limits are those of AWS End User Messaging.
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
        # In the GSM alphabet, a euro sign takes as much space as two other characters.
        ("€" * 80, 1),
        ("€" * 81, 2),
        # Each part of the SMS has room for 153 characters. After 76 euro signs, one more character
        # would fit, but not another euro sign.
        ("€" * 153, 3),
        ("ä" * 160, 1),
        # If even one character is not in the GSM alphabet, the whole text is sent with 16 bits per
        # character.
        ("a" * 69 + "ê", 1),
        ("a" * 70 + "ê", 2),
        ("ê" * 134, 2),
        ("ê" * 135, 3),
        ("\N{RIGHT SINGLE QUOTATION MARK}" + "a" * 70, 2),
        ("ش" * 67 * 3, 3),
        ("\N{PARTY POPPER}" * 35, 1),
        ("\N{PARTY POPPER}" * 36, 2),
        # No part ends in the middle of a surrogate pair.
        ("\N{PARTY POPPER}" * 67, 3),
    ],
)
def test_the_parts_of_a_text_are_counted(text: str, parts: int) -> None:
    assert count_sms_parts(text) == parts


def test_the_alphabet_has_the_characters_of_the_standard() -> None:
    """The standard's table has 128 codes, but one of them is the escape code, so the alphabet has
    only 127 characters.
    """
    assert len(ALPHABET) == 127
    assert len(EXTENSION) == 10
    assert not ALPHABET & EXTENSION
