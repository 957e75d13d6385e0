"""Declares a route's documentation, and the requests that it accepts.

The docstring of a handler is the description of its operation in the OpenAPI document.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, TypeVar

from msgspec import Struct

from waitlist_api.http import json_body

Handler = TypeVar("Handler", bound=Callable[..., Any])
JSON = "application/json"
# The methods whose requests have a body. The body of any other request is ignored.
WITH_BODY = ("POST", "PUT", "PATCH")
# The error codes shared by all operations that use Redis and concern a single entry.
ENTRY = ("rebuilding", "entry_not_found")


class Answer(Struct, frozen=True):
    """The documentation of a successful response.

    `headers` and `links` name headers and links that the `openapi` package documents. By default,
    the handler's return type documents the body. Set `model` if the operation has several responses
    with different bodies.
    """

    status: int
    description: str
    headers: Literal["", "board_cache", "etag", "location", "no_store", "public_cache"] = ""
    links: Literal["", "entry", "next_page", "parked_entry", "waitlist"] = ""
    model: type | None = None
    is_only_for_guests: bool = False


class Operation(Struct, frozen=True):
    """A decorator that declares a handler.

    If `summary` is empty, the OpenAPI document omits the operation. `problems` lists only the
    errors that are specific to this operation.
    """

    audience: Literal["anyone", "customer", "operator"]
    summary: str = ""
    answer: Answer | None = None
    other_answers: tuple[Answer, ...] = ()
    problems: tuple[str, ...] = ()
    needs_credentials: bool = True
    # Which requests are written to the audit log. Operations that list personal data use
    # `first_page`: requests for the first page are written to the audit log, and requests for later
    # pages only to the request log.
    audit: Literal["", "each_request", "first_page"] = ""
    # The Content-Type values that the operation accepts. If there are none, the operation ignores
    # the body.
    media_types: tuple[str, ...] = (JSON,)
    max_body_bytes: int = json_body.MAX_BODY_BYTES
    parse: Callable[[str], Any] = json_body.loads
    checks_origin: bool = True
    compresses: bool = False

    @property
    def answers(self) -> tuple[Answer, ...]:
        return (*((self.answer,) if self.answer else ()), *self.other_answers)

    def __call__(self, handler: Handler) -> Handler:
        """Attach this declaration to a handler."""
        handler.operation = self  # type: ignore[attr-defined]
        return handler


# Customer operations accept only JSON bodies, to prevent forged requests from other sites. A page
# on another site can always make a browser send plain text to this API, but it can send JSON only
# if CORS allows it.
anyone = partial(Operation, "anyone", needs_credentials=False)
customer = partial(Operation, "customer")
operator = partial(Operation, "operator", media_types=(JSON, ""), checks_origin=False)
