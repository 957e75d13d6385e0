"""Hints for operators about errors that only a configuration change can resolve."""

import ssl
from collections.abc import Iterator

from redis import exceptions

LOG_IN = (
    "check the user and password in REDIS_URL, or check REDIS_IAM_USER and that the function's "
    "role allows elasticache:Connect"
)
ALLOW = "give the Redis user the permissions in docs/operate/policies/redis-user.acl"
CERTIFY = (
    "use the certificate's host name in REDIS_URL, and add ?ssl_ca_certs=FILE if you have your own "
    "certificate authority"
)
HINTS: dict[type[BaseException], str] = {
    exceptions.AuthenticationError: LOG_IN,
    exceptions.NoPermissionError: ALLOW,
    ssl.SSLCertVerificationError: CERTIFY,
}
# The messages that Redis and Valkey return if the user has no permission to run a command inside a
# script.
NOT_ALLOWED_IN_SCRIPT = ("user executing the script can't", "ACL failure in script")


def with_hint(error: BaseException) -> str:
    """Return the error's text, followed by a hint for the operator if there is one."""
    for cause in _causes(error):
        if hint := _hint_for(cause):
            return f"{_describe(error)}{_describe_cause(error, cause)} - {hint}"
    return _describe(error)


def _describe_cause(error: BaseException, cause: BaseException) -> str:
    """Return a description of an error's cause, in parentheses.

    If `cause` is `error` itself, return an empty string.
    """
    # If a Redis cluster cannot be reached, the client's error does not say why, but the exception
    # that caused the error does.
    if cause is error:
        return ""
    return f" ({type(cause).__name__ if str(cause) in str(error) else _describe(cause)})"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error:
        yield error
        error = error.__cause__ or error.__context__


def _hint_for(error: BaseException) -> str:
    if any(words in str(error) for words in NOT_ALLOWED_IN_SCRIPT):
        return ALLOW
    found = [hint for kind, hint in HINTS.items() if isinstance(error, kind)]
    return found[0] if found else ""


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
