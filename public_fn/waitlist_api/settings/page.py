"""Define the `page` setting, which describes the signup form and the customer's page."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from msgspec.structs import replace

from waitlist_api.settings.declared import DISTINCT, Setting, Settings
from waitlist_api.settings.texts import AttributeName, Language, NameText, ShownText, TextOfLines

FieldType = Literal["text", "email", "tel", "select", "checkbox", "hidden"]
Kept = Literal["profile", "attributes"]
Font = Literal["sans", "serif", "rounded", "mono"]
Plural = Literal["zero", "one", "two", "few", "many", "other"]
# The name under which signups are counted if the settings do not list their source.
OTHER = "other"
MAX_TEXT = 2000
# The maximum number of characters in an answer to a question on the signup form.
MAX_ANSWER = 200
MAX_LABEL, MAX_WORDS, MAX_WORDS_BYTES = 100, 500, 8192
# A host, and an optional port, path and query. The pattern excludes all characters that would end a
# source in a Content-Security-Policy header. It also excludes `@` from the host, so that the URL
# has no credentials.
HOST = r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?"
REST = r"([/?][A-Za-z0-9._~:/?@!$&'()*+,;=%-]*)?"
LOOPBACK = r"(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?"
# Matches a link of the form `[words](address)` in a checkbox's label.
LINK = re.compile(r"\[[^\[\]]*\]\(([^)]*)\)")
LINKED = re.compile(rf"https://{HOST}([/?#][^()\s]*)?|mailto:[^()\s@?]+@[^()\s@?]+")

Colour = Annotated[
    str,
    Setting(
        pattern=r"^#[0-9A-Fa-f]{6}$",
        refusal="must be a colour in the form #rrggbb, such as #0b6e4f",
    ),
]
HttpsUrl = Annotated[
    str,
    Setting(
        max_length=1000,
        pattern=f"^https://{HOST}{REST}$",
        refusal="must be an https:// URL with a host, without credentials or a fragment",
    ),
]
EnterUrl = Annotated[
    str,
    Setting(
        max_length=1000,
        pattern=f"^(https://{HOST}|http://{LOOPBACK}){REST}$",
        refusal="must be an https:// URL with a host, or an http:// URL of localhost, 127.0.0.1 or "
        "[::1], without credentials or a fragment",
    ),
]
Label = Annotated[NameText, Setting(max_length=500)]
Labels = Label | Annotated[dict[Language, Label], Setting(min_length=1)]
Choice = Annotated[NameText, Setting(max_length=64)]
Words = (
    Annotated[TextOfLines, Setting(min_length=1, max_length=MAX_TEXT)]
    | Annotated[
        dict[Plural, Annotated[ShownText, Setting(min_length=1, max_length=MAX_WORDS)]],
        Setting(min_length=1, schema={"required": ["other"]}),
    ]
)


class PageOption(Settings, frozen=True, kw_only=True):
    """An option of a `select` field, with a label in each language."""

    value: Annotated[Choice, Setting("The value stored in the profile or attribute.")]
    labels: Annotated[
        dict[Language, Choice],
        Setting(
            "The text that customers see, by language. If there is no label in the customer's "
            "language, the first label is shown.",
            min_length=1,
            examples=[{"en": "Small", "de": "Klein"}],
        ),
    ]


class PageField(Settings, frozen=True, kw_only=True):
    """One question on the signup form."""

    name: Annotated[
        AttributeName,
        Setting("The name of the profile field or attribute in which the answer is stored."),
    ]
    label: Annotated[
        Labels,
        Setting(
            "The text that customers see: either a single text, or one text for each language. If "
            "there is no text in the customer's language, the first text is shown. A label may "
            "have up to 100 characters. The label of a `checkbox` may have up to 500 characters, "
            "and may contain links such as `[words](https://…)`. Customers do not see the label of "
            "a `hidden` field, but operators do.",
            examples=["Email", {"en": "Your name", "de": "Ihr Name"}],
        ),
    ]
    type: Annotated[
        FieldType,
        Setting(
            "`checkbox` asks the customer to accept the label. `hidden` takes its value from the "
            "page's own URL, for example from the query parameter `utm_source`.",
            label="Answer",
            choices={
                "text": "Text",
                "email": "Email",
                "tel": "Telephone",
                "select": "A choice",
                "checkbox": "A checkbox to agree",
                "hidden": "Not shown: from the page's address",
            },
        ),
    ] = "text"
    required: Annotated[bool, Setting("Whether guests must fill in this field to sign up.")] = False
    options: Annotated[
        tuple[Choice | PageOption, ...],
        Setting(
            "The options of a `select` field. Each option is either a string, or a value with a "
            "label in each language.",
            max_length=50,
            schema=DISTINCT,
            examples=[["Mitte", {"value": "s", "labels": {"en": "Small", "de": "Klein"}}]],
        ),
    ] = ()
    kept_in: Annotated[
        Kept,
        Setting(
            "Where to store the answer: in the profile or in the attributes. Operators can read "
            "both. Claims can filter by attributes, but an answer stored there may have at most "
            "64 characters.",
            label="Kept in",
            choices={
                "profile": "Profile, which operators can read",
                "attributes": "Attributes, by which claims can filter",
            },
        ),
    ] = "profile"
    version: Annotated[
        ShownText | None,
        Setting(
            "The version of the text that a `checkbox` asks the customer to accept. It is stored "
            "in the profile together with the text.",
            min_length=1,
            max_length=64,
            examples=["2026-11"],
        ),
    ] = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The field's labels: one for each language, or a single label for all languages."""
        return (self.label,) if isinstance(self.label, str) else tuple(self.label.values())

    @property
    def choices(self) -> tuple[str, ...]:
        """The values of the field's options."""
        return tuple(option if isinstance(option, str) else option.value for option in self.options)

    def problems(self) -> Iterator[tuple[str, str]]:
        if self.type == "hidden" and self.required:
            yield (
                "",
                "must not be required if its type is hidden, because the customer does not see the "
                "field",
            )
        if self.type != "checkbox":
            if max(map(len, self.labels)) > MAX_LABEL:
                yield "", f"must have a label of at most {MAX_LABEL} characters"
        elif self.kept_in != "profile":
            yield "", "must be kept in the profile if its type is checkbox"
        elif not all(LINKED.fullmatch(url) for label in self.labels for url in LINK.findall(label)):
            yield "", "must have only links in the form [words](https://…) or [words](mailto:…)"
        if (self.type == "select") != bool(self.options):
            yield "", "must have options if, and only if, its type is select"
        if len(set(self.choices)) < len(self.choices):
            yield "", "must have each option only once"


def _distinct_sources(sources: list[str]) -> list[str]:
    if len({source.strip().casefold() for source in sources}) < len(sources):
        raise ValueError("must have each answer only once, regardless of capital letters")
    return [source.strip() for source in sources]


class PageSettings(Settings, frozen=True, kw_only=True):
    """The settings of the customer page at `/w/{waitlist_id}`.

    All texts are shown as plain text.
    """

    text: Annotated[
        TextOfLines,
        Setting(
            "A description of the waitlist, which may have several lines.",
            label="Text",
            max_length=MAX_TEXT,
        ),
    ] = ""
    colour: Annotated[
        Colour | None,
        Setting(
            "The colour of buttons and progress bars. The page makes the colour lighter or darker "
            "where it would be hard to see.",
            null="blue",
            label="Colour",
            examples=["#0b6e4f"],
        ),
    ] = None
    logo_url: Annotated[
        HttpsUrl | None,
        Setting(
            "The `https` URL of the logo. The URL must not contain credentials or a fragment.",
            null="no logo",
            label="Logo",
            examples=["https://example.com/logo.svg"],
        ),
    ] = None
    header_url: Annotated[
        HttpsUrl | None,
        Setting(
            "The URL of a wide picture at the top of the page.",
            null="no picture",
            label="Picture at the top",
            examples=["https://example.com/header.jpg"],
        ),
    ] = None
    font: Annotated[
        Font,
        Setting(
            "The font style of the page, which uses only fonts from the customer's device and "
            "downloads none.",
            label="Font",
            choices={
                "sans": "Plain",
                "serif": "Serif",
                "rounded": "Rounded",
                "mono": "Fixed width",
            },
        ),
    ] = "sans"
    fields: Annotated[
        tuple[PageField, ...],
        Setting(
            "The questions on the signup form. If there are none, the form is just a button.",
            label="Questions",
            max_length=10,
            max_answer=MAX_ANSWER,
        ),
    ] = ()
    enter_url: Annotated[
        EnterUrl | None,
        Setting(
            "The URL to which admitted customers are sent. Their pass is added to the URL after "
            "`#pass=`. It must be an `https` URL, unless its host is `localhost`, `127.0.0.1` or "
            "`[::1]`. The URL must not contain credentials or a fragment.",
            null="that customers stay on the page",
            label="Where customers enter",
            examples=["https://shop.example.com/enter"],
        ),
    ] = None
    privacy_url: Annotated[
        HttpsUrl | None,
        Setting(
            "The URL of the privacy notice, which the page's footer links to.",
            null="no link",
            label="Privacy notice",
            examples=["https://example.com/privacy"],
        ),
    ] = None
    imprint_url: Annotated[
        HttpsUrl | None,
        Setting(
            "The URL of the legal notice (imprint), which the page's footer links to.",
            null="no link",
            label="Legal notice",
            examples=["https://example.com/imprint"],
        ),
    ] = None
    image_url: Annotated[
        HttpsUrl | None,
        Setting(
            "The URL of the image in link previews (`og:image`).",
            null="the logo",
            label="Image of link previews",
            examples=["https://example.com/preview.png"],
        ),
    ] = None
    index: Annotated[
        bool, Setting("Whether search engines may index the page.", label="Search engines")
    ] = False
    source: Annotated[
        AttributeName | None,
        Setting(
            "The form field whose answers say where customers come from, such as a hidden "
            "`utm_source`. The waitlist's counts group signups by the answers to this field. Only "
            "operators see this setting.",
            null="that signups are not grouped",
            label="Counted field",
        ),
    ] = None
    sources: Annotated[
        tuple[Choice, ...],
        Setting(
            "The answers to the `source` field that are counted separately. Case does not matter. "
            "All other answers are counted together as `other`. This setting is required if the "
            "field is a `text` or `hidden` field. If it is a `select` field, each of its options "
            "is counted separately by default.",
            label="Counted answers",
            max_length=50,
            schema=DISTINCT,
            check=_distinct_sources,
            examples=[["newsletter", "instagram"]],
        ),
    ] = ()
    texts: Annotated[
        Mapping[Language, Mapping[str, Words]],
        Setting(
            "Translations and replacements for the page's texts, by language and key. The keys "
            "`name` and `text` stand for the waitlist's name and description. A text with a number "
            "may have a form for each of the language's plural categories, such as `one` and "
            "`other`.",
            label="Own words",
            examples=[{"en": {"join": "Count me in"}, "de": {"name": "Bäckerei"}}],
        ),
    ] = {}

    def problems(self) -> Iterator[tuple[str, str]]:
        if len({(field.kept_in, field.name) for field in self.fields}) < len(self.fields):
            yield "fields", "must have each name only once"
        options = (option for field in self.fields for option in field.options)
        labels = [option.labels for option in options if isinstance(option, PageOption)]
        if _json_bytes(labels) > MAX_WORDS_BYTES:
            yield (
                "fields",
                f"the labels of all options must have at most {MAX_WORDS_BYTES} bytes in total",
            )
        if _json_bytes(self.texts) > MAX_WORDS_BYTES:
            yield "texts", f"must have at most {MAX_WORDS_BYTES} bytes in total"
        types = {field.name: field.type for field in self.fields}
        asked = types.get(self.source or "")
        if self.source is not None and asked not in ("text", "select", "hidden"):
            yield "", "source must be a text, select or hidden field on the form"
        elif self.sources and self.source is None:
            yield (
                "",
                "sources must not be sent without source, which names the form field",
            )
        elif asked in ("text", "hidden") and not self.sources:
            yield (
                "",
                f"sources must name the answers to {self.source} that are counted separately",
            )

    def without_sources(self) -> Self:
        """Return the settings that customers may see."""
        return replace(self, source=None, sources=())

    @property
    def counted_sources(self) -> tuple[str, ...]:
        """The sources that are counted separately. All other sources are counted together."""
        asked = next((field for field in self.fields if field.name == self.source), None)
        return self.sources or (asked.choices if asked else ())

    def source_of(self, answers: Mapping[str, Any]) -> str | None:
        """Return the source under which a signup is counted, or None if no answer was given.

        If the answer is not in the list of separately counted sources, the source is `other`.
        """
        value = answers.get(self.source) if self.source else None
        if not isinstance(value, str) or not value.strip():
            return None
        plain = value.strip().casefold()
        return next(
            (source for source in self.counted_sources if source.casefold() == plain), OTHER
        )

    @property
    def image_origins(self) -> tuple[str, ...]:
        """The scheme, host and port of each picture on the page, without duplicates."""
        urls = [urlsplit(url) for url in (self.logo_url, self.header_url) if url is not None]
        return tuple(dict.fromkeys(f"{url.scheme}://{url.netloc}" for url in urls))


def _json_bytes(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode())
