"""Responses that hold a secret, which no cache may keep."""

from typing import TypeVar

from aws_lambda_powertools.event_handler import Response

Answer = TypeVar("Answer")


def secret(answer: Answer, status: int = 200) -> Response[Answer]:
    """Return a success that no cache keeps."""
    return Response(status, "application/json", answer, {"Cache-Control": "no-store"})
