"""The local DynamoDB refuses what AWS's refuses."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.dynamodb import TABLE
from tests.support.refusals import CASES, Case, code_of
from tests.unit.tools.tables import local_table


@pytest.fixture(scope="module")
def table() -> Iterator[Any]:
    with local_table(TABLE) as client:
        yield client


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_it_refuses_what_dynamodb_refuses(case: Case, table: Any) -> None:
    assert bool(code_of(case, table)) == bool(case.code)
