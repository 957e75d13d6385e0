import pytest
from hypothesis import given
from hypothesis import strategies as st

from waitlist_cli.client.ids import ENTRY_ID, chosen_entry_id, entry_id_of, suggest_waitlist_id
from waitlist_cli.errors import WrongUsage
from waitlist_shared import ids


@given(
    st.from_regex(ids.WAITLIST_ID, fullmatch=True), st.from_regex(ids.CUSTOMER_ID, fullmatch=True)
)
def test_the_command_line_computes_the_entry_ids_of_the_service(
    waitlist_id: str, customer_id: str
) -> None:
    """The command line computes the same entry ids as the service, so that it can put an entry id
    into a URL instead of a customer id (promise P8).
    """
    assert entry_id_of(waitlist_id, customer_id) == ids.entry_id_of(waitlist_id, customer_id)


def test_the_pattern_of_entry_ids_equals_the_pattern_of_the_service() -> None:
    assert ENTRY_ID.pattern == ids.ENTRY_ID


@pytest.mark.parametrize(
    ("name", "waitlist_id"),
    [
        ("Praxis Dr. Weiß", "praxis-dr-weiss"),
        ("Café Zoé (2)", "cafe-zoe-2"),
        ("Łódź, Ærø", "lodz-aero"),
        ("عيادة", "ydh"),
        ("牙科诊所", "yakezhensuo"),
        ("  …", ""),
        ("a" * 62 + " b", "a" * 62),
    ],
)
def test_the_name_of_a_list_suggests_a_readable_id(name: str, waitlist_id: str) -> None:
    assert suggest_waitlist_id(name) == waitlist_id


@pytest.mark.parametrize(
    ("entry", "customer", "advice"),
    [
        (None, None, "--customer ID"),
        ("a" * 26, "ada", "--customer ID"),
        ("ada", None, "--customer ada"),
        ("A" * 26, None, "not an entry id"),
    ],
)
def test_exactly_one_person_must_be_named(
    entry: str | None, customer: str | None, advice: str
) -> None:
    """P5"""
    with pytest.raises(WrongUsage, match=advice):
        chosen_entry_id("bakery", entry, customer)
