"""The settings of a waitlist's customer page, in operators' requests and in public responses."""

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
# The waitlist's own texts, with their maximum lengths. They can be translated like the page's
# texts.
TRANSLATABLE = {"name": 200, "text": MAX_TEXT}
# Matches a host and an optional port, path and query. The host cannot contain `@`, so the URL has
# no credentials. The text has no character that could end a source in a Content-Security-Policy.
HOST = r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?"
REST = r"([/?][A-Za-z0-9._~:/?@!$&'()*+,;=%-]*)?"
LOOPBACK = r"(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?"
LOGO_URL = f"^https://{HOST}{REST}$"
ENTER_URL = f"^(https://{HOST}|http://{LOOPBACK}){REST}$"
# Matches a link in the form `[words](address)` in the label of a checkbox.
LINK = re.compile(r"\[[^\[\]]*\]\(([^)]*)\)")
LINKED = re.compile(rf"https://{HOST}([/?#][^()\s]*)?|mailto:[^()\s@?]+@[^()\s@?]+")
# Matches text that may contain line breaks, but no other control characters.
LINES = r"^[^\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*$"


def _shaped(pattern: str, message: str) -> Any:
    """Return a string type with this pattern and an error message for other values."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(message)
        return text

    return Annotated[str, AfterValidator(check), Field(json_schema_extra={"pattern": pattern})]


TextOfLines: Any = _shaped(
    LINES, "must not contain control, line separator or bidirectional characters"
)
Colour: Any = _shaped(r"^#[0-9A-Fa-f]{6}$", "must be a colour in the form #rrggbb, such as #0b6e4f")
LogoUrl: Any = _shaped(
    LOGO_URL, "must be an https:// URL with a host, without credentials and fragment"
)
EnterUrl: Any = _shaped(
    ENTER_URL,
    "must be an https:// URL with a host, or an http:// URL of localhost, 127.0.0.1 or [::1], "
    "without credentials and fragment",
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
    """A choice of a `select` field, with a label in each language."""

    value: Annotated[
        Choice, Field(description="The value that is stored in the profile or in the attribute.")
    ]
    labels: Annotated[
        dict[Language, Choice],
        Field(
            min_length=1,
            description="The text that customers read, in the customer's language. If there is no "
            "label in this language, the first label is shown.",
            examples=[{"en": "Small", "de": "Klein"}],
        ),
    ]


Option = Annotated[
    Annotated[Choice, Tag("text")] | Annotated[PageOptionBody, Tag("languages")],
    Discriminator(lambda value: "text" if isinstance(value, str) else "languages"),
    AsAnyOf(),
]


class PageFieldBody(Body):
    """One question on the signup form."""

    name: Annotated[
        AttributeName,
        Field(
            description="The name of the profile field or the attribute in which the answer is "
            "stored."
        ),
    ]
    label: Annotated[
        Labels,
        Field(
            description="The text that customers read: either one text, or one text for each "
            "language. If there is no text in the customer's language, the first text is shown. A "
            "label may have at most 100 characters. The label of a `checkbox` may have 500 "
            "characters, and may contain links such as `[words](https://…)`. Only operators see "
            "the label of a `hidden` field.",
            examples=["Email", {"en": "Your name", "de": "Ihr Name"}],
        ),
    ]
    type: Annotated[
        FieldType,
        Field(
            description="`checkbox` asks the customer to accept the label. `hidden` takes its "
            "value from the page's own URL, for example from the query parameter `utm_source`."
        ),
    ] = "text"
    required: Annotated[
        bool, Field(description="Whether a guest's signup without this field is refused.")
    ] = False
    options: Annotated[
        list[Option],
        Field(
            default_factory=list,
            max_length=MAX_OPTIONS,
            json_schema_extra={"uniqueItems": True},
            description="The choices of a `select` field. An option is either a text, or a value "
            "with a label in each language.",
            examples=[["Mitte", {"value": "s", "labels": {"en": "Small", "de": "Klein"}}]],
        ),
    ]
    kept_in: Annotated[
        Kept,
        Field(
            description="Where to store the answer. Operators can read answers in the `profile`. "
            "Claims can filter by answers in the `attributes`, which may have at most 64 "
            "characters."
        ),
    ] = "profile"
    version: Annotated[
        Annotated[ShownText, Field(min_length=1, max_length=64)] | None,
        Field(
            description="The version of the text that a `checkbox` asks the customer to accept. "
            "It is stored in the profile together with the text.",
            examples=["2026-11"],
        ),
    ] = None

    @model_validator(mode="after")
    def _check_label(self) -> Self:
        if self.type == "hidden" and self.required:
            raise ValueError(
                "must not be required if its type is hidden, because the customer "
                "does not see the field"
            )
        labels = self.label.values() if isinstance(self.label, dict) else [self.label]
        if self.type != "checkbox":
            if max(map(len, labels)) > MAX_LABEL:
                raise ValueError(f"must have a label of at most {MAX_LABEL} characters")
            return self
        if self.kept_in != "profile":
            raise ValueError("must be kept in the profile if its type is checkbox")
        for label in labels:
            if not all(LINKED.fullmatch(url) for url in LINK.findall(label)):
                raise ValueError(
                    "must have only links in the form [words](https://…) or [words](mailto:…)"
                )
        return self

    @model_validator(mode="after")
    def _check_options(self) -> Self:
        if (self.type == "select") != bool(self.options):
            raise ValueError("must have options if, and only if, its type is select")
        values = [option if isinstance(option, str) else option.value for option in self.options]
        if len(set(values)) < len(values):
            raise ValueError("must have each option only once")
        return self


def _distinct_sources(sources: list[str]) -> list[str]:
    if len({source.strip().casefold() for source in sources}) < len(sources):
        raise ValueError("must have each answer only once, regardless of capital letters")
    return [source.strip() for source in sources]


def _distinct(fields: list[PageFieldBody]) -> list[PageFieldBody]:
    if len({(field.kept_in, field.name) for field in fields}) < len(fields):
        raise ValueError("must have each name only once")
    labels = [
        option.labels
        for field in fields
        for option in field.options
        if isinstance(option, PageOptionBody)
    ]
    if len(json.dumps(labels, ensure_ascii=False).encode()) > MAX_WORDS_BYTES:
        raise ValueError(
            f"the labels of all options must have at most {MAX_WORDS_BYTES} bytes together"
        )
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
    schema["propertyNames"] = {"enum": sorted({*TRANSLATABLE, *words()})}


def _known(texts: dict[Language, dict[str, Any]]) -> dict[Language, dict[str, Any]]:
    """Raise ValueError for unknown texts and unknown placeholders."""
    if len(json.dumps(texts, ensure_ascii=False).encode()) > MAX_WORDS_BYTES:
        raise ValueError(f"must have at most {MAX_WORDS_BYTES} bytes together")
    for language, own in texts.items():
        for key, text in own.items():
            _check_words(f"{language}.{key}", key, text)
    return texts


def _check_words(place: str, key: str, text: str | dict[str, str]) -> None:
    former = "" if key in TRANSLATABLE else words().get(key)
    if former is None:
        raise ValueError(f"{place}: the page has no such text")
    if isinstance(text, dict):
        if key in TRANSLATABLE:
            raise ValueError(f"{place}: must be one text, because it has no number")
        if "other" not in text:
            raise ValueError(f"{place}: must have the plural category other")
    if key == "name" and not str(text).strip():
        raise ValueError(f"{place}: must not consist of spaces only")
    forms = text.values() if isinstance(text, dict) else [text]
    most = TRANSLATABLE.get(key, MAX_WORDS)
    if max(map(len, forms)) > most:
        raise ValueError(f"{place}: must have at most {most} characters")
    unknown = _values_in(" ".join(forms)) - _values_in(json.dumps(former))
    if unknown:
        raise ValueError(f"{place}: must not have {', '.join(sorted(unknown))}")


def _values_in(text: str) -> set[str]:
    return set(re.findall(r"\{\w+\}", text))


class PageBody(Body):
    """The settings of the customer page at `/w/{waitlist_id}`.

    All texts are shown as plain text.
    """

    text: Annotated[
        TextOfLines,
        Field(
            max_length=MAX_TEXT,
            description="A description of the waitlist, which may have several lines.",
        ),
    ] = ""
    colour: Annotated[
        Colour | None,
        Field(
            description="The colour of buttons and progress bars. Where the colour would be hard "
            "to see, the page makes it lighter or darker. Null means blue.",
            examples=["#0b6e4f"],
        ),
    ] = None
    logo_url: Annotated[
        Annotated[LogoUrl, Field(max_length=MAX_URL)] | None,
        Field(
            description="The `https` URL of the logo. The URL must not contain credentials or a "
            "fragment.",
            examples=["https://example.com/logo.svg"],
        ),
    ] = None
    fields: Annotated[
        list[PageFieldBody],
        Field(
            default_factory=list,
            max_length=MAX_FIELDS,
            description="The questions on the signup form. If there are none, the form is only a "
            "button.",
        ),
        AfterValidator(_distinct),
    ]
    enter_url: Annotated[
        Annotated[EnterUrl, Field(max_length=MAX_URL)] | None,
        Field(
            description="The URL that admitted customers are sent to, with their pass after "
            "`#pass=`. It must be an `https` URL, or an `http` URL on the customer's own machine. "
            "The URL must not contain credentials or a fragment.",
            examples=["https://shop.example.com/enter"],
        ),
    ] = None
    image_url: Annotated[
        Annotated[LogoUrl, Field(max_length=MAX_URL)] | None,
        Field(
            description="The URL of the image in link previews (`og:image`). Null means the logo.",
            examples=["https://example.com/preview.png"],
        ),
    ] = None
    index: Annotated[bool, Field(description="Whether search engines may index the page.")] = False
    source: Annotated[
        AttributeName | None,
        Field(
            description="The form field whose answers say where customers come from, such as a "
            "hidden `utm_source`. The waitlist's counts group signups by the answers to this "
            "field. Null means that signups are not grouped. Only operators see this setting."
        ),
    ] = None
    sources: Annotated[
        list[Choice],
        Field(
            default_factory=list,
            max_length=MAX_SOURCES,
            description="The answers to the `source` field that are counted separately. All other "
            "answers are counted together as `other`, because customers can send arbitrary "
            "answers. The comparison ignores upper and lower case. This setting is required if "
            "the field is a `text` or `hidden` field. If the field is a `select`, each of its "
            "options is counted by default.",
            json_schema_extra={"uniqueItems": True},
            examples=[["newsletter", "instagram"]],
        ),
        AfterValidator(_distinct_sources),
    ]
    texts: Annotated[
        dict[Language, Annotated[dict[str, Words], Field(json_schema_extra=_list_keys)]],
        Field(
            default_factory=dict,
            description="Translations and replacements for the page's texts, by language and key. "
            "The keys `name` and `text` are the waitlist's name and description. A text with a "
            "number may have one form for each plural category.",
            examples=[{"en": {"join": "Count me in"}, "de": {"name": "Bäckerei"}}],
        ),
        AfterValidator(_known),
    ]

    @model_validator(mode="after")
    def _check_source(self) -> Self:
        types = {field.name: field.type for field in self.fields}
        asked = types.get(self.source or "")
        if self.source is not None and asked not in ("text", "select", "hidden"):
            raise ValueError("source must be a text, select or hidden field of the form")
        if self.sources and self.source is None:
            raise ValueError(
                "sources must not be sent without source, the field to which they are answers"
            )
        if asked in ("text", "hidden") and not self.sources:
            raise ValueError(
                f"sources must name the answers to {self.source} that are counted separately"
            )
        return self

    def settings(self) -> dict[str, Any]:
        """Return the settings in the format in which they are stored."""
        return self.model_dump()
