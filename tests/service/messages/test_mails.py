"""Tests all emails in all languages: their MIME parts, HTML, plain text and single link."""

from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from html.parser import HTMLParser

import pytest

from waitlist_api.messages.channels import build_mime
from waitlist_api.messages.example import compose_examples
from waitlist_api.messages.kinds import KIND_NAMES
from waitlist_api.settings.messages import LANGUAGES, MessageRules, OwnText
from waitlist_api.settings.page import PageSettings
from waitlist_api.settings.waitlist import WaitlistSettings

VOID = {"meta", "img", "br"}
URL = "https://line.example.net/w/bakery"
# Gmail cuts off longer emails.
MOST_BYTES = 102_000


class Checked(HTMLParser):
    """An HTML parser that fails if an element is not closed or is wrongly nested."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"{tag} has an attribute twice"
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_mail_of_each_kind_is_sound_and_reads_well(language: str) -> None:
    page = PageSettings(colour="#ffd400", logo_url="https://example.net/logo.png?a=1&b=2")
    settings = WaitlistSettings(name='Bäckerei "Nord" & <Söhne>', page=page)
    found = list(
        compose_examples("bakery", settings, "https://line.example.net", 0, language=language)
    )
    assert [message.kind for _, message in found] == list(KIND_NAMES)
    for _, message in found:
        raw = build_mime(message, "line@example.net").as_bytes()
        assert raw.isascii()
        assert len(raw) < MOST_BYTES
        assert max(map(len, raw.split(b"\r\n"))) <= 998
        assert b"\n" not in raw.replace(b"\r\n", b""), "SMTP requires these line ends"
        mail = message_from_bytes(raw, policy=default)
        assert isinstance(mail, EmailMessage)
        parts = [one.get_content_type() for one in mail.walk()]
        assert parts == ["multipart/alternative", "text/plain", "text/html"]
        assert not [defect for one in mail.walk() for defect in one.defects]
        plain, html = (str(part.get_content()) for part in mail.walk() if not part.is_multipart())
        assert [name for name in mail if name == "Subject"] == ["Subject"]
        *words, empty, url = plain.splitlines()
        assert (empty, url) == ("", URL)
        assert settings.name in plain
        for text in (plain, str(mail["Subject"])):
            assert not {"{", "}"} & set(text), text
        assert "&amp;" not in plain, "the plain text must not contain HTML"

        document = Checked(html)
        (root,) = document.of("html")
        direction = "rtl" if language == "ar" else "ltr"
        assert root == {"lang": language, "dir": direction}
        (link,) = document.of("a")
        assert link["href"] == URL
        assert not {tag for tag, _ in document.elements} & {"script", "form", "iframe", "link"}
        (logo,) = document.of("img")
        assert (logo["src"], logo["alt"]) == (page.logo_url, "")
        assert " ".join(words) in " ".join(document.words.split())


def test_a_name_and_a_time_keep_their_direction_in_arabic() -> None:
    settings = WaitlistSettings(name="Corner Bakery")
    ((_, message),) = compose_examples(
        "bakery", settings, "https://line.example.net", 0, kind="offered", language="ar"
    )
    for text in (message.text, message.html):
        assert "\u2068Corner Bakery\u2069" in text
        assert "\u206800:10 يوم 1 يناير 1970 (UTC)\u2069" in text


def test_a_name_or_a_subject_adds_no_header() -> None:
    name = "Sale =?utf-8?q?=0d=0aBcc:eve@example.net?="
    settings = WaitlistSettings(name=name)
    ((_, message),) = compose_examples("sale", settings, URL, 0, kind="joined", language="en")
    mail = message_from_bytes(build_mime(message, "line@example.net").as_bytes(), policy=default)
    assert isinstance(mail, EmailMessage)
    assert "Bcc" not in mail
    shown = "Sale = ?utf-8?q?=0d=0aBcc:eve@example.net?="
    assert mail["From"].addresses[0].display_name == shown
    assert mail["Subject"] == f"{shown}: you are in line"


def test_words_of_blanks_are_the_services() -> None:
    own = OwnText(subject=" ", button="\n")
    rules = MessageRules(kinds=("joined",), texts={"en": {"joined": own}})
    settings = WaitlistSettings(name="Bakery", messages=rules)
    ((_, message),) = compose_examples("bakery", settings, URL, 0, kind="joined", language="en")
    assert message.subject == "Bakery: you are in line"
    assert "See my place" in message.html
