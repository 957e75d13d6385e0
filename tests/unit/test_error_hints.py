"""If Redis reports an error, the log says what is wrong, why, and what to do."""

import ssl

from redis import exceptions

from waitlist_queue.error_hints import ALLOW, CERTIFY, LOG_IN, with_hint


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def test_a_temporary_error_has_no_hint() -> None:
    assert with_hint(exceptions.TimeoutError("no answer")) == "TimeoutError: no answer"


def test_a_hint_follows_the_error() -> None:
    said = with_hint(exceptions.AuthenticationError("invalid password"))
    assert said == f"AuthenticationError: invalid password - {LOG_IN}"


def test_the_cause_of_an_error_has_a_hint_too() -> None:
    """If an error has a cause, the message contains the cause and a hint. On its own, the Redis
    cluster client's error does not say what is wrong.
    """
    cause = exceptions.NoPermissionError("no right to INFO")
    error = caused(exceptions.RedisClusterException("no cluster"), cause)
    assert with_hint(error) == (
        f"RedisClusterException: no cluster (NoPermissionError: no right to INFO) - {ALLOW}"
    )


def test_a_cause_that_the_error_already_quotes_is_not_repeated() -> None:
    cause = ssl.SSLCertVerificationError("certificate verify failed")
    error = caused(exceptions.ConnectionError(f"Error 1. {cause}"), cause)
    assert (
        with_hint(error)
        == f"ConnectionError: Error 1. {cause} (SSLCertVerificationError) - {CERTIFY}"
    )


def test_both_error_texts_of_a_script_without_a_permission_are_recognised() -> None:
    """A script without a permission fails with one of two error texts.

    The first comes from Redis before version 7.2, and the second from later versions and from
    Valkey.
    """
    for words in (
        "The user executing the script can't run this command or subcommand script: 7f",
        "ACL failure in script: User waitlist has no permissions to run the 'zadd' command",
    ):
        assert with_hint(exceptions.ResponseError(words)).endswith(ALLOW)
