"""What a command ends with when it does not end well: a sentence, a code, an exit code."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

INTERRUPTED = 130


@dataclass(frozen=True)
class FieldProblem:
    field: str
    message: str


class CliError(Exception):
    """An expected end; `code` is the service's own where the service has said it."""

    exit_code: ClassVar[int] = 1
    # Of a problem to which the service has given no code of its own.
    usual_code: ClassVar[str] = "error"

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
        """Return the problem as `--json` tells it."""
        return {
            "code": self.code or self.usual_code,
            "status": self.status,
            "detail": self.message,
            "errors": [{"field": one.field, "message": one.message} for one in self.fields],
        }


class Refused(CliError):
    """The service has answered, and said no."""


class WrongUsage(CliError):
    """What was typed, or is configured, cannot be meant."""

    exit_code = 2
    usual_code = "wrong_usage"


class Unavailable(CliError):
    """No answer, or a request to come back later, however often it was asked."""

    exit_code = 3


class Unauthorised(CliError):
    """No credentials, or not good enough for this."""

    exit_code = 4
    usual_code = "unauthorized"


class Defective(CliError):
    """The service has failed: a defect, or it is no waiting-list service."""

    exit_code = 5


def fields_of(problem: Mapping[str, Any]) -> list[FieldProblem]:
    """Return the fields that problem details name."""
    found = problem.get("errors")
    listed = found if isinstance(found, list) else []
    named = [one for one in listed if isinstance(one, dict)]
    return [FieldProblem(str(one.get("field", "")), str(one.get("message", ""))) for one in named]
