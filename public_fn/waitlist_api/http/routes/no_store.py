"""Answers that hold somebody's secret: nobody on their way may keep them."""

from typing import Any, TypeVar

from aws_lambda_powertools.event_handler import Response

from waitlist_api.http.openapi.responses import NO_STORE

Answer = TypeVar("Answer")


def secret(answer: Answer) -> Response[Answer]:
    """Return a success that no cache keeps."""
    return Response(200, "application/json", answer, {"Cache-Control": "no-store"})


def with_secret(responses: dict[int, Any]) -> dict[int, Any]:
    """Return the responses of a route that answers so."""
    return {**responses, 200: {**responses[200], "headers": NO_STORE}}
