"""Hints for the operator: what to change when Redis refuses the function. Waiting does not help."""

import ssl
from collections.abc import Iterator

from redis import exceptions

LOG_IN = (
    "set the user and the password of REDIS_URL, or REDIS_IAM_USER and the role's"
    " elasticache:Connect, as Redis knows them"
)
ALLOW = "give the user the rights of docs/operate/policies/redis-user.acl"
CERTIFY = (
    "name in REDIS_URL the host that the certificate is for; for an authority of your own add"
    " ?ssl_ca_certs=FILE"
)
HINTS: dict[type[BaseException], str] = {
    exceptions.AuthenticationError: LOG_IN,
    exceptions.NoPermissionError: ALLOW,
    ssl.SSLCertVerificationError: CERTIFY,
}
# Texts of Redis and Valkey in a script's error if the user may not run one of its commands.
NOT_ALLOWED_IN_SCRIPT = ("user executing the script can't", "ACL failure in script")


def with_hint(error: BaseException) -> str:
    """Return the error as text, with a hint if there is one."""
    for cause in _causes(error):
        if hint := _hint_for(cause):
            return f"{_named(error)}{_behind(error, cause)} - {hint}"
    return _named(error)


def _behind(error: BaseException, cause: BaseException) -> str:
    """Return the cause as text: a cluster's client reports every error as a missing cluster."""
    if cause is error:
        return ""
    return f" ({type(cause).__name__ if str(cause) in str(error) else _named(cause)})"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error:
        yield error
        error = error.__cause__ or error.__context__


def _hint_for(error: BaseException) -> str:
    if any(words in str(error) for words in NOT_ALLOWED_IN_SCRIPT):
        return ALLOW
    found = [hint for kind, hint in HINTS.items() if isinstance(error, kind)]
    return found[0] if found else ""


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
