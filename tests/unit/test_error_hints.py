"""What the log says of a Redis that refuses: what is wrong, why, and what to do about it."""

import ssl

from redis import exceptions

from waitlist_queue.error_hints import ALLOW, CERTIFY, LOG_IN, with_hint


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def test_a_passing_error_is_named_without_a_hint() -> None:
    assert with_hint(exceptions.TimeoutError("no answer")) == "TimeoutError: no answer"


def test_a_remedy_stands_behind_what_is_wrong() -> None:
    said = with_hint(exceptions.AuthenticationError("invalid password"))
    assert said == f"AuthenticationError: invalid password - {LOG_IN}"


def test_the_cause_is_named_with_its_remedy() -> None:
    """A cluster's client speaks of no cluster, whatever happened."""
    cause = exceptions.NoPermissionError("no right to INFO")
    error = caused(exceptions.RedisClusterException("no cluster"), cause)
    assert with_hint(error) == (
        f"RedisClusterException: no cluster (NoPermissionError: no right to INFO) - {ALLOW}"
    )


def test_a_cause_that_is_quoted_is_not_repeated() -> None:
    cause = ssl.SSLCertVerificationError("certificate verify failed")
    error = caused(exceptions.ConnectionError(f"Error 1. {cause}"), cause)
    assert (
        with_hint(error)
        == f"ConnectionError: Error 1. {cause} (SSLCertVerificationError) - {CERTIFY}"
    )


def test_both_errors_of_a_script_without_a_right_are_recognised() -> None:
    """The first is Redis' before 7.2, the second that of Redis and Valkey since then."""
    for words in (
        "The user executing the script can't run this command or subcommand script: 7f",
        "ACL failure in script: User waitlist has no permissions to run the 'zadd' command",
    ):
        assert with_hint(exceptions.ResponseError(words)).endswith(ALLOW)
