"""The customer's page of a waitlist, in the bodies of operators' requests and in public answers."""

import re
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, model_validator

from waitlist_api.http.schemas.attributes import AttributeName
from waitlist_api.http.schemas.common import Body, ShownText
from waitlist_api.settings.page import FieldType, Kept

MAX_TEXT = 2000
MAX_FIELDS = 10
MAX_OPTIONS = 50
MAX_URL = 1000
# Host and port, then a path and a query. Before the path no `@` is possible, so no credentials, and
# no character can end the source in a Content-Security-Policy or begin another one.
HOST = r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?"
REST = r"([/?][A-Za-z0-9._~:/?@!$&'()*+,;=%-]*)?"
LOOPBACK = r"(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?"
LOGO_URL = f"^https://{HOST}{REST}$"
ENTER_URL = f"^(https://{HOST}|http://{LOOPBACK}){REST}$"
# Like the text of names, but with line breaks.
LINES = r"^[^\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*$"


def _shaped(pattern: str, message: str) -> Any:
    """Return a text that has a pattern; a text without it is refused with words, not a pattern."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(message)
        return text

    return Annotated[str, AfterValidator(check), Field(json_schema_extra={"pattern": pattern})]


TextOfLines: Any = _shaped(
    LINES, "must not contain control, line separator or bidirectional characters"
)
Colour: Any = _shaped(r"^#[0-9A-Fa-f]{6}$", "must be a colour such as #0b6e4f: #rrggbb")
LogoUrl: Any = _shaped(LOGO_URL, "must be https:// with a host, without credentials and fragment")
EnterUrl: Any = _shaped(
    ENTER_URL,
    "must be https:// with a host, or http:// of localhost, 127.0.0.1 or [::1], without "
    "credentials and fragment",
)


class PageFieldBody(Body):
    """One question of the join form."""

    name: Annotated[
        AttributeName, Field(description="The name in the profile, or of the attribute.")
    ]
    label: Annotated[
        ShownText, Field(min_length=1, max_length=100, description="What the customer reads.")
    ]
    type: FieldType = "text"
    required: Annotated[
        bool,
        Field(description="Whether the page asks until it is filled in; the API does not ask."),
    ] = False
    options: Annotated[
        list[Annotated[ShownText, Field(min_length=1, max_length=64)]],
        Field(
            default_factory=list,
            max_length=MAX_OPTIONS,
            json_schema_extra={"uniqueItems": True},
            description="The choices of a `select`; other types have none.",
        ),
    ]
    kept_in: Annotated[
        Kept,
        Field(
            description="`profile`: for operators to read. `attributes`: for claims by filter; "
            "at most 64 characters."
        ),
    ] = "profile"

    @model_validator(mode="after")
    def _check_options(self) -> Self:
        if (self.type == "select") != bool(self.options):
            raise ValueError("needs options if, and only if, its type is select")
        if len(set(self.options)) < len(self.options):
            raise ValueError("may have each option only once")
        return self


def _distinct(fields: list[PageFieldBody]) -> list[PageFieldBody]:
    if len({(one.kept_in, one.name) for one in fields}) < len(fields):
        raise ValueError("may have each name only once")
    return fields


class PageBody(Body):
    """The customer's page, `/w/{waitlist_id}`. Text is shown as text, never as HTML."""

    text: Annotated[
        TextOfLines,
        Field(max_length=MAX_TEXT, description="What people wait for; it may have several lines."),
    ] = ""
    colour: Annotated[
        Colour | None,
        Field(
            description="The colour of buttons and progress, made lighter or darker where it would "
            "be hard to see; null: a blue.",
            examples=["#0b6e4f"],
        ),
    ] = None
    logo_url: Annotated[
        Annotated[LogoUrl, Field(max_length=MAX_URL)] | None,
        Field(
            description="An image. `https` with a host, without credentials and fragment.",
            examples=["https://example.com/logo.svg"],
        ),
    ] = None
    fields: Annotated[
        list[PageFieldBody],
        Field(
            default_factory=list,
            max_length=MAX_FIELDS,
            description="What the join form asks. Without fields it is a button.",
        ),
        AfterValidator(_distinct),
    ]
    enter_url: Annotated[
        Annotated[EnterUrl, Field(max_length=MAX_URL)] | None,
        Field(
            description="The place that people wait for: a customer who enters goes there, with "
            "the pass behind `#pass=`. `https`, or `http` on this machine (localhost, 127.0.0.1, "
            "[::1]); without credentials and fragment.",
            examples=["https://shop.example.com/enter"],
        ),
    ] = None

    def settings(self) -> dict[str, Any]:
        """Return the fields as the settings have them."""
        return self.model_dump()
