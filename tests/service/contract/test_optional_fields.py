"""Tests the messages between the functions. Receivers ignore unknown fields, and a field has the
same name in every message.
"""

from typing import Any, get_args

import msgspec
import pytest

from tests.queue.behaviour.outcomes import example
from waitlist_shared import contracts as c


@pytest.mark.parametrize("operation", sorted({*c.REQUESTS} - {"batch", "ping"}))
def test_a_request_with_unknown_fields_decodes_to_the_same(operation: str) -> None:
    """During a deployment, the public function may be newer than the private function and send more
    fields.
    """
    request = example(operation)
    message = {**msgspec.to_builtins(request), "new_field": {"deep": [1, None]}}
    assert msgspec.convert(message, c.AnyRequest) == request


@pytest.mark.parametrize(
    "message", [*c.REQUESTS.values(), *c.RESULTS.values()], ids=lambda one: one.__name__
)
def test_a_field_has_the_same_name_in_the_code_and_in_a_message(message: Any) -> None:
    assert all(field.name == field.encode_name for field in msgspec.structs.fields(message))


def test_every_request_that_can_be_decoded_has_a_result() -> None:
    assert set(c.RESULTS) == set(c.REQUESTS.values()) == set(get_args(c.AnyRequest))
