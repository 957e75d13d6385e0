"""The customer's page of a waitlist, in the bodies of operators' requests and in public answers."""

import json
import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator

from waitlist_api.http.page.files import words
from waitlist_api.http.schemas.attributes import AttributeName
from waitlist_api.http.schemas.common import AsAnyOf, Body, NameText, ShownText
from waitlist_api.settings.page import FieldType, Kept, Language

MAX_TEXT = 2000
MAX_FIELDS = 10
MAX_OPTIONS = 50
MAX_LABEL, MAX_AGREEMENT, MAX_CHOICE = 100, 500, 64
MAX_URL = 1000
MAX_SOURCES = 50
MAX_WORDS, MAX_WORDS_BYTES = 500, 8192
# The name and the text of the list have languages too.
OF_THE_LIST = {"name": 200, "text": MAX_TEXT}
# Host and port, then a path and a query. Before the path no `@` is possible, so no credentials, and
# no character can end the source in a Content-Security-Policy or begin another one.
HOST = r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?"
REST = r"([/?][A-Za-z0-9._~:/?@!$&'()*+,;=%-]*)?"
LOOPBACK = r"(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?"
LOGO_URL = f"^https://{HOST}{REST}$"
ENTER_URL = f"^(https://{HOST}|http://{LOOPBACK}){REST}$"
# [words](address) in the label of a checkbox.
LINK = re.compile(r"\[[^\[\]]*\]\(([^)]*)\)")
LINKED = re.compile(rf"https://{HOST}([/?#][^()\s]*)?|mailto:[^()\s@?]+@[^()\s@?]+")
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


def _kind(value: object) -> str:
    return "languages" if isinstance(value, dict) else "text"


Label = Annotated[NameText, Field(min_length=1, max_length=MAX_AGREEMENT)]
Labels = Annotated[
    Annotated[Label, Tag("text")]
    | Annotated[dict[Language, Label], Field(min_length=1), Tag("languages")],
    Discriminator(_kind),
    AsAnyOf(),
]


Choice = Annotated[NameText, Field(min_length=1, max_length=MAX_CHOICE)]


class PageOptionBody(Body):
    """A choice of a `select` with a label for each language."""

    value: Annotated[Choice, Field(description="What the profile or the attribute keeps.")]
    labels: Annotated[
        dict[Language, Choice],
        Field(
            min_length=1,
            description="What the customer reads, of which the page shows the customer's language, "
            "else the first.",
            examples=[{"en": "Small", "de": "Klein"}],
        ),
    ]


Option = Annotated[
    Annotated[Choice, Tag("text")] | Annotated[PageOptionBody, Tag("languages")],
    Discriminator(lambda value: "text" if isinstance(value, str) else "languages"),
    AsAnyOf(),
]


class PageFieldBody(Body):
    """One question of the join form."""

    name: Annotated[
        AttributeName, Field(description="The name in the profile, or of the attribute.")
    ]
    label: Annotated[
        Labels,
        Field(
            description="What the customer reads: one text, or one for each language, of which the "
            "page shows the customer's, else the first. At most 100 characters; of a `checkbox` "
            "500, with links `[words](https://…)` or `[words](mailto:…)`. Of a `hidden` field only "
            "operators read it.",
            examples=["Email", {"en": "Your name", "de": "Ihr Name"}],
        ),
    ]
    type: Annotated[
        FieldType,
        Field(
            description="`checkbox`: the customer agrees to the label. `hidden`: the page takes "
            "the value from its own address, such as `utm_source`."
        ),
    ] = "text"
    required: Annotated[
        bool, Field(description="Whether a guest's signup without it is refused.")
    ] = False
    options: Annotated[
        list[Option],
        Field(
            default_factory=list,
            max_length=MAX_OPTIONS,
            json_schema_extra={"uniqueItems": True},
            description="The choices of a `select`; other types have none. A choice is a text, or "
            "a value with a label for each language.",
            examples=[["Mitte", {"value": "s", "labels": {"en": "Small", "de": "Klein"}}]],
        ),
    ]
    kept_in: Annotated[
        Kept,
        Field(
            description="`profile`: for operators to read. `attributes`: for claims by filter; "
            "at most 64 characters."
        ),
    ] = "profile"
    version: Annotated[
        Annotated[ShownText, Field(min_length=1, max_length=64)] | None,
        Field(
            description="The version of the text that a `checkbox` asks to agree to. The profile "
            "keeps the text and this.",
            examples=["2026-11"],
        ),
    ] = None

    @model_validator(mode="after")
    def _check_label(self) -> Self:
        if self.type == "hidden" and self.required:
            raise ValueError("a hidden field cannot be required: the customer does not see it")
        labels = self.label.values() if isinstance(self.label, dict) else [self.label]
        if self.type != "checkbox":
            if max(map(len, labels)) > MAX_LABEL:
                raise ValueError(f"the label may have at most {MAX_LABEL} characters")
            return self
        if self.kept_in != "profile":
            raise ValueError("a checkbox is kept in the profile")
        for label in labels:
            if not all(LINKED.fullmatch(url) for url in LINK.findall(label)):
                raise ValueError("a link is [words](https://…) or [words](mailto:…)")
        return self

    @model_validator(mode="after")
    def _check_options(self) -> Self:
        if (self.type == "select") != bool(self.options):
            raise ValueError("needs options if, and only if, its type is select")
        values = [one if isinstance(one, str) else one.value for one in self.options]
        if len(set(values)) < len(values):
            raise ValueError("may have each option only once")
        return self


def _distinct_sources(sources: list[str]) -> list[str]:
    if len({one.strip().casefold() for one in sources}) < len(sources):
        raise ValueError("may have each answer only once, in whatever capitals")
    return [one.strip() for one in sources]


def _distinct(fields: list[PageFieldBody]) -> list[PageFieldBody]:
    if len({(one.kept_in, one.name) for one in fields}) < len(fields):
        raise ValueError("may have each name only once")
    labels = [
        one.labels for field in fields for one in field.options if isinstance(one, PageOptionBody)
    ]
    if len(json.dumps(labels, ensure_ascii=False).encode()) > MAX_WORDS_BYTES:
        raise ValueError(f"labels of options may have at most {MAX_WORDS_BYTES} bytes together")
    return fields


Plural = Literal["zero", "one", "two", "few", "many", "other"]
Words = Annotated[
    Annotated[TextOfLines, Field(min_length=1, max_length=MAX_TEXT), Tag("text")]
    | Annotated[
        dict[Plural, Annotated[ShownText, Field(min_length=1, max_length=MAX_WORDS)]],
        Field(min_length=1, json_schema_extra={"required": ["other"]}),
        Tag("plurals"),
    ],
    Discriminator(lambda value: "plurals" if isinstance(value, dict) else "text"),
    AsAnyOf(),
]


def _list_keys(schema: dict[str, Any]) -> None:
    schema["propertyNames"] = {"enum": sorted({*OF_THE_LIST, *words()})}


def _known(texts: dict[Language, dict[str, Any]]) -> dict[Language, dict[str, Any]]:
    """Refuse words that the page does not say, and values that it has not at that place."""
    if len(json.dumps(texts, ensure_ascii=False).encode()) > MAX_WORDS_BYTES:
        raise ValueError(f"may have at most {MAX_WORDS_BYTES} bytes together")
    for language, own in texts.items():
        for key, text in own.items():
            _check_words(f"{language}.{key}", key, text)
    return texts


def _check_words(place: str, key: str, text: str | dict[str, str]) -> None:
    former = "" if key in OF_THE_LIST else words().get(key)
    if former is None:
        raise ValueError(f"{place}: the page has no such text")
    if isinstance(text, dict):
        if key in OF_THE_LIST:
            raise ValueError(f"{place}: must be one text, because it has no number")
        if "other" not in text:
            raise ValueError(f"{place}: must have the category other")
    if key == "name" and not str(text).strip():
        raise ValueError(f"{place}: must not consist of spaces only")
    forms = text.values() if isinstance(text, dict) else [text]
    most = OF_THE_LIST.get(key, MAX_WORDS)
    if max(map(len, forms)) > most:
        raise ValueError(f"{place}: may have at most {most} characters")
    unknown = _values_in(" ".join(forms)) - _values_in(json.dumps(former))
    if unknown:
        raise ValueError(f"{place}: has no {', '.join(sorted(unknown))}")


def _values_in(text: str) -> set[str]:
    return set(re.findall(r"\{\w+\}", text))


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
    image_url: Annotated[
        Annotated[LogoUrl, Field(max_length=MAX_URL)] | None,
        Field(
            description="An image for previews of links to the page (`og:image`); null: the logo.",
            examples=["https://example.com/preview.png"],
        ),
    ] = None
    index: Annotated[bool, Field(description="Whether search engines may list the page.")] = False
    source: Annotated[
        AttributeName | None,
        Field(
            description="A field of the form, such as a hidden `utm_source`, by whose answers the "
            "statistics count signups; null: none. Operators' answers alone have this setting and "
            "`sources`."
        ),
    ] = None
    sources: Annotated[
        list[Choice],
        Field(
            default_factory=list,
            max_length=MAX_SOURCES,
            description="The answers to the field `source` that are counted each by itself; all "
            "others count together, as `other`, because anyone can make answers up. Capitals make "
            "no difference. Required for a `text` or `hidden` field; of a `select` its options "
            "count without it.",
            json_schema_extra={"uniqueItems": True},
            examples=[["newsletter", "instagram"]],
        ),
        AfterValidator(_distinct_sources),
    ]
    texts: Annotated[
        dict[Language, Annotated[dict[str, Words], Field(json_schema_extra=_list_keys)]],
        Field(
            default_factory=dict,
            description="Words of the page in place of its own, by language and key, and the "
            "list's `name` and `text` in that language. The keys are those of the page's texts; "
            "a text with a number may have one for each plural category.",
            examples=[{"en": {"join": "Count me in"}, "de": {"name": "Bäckerei"}}],
        ),
        AfterValidator(_known),
    ]

    @model_validator(mode="after")
    def _check_source(self) -> Self:
        types = {one.name: one.type for one in self.fields}
        asked = types.get(self.source or "")
        if self.source is not None and asked not in ("text", "select", "hidden"):
            raise ValueError("source must be a text, select or hidden field of the form")
        if self.sources and self.source is None:
            raise ValueError("sources are answers to the field that source names: give source too")
        if asked in ("text", "hidden") and not self.sources:
            raise ValueError(f"sources must name the answers to {self.source} that are counted")
        return self

    def settings(self) -> dict[str, Any]:
        """Return the fields as the settings have them."""
        return self.model_dump()
