"""If a field in a request does not match its pattern, the error says why."""

import json
import re
from typing import Annotated, Any

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from tests.e2e.processes import ROOT
from waitlist_api.http.field_errors import SHAPES, field_error
from waitlist_api.http.schemas.attributes import AttributeName, Attributes, Filter
from waitlist_api.http.schemas.claims import ClaimToken
from waitlist_api.http.schemas.common import Body, ShownText
from waitlist_api.http.schemas.notice import NoticeBody
from waitlist_api.http.schemas.signup import CustomerId
from waitlist_api.http.schemas.verify import VerifyBody
from waitlist_api.http.schemas.waitlists import IdentityBody


def message_of(type_: Any, value: object) -> str:
    try:
        TypeAdapter(type_).validate_python(value)
    except ValidationError as error:
        return field_error(error.errors()[0]).message
    raise AssertionError(value)


@pytest.mark.parametrize("type_", [AttributeName, ClaimToken, CustomerId])
def test_the_error_about_a_pattern_is_in_plain_words(type_: Any) -> None:
    message = message_of(type_, "Not one")
    assert message.startswith("must be")
    assert not re.search(r"pattern|\^|\[", message)


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        (VerifyBody, {"code": "8f09d87d.cut-off"}),
        (IdentityBody, {"field": "email", "region": "de"}),
        (IdentityBody, {"field": "email", "blocked_domains": ["Mailinator.com"]}),
    ],
)
def test_the_error_about_a_field_of_a_body_is_in_plain_words(
    body: type[Body], fields: dict[str, Any]
) -> None:
    message = message_of(body, fields)
    assert message.startswith("must be")
    assert not re.search(r"pattern|\^|\[", message)


def test_the_error_about_a_length_counts_in_characters() -> None:
    """An error about a length counts characters, even for text types whose own validator runs
    first.
    """
    text = Annotated[ShownText, Field(min_length=2, max_length=3)]
    assert message_of(text, "abcd") == "must have at most 3 characters"
    assert message_of(text, "a") == "must have at least 2 characters"


def test_the_error_about_a_parameter_that_is_no_boolean_says_which_values_are_allowed() -> None:
    assert message_of(bool, "maybe") == "must be true or false"


@pytest.mark.parametrize(
    ("type_", "value", "message"),
    [
        (NoticeBody, {"text": 3}, "must be a string or an object"),
        (Attributes, {"language": 3}, "must be a string or an array of strings"),
        (Attributes, {"language": [3]}, "must be a valid string"),
        (Filter, {"language": 3}, "must be a valid string"),
    ],
)
def test_the_error_about_a_value_of_two_types_names_both(
    type_: Any, value: object, message: str
) -> None:
    assert message_of(type_, value) == message


def test_each_pattern_of_a_parameter_has_a_description_in_words() -> None:
    document = json.loads((ROOT / "docs" / "openapi" / "guests.json").read_text("utf-8"))
    patterns = {
        schema["pattern"]
        for path in document["paths"].values()
        for operation in path.values()
        for parameter in operation.get("parameters", ())
        for schema in [parameter["schema"], *parameter["schema"].get("anyOf", ())]
        if "pattern" in schema and schema.get("format") != "date-time"
    }
    times = {one for one in patterns if one.startswith(r"^\d{4}")}
    assert patterns - times <= set(SHAPES)
    assert len(patterns & set(SHAPES)) > 3
