"""Ids: opaque, stable, and of the shape that the contract asks for."""

import re

from waitlist_shared import ids


def test_an_entry_id_is_the_same_at_every_signup() -> None:
    """P2"""
    assert ids.entry_id_of("cinema", "ann") == ids.entry_id_of("cinema", "ann")


def test_an_entry_id_is_another_in_every_waitlist_and_for_every_customer() -> None:
    pairs = [("a", "bc"), ("ab", "c"), ("a", "b"), ("a", "a"), ("b", "a")]
    assert len({ids.entry_id_of(*pair) for pair in pairs}) == len(pairs)


def test_an_entry_id_shows_nothing_of_the_customer() -> None:
    """P8"""
    assert "ann" not in ids.entry_id_of("cinema", "ann@example.com")


def test_made_ids_have_their_shape() -> None:
    for number in range(50):
        assert re.fullmatch(ids.ENTRY_ID, ids.entry_id_of("cinema", f"customer {number}"))
        assert re.fullmatch(ids.JOIN_ID, ids.new_join_id())
        assert re.fullmatch(ids.JOIN_ID, ids.new_epoch())


def test_made_ids_do_not_repeat() -> None:
    assert len({ids.new_join_id() for _ in range(100)}) > 90


def test_a_pass_has_another_id_at_every_admission() -> None:
    """P4: also where a person who was erased is imported at the former time again."""
    admissions = [("a" * 26, 7, 1), ("b" * 26, 7, 1), ("a" * 26, 8, 1), ("a" * 26, 7, 2)]
    assert len({ids.pass_id_of(*one) for one in admissions}) == len(admissions)
