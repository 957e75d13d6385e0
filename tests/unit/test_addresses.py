"""Different spellings of an address are recognised as the same address, and different addresses
stay distinct.
"""

from itertools import product

import pytest

from waitlist_api.entries.addresses import normalise_address, parse_mailbox
from waitlist_api.settings.identity import IdentityRules

MAIL, PHONE = IdentityRules(field="email"), IdentityRules(field="phone")
DIGITS = "15123456789"
ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")


def test_two_hundred_spellings_are_one_address_and_near_misses_are_other_addresses() -> None:
    locals_ = ("ada.l", "Ada.L", "ADA.L", "ada.l+", "Ada.l+news", '"ada.l"', "aDa.L+a.b")
    domains = ("bücher.example", "BÜCHER.Example", "xn--bcher-kva.example", "bu\u0308cher.example")
    around = ("{}", " {}", "{}\t", "\n{} ", "  {}", "{}  ", " {}\n", "\t{}\t")
    spellings = {
        pattern.format(f"{local}@{domain}")
        for local, domain, pattern in product(locals_, domains, around)
    }
    assert len(spellings) >= 200
    assert len({normalise_address(MAIL, one) for one in spellings}) == 1

    whole = "ada.l@buecher.example"
    letters = [f"{whole[:at]}{more}{whole[at:]}" for at in range(len(whole)) for more in "xyz07"]
    words = [f"ada.l{end}@buecher.example" for end in ("-", "_", "-l", ".l", "l", "ll", "'s", "é")]
    looks = ["\u0430da.l@buecher.example", "ad\u0430.l@buecher.example", "adal@buecher.example"]
    hosts = [f"ada.l@{one}.example" for one in ("b", *(f"b{n}" for n in range(100)))]
    near = sorted({*letters, *words, *looks, *hosts})
    assert len(near) >= 200
    assert (
        len({normalise_address(MAIL, one) for one in (*near, *sorted(spellings)[:1])})
        == len(near) + 1
    )


def test_fifty_spellings_are_one_number_and_similar_numbers_are_other_numbers() -> None:
    starts = ("+49", "tel:+49", "0049", "+49 (0)", "\uff0b49")
    bodies = ("15123456789", "151 23456789", "151-234-567-89", "(151) 23456789", "151.23456789")
    spellings = {
        text
        for start, body in product(starts, bodies)
        for text in (f"{start} {body}", f" {start}{body} ", f"{start}{body}".translate(ARABIC))
    }
    assert len(spellings) >= 50
    assert len({normalise_address(PHONE, one) for one in spellings}) == 1
    near = {f"+49{DIGITS[:at]}{digit}{DIGITS[at + 1 :]}" for at in range(4, 11) for digit in DIGITS}
    assert len({normalise_address(PHONE, one) for one in near}) == len(near)


def test_a_mail_address_for_messages_is_the_address_that_identifies_the_person() -> None:
    for sent in ('"ada"@example.com', " Ada@Example.com ", "ada@bücher.example.com"):
        assert normalise_address(MAIL, parse_mailbox(sent)) == normalise_address(MAIL, sent)


@pytest.mark.parametrize("sent", ["01701234567.0", "+491701234567,00", "4.9E+11", "01701234567.00"])
def test_a_number_that_a_spreadsheet_has_changed_is_refused(sent: str) -> None:
    """A telephone number that a spreadsheet has damaged is refused, because its digits could be
    someone else's number (promise P5).
    """
    with pytest.raises(ValueError, match="must be a telephone number"):
        normalise_address(IdentityRules(field="phone", region="DE"), sent)
