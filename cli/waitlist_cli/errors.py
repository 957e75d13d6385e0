"""Errors that end a command: a sentence, a code, an exit code."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

INTERRUPTED = 130


@dataclass(frozen=True)
class FieldProblem:
    field: str
    message: str


class CliError(Exception):
    """An expected error; `code` is the service's, if the service sent one."""

    exit_code: ClassVar[int] = 1
    # Printed if the service sent no code.
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
        """Return the error as `--json` prints it."""
        return {
            "code": self.code or self.default_code,
            "status": self.status,
            "detail": self.message,
            "errors": [{"field": one.field, "message": one.message} for one in self.fields],
        }


class Refused(CliError):
    """The service refused the request."""


class WrongUsage(CliError):
    """The arguments or the configuration are not valid."""

    exit_code = 2
    default_code = "wrong_usage"


class Unavailable(CliError):
    """The service did not answer, or answered "try again later" to every try."""

    exit_code = 3


class Unauthorised(CliError):
    """There are no credentials, or they do not allow the request."""

    exit_code = 4
    default_code = "unauthorized"


class Defective(CliError):
    """The service failed, or the address is not a waitlist service."""

    exit_code = 5


def fields_of(problem: Mapping[str, Any]) -> list[FieldProblem]:
    """Return the field errors of a problem document."""
    found = problem.get("errors")
    listed = found if isinstance(found, list) else []
    named = [one for one in listed if isinstance(one, dict)]
    return [FieldProblem(str(one.get("field", "")), str(one.get("message", ""))) for one in named]
