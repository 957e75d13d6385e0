"""Generated ids reveal nothing, never change, and have the format that the contract requires."""

import re

from waitlist_shared import ids


def test_an_entry_id_is_the_same_at_every_signup() -> None:
    """P2"""
    assert ids.entry_id_of("cinema", "ann") == ids.entry_id_of("cinema", "ann")


def test_an_entry_id_differs_between_waitlists_and_between_customers() -> None:
    pairs = [("a", "bc"), ("ab", "c"), ("a", "b"), ("a", "a"), ("b", "a")]
    assert len({ids.entry_id_of(*pair) for pair in pairs}) == len(pairs)


def test_an_entry_id_does_not_contain_the_customer_id() -> None:
    """P8"""
    assert "ann" not in ids.entry_id_of("cinema", "ann@example.com")


def test_generated_ids_have_their_format() -> None:
    for number in range(50):
        assert re.fullmatch(ids.ENTRY_ID, ids.entry_id_of("cinema", f"customer {number}"))
        assert re.fullmatch(ids.JOIN_ID, ids.new_join_id())
        assert re.fullmatch(ids.JOIN_ID, ids.new_epoch())


def test_generated_ids_do_not_repeat() -> None:
    assert len({ids.new_join_id() for _ in range(100)}) > 90


def test_each_admission_has_a_different_pass_id() -> None:
    """Each admission gets a new pass id, even if a person is erased and then imported with the same
    joining time (promise P4).
    """
    admissions = [("a" * 26, 7, 1), ("b" * 26, 7, 1), ("a" * 26, 8, 1), ("a" * 26, 7, 2)]
    assert len({ids.pass_id_of(*one) for one in admissions}) == len(admissions)
