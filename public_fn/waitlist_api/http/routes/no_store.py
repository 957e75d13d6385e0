"""Responses that contain a secret, which caches must not store."""

from typing import TypeVar

from aws_lambda_powertools.event_handler import Response

Answer = TypeVar("Answer")


def secret(answer: Answer, status: int = 200) -> Response[Answer]:
    """Return a successful response that no cache may store."""
    return Response(status, "application/json", answer, {"Cache-Control": "no-store"})
