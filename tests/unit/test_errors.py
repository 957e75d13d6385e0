"""Each error has a stable code and a message that says what to do next."""

import pytest

from waitlist_shared import errors


def every_error() -> list[type[errors.WaitlistError]]:
    """Return all errors except those that only the public function defines."""
    known = errors.WaitlistError.__subclasses__()
    return [error for error in known if error.__module__ == errors.__name__]


def test_every_error_is_found_by_its_code() -> None:
    assert {error.code: error for error in every_error()} == errors.BY_CODE


@pytest.mark.parametrize("error", every_error())
def test_the_message_is_the_advice_of_the_class_unless_a_better_message_is_given(
    error: type[errors.WaitlistError],
) -> None:
    assert error().message == str(error()) == error.advice
    assert error("Better.").message == "Better."
    assert error.advice.endswith(".")
