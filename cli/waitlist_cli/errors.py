"""The exceptions that end a command.

Each exception has a message, an error code and an exit code.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

INTERRUPTED = 130
# The error code that commands and the console use if the service does not answer.
UNREACHABLE = "unreachable"


@dataclass(frozen=True)
class FieldProblem:
    field: str
    message: str


class CliError(Exception):
    """The base class of expected errors.

    `code` is the error code in the service's response, or empty if there is none.
    """

    exit_code: ClassVar[int] = 1
    # The error code that a command with `--json` prints if the service sent no code.
    default_code: ClassVar[str] = "error"

    def __init__(
        self,
        message: str,
        code: str = "",
        status: int | None = None,
        fields: Sequence[FieldProblem] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        self.fields = tuple(fields)
        self.retry_after = ""

    def as_json(self) -> dict[str, Any]:
        """Return the error as the JSON object that a command with `--json` prints."""
        return {
            "code": self.code or self.default_code,
            "status": self.status,
            "detail": self.message,
            "errors": [{"field": field.field, "message": field.message} for field in self.fields],
        }


class Refused(CliError):
    """The service refused the request."""


class WrongUsage(CliError):
    """The arguments or the configuration are invalid."""

    exit_code = 2
    default_code = "wrong_usage"


class Unavailable(CliError):
    """The service did not answer, or it answered even the last attempt with "try again later"."""

    exit_code = 3


class Unauthorised(CliError):
    """The credentials are missing, or they do not allow the request."""

    exit_code = 4
    default_code = "unauthorized"


class Defective(CliError):
    """The service failed, or the configured address is not a waitlist service."""

    exit_code = 5


def fields_of(problem: Mapping[str, Any]) -> list[FieldProblem]:
    """Return the field errors that a problem document (RFC 9457) contains."""
    found = problem.get("errors")
    listed = found if isinstance(found, list) else []
    named = [error for error in listed if isinstance(error, dict)]
    return [
        FieldProblem(str(error.get("field", "")), str(error.get("message", ""))) for error in named
    ]
