"""Responses that hold a secret, which no cache may keep."""

from typing import TypeVar

from aws_lambda_powertools.event_handler import Response

Answer = TypeVar("Answer")


def secret(answer: Answer) -> Response[Answer]:
    """Return a success that no cache keeps."""
    return Response(200, "application/json", answer, {"Cache-Control": "no-store"})
