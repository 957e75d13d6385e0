"""Lets all deployments in a test process share the validators of each route."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import unwrap
from typing import Any
from unittest.mock import patch

from aws_lambda_powertools.event_handler.openapi import dependant


@contextmanager
def shared_validators() -> Iterator[None]:
    """Build the validators of a route once, and use them in all deployments.

    A deployment builds the validators of a route at the first request to the route. Most tests
    create a deployment and send it only a few requests, so building the validators would take more
    time than the requests.
    """
    build, built = dependant.get_dependant, {}

    def get_dependant(
        *, path: str, call: Callable[..., Any], responses: Any = None, **options: Any
    ) -> Any:
        if responses:  # Only the OpenAPI document describes the responses of a route.
            return build(path=path, call=call, responses=responses, **options)
        # A deployment whose customers have accounts wraps some handlers, and the wrapper takes
        # different parameters than the handler.
        handler = unwrap(call)
        key = path, getattr(handler, "__func__", handler), handler is call
        if key not in built:
            built[key] = build(path=path, call=call, **options)
        return built[key]

    with patch.object(dependant, "get_dependant", get_dependant):
        yield
