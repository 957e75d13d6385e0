"""Shows a waitlist's emails on a web page, the way an email program would."""

from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from html import escape

from playwright.sync_api import Page

from waitlist_api.messages.channels import build_mime
from waitlist_api.messages.example import compose_example
from waitlist_api.messages.kinds import KIND_NAMES
from waitlist_api.settings.messages import Channel
from waitlist_api.settings.waitlist import WaitlistSettings

FROM = "line@bakery.example"
# Every kind of email in English, and one email in Arabic.
SHOWN = [*((kind, "en") for kind in KIND_NAMES), ("offered", "ar")]
PROGRAM = """<!doctype html><html lang="en"><meta charset="utf-8"><style>
body {{ margin: 0; padding: 24px; background: #dfe4ea; display: inline-grid;
  grid-template-columns: repeat(4, 360px); gap: 20px; font: 14px/1.4 sans-serif; }}
article {{ background: #fff; border-radius: 12px; overflow: hidden; }}
header {{ padding: 14px 18px; border-bottom: 1px solid #d5dae1; }}
h2 {{ margin: 0 0 6px; font-size: 16px; }}
p {{ margin: 0; color: #57606a; }}
iframe {{ display: block; width: 360px; border: 0; }}
pre {{ margin: 0; padding: 18px; white-space: pre-wrap; overflow-wrap: anywhere; }}
</style>{mails}</html>"""
MAIL = (
    '<article><header><h2 dir="auto">{subject}</h2><p dir="auto">{sender}</p></header>'
    "{body}</article>"
)


def sent(kind: str, language: str, settings: WaitlistSettings, now_millis: int) -> EmailMessage:
    to: tuple[Channel, str] = ("mail", "ada@example.com")
    url = "https://line.bakery.example"
    message = compose_example(kind, language, "bakery", settings, to, url, now_millis)
    parsed = message_from_bytes(build_mime(message, FROM).as_bytes(), policy=default)
    assert isinstance(parsed, EmailMessage)
    return parsed


def part(mail: EmailMessage, subtype: str) -> str:
    body = mail.get_body((subtype,))
    assert body is not None
    return str(body.get_content())


def show(page: Page, settings: WaitlistSettings, now_millis: int) -> None:
    mails = [sent(*kind_language, settings, now_millis) for kind_language in SHOWN]
    bodies = [f'<iframe srcdoc="{escape(part(mail, "html"))}"></iframe>' for mail in mails]
    offered = sent("offered", "en", settings, now_millis)
    mails.append(offered)
    bodies.append(f"<pre>{escape(part(offered, 'plain'))}</pre>")
    articles = [
        MAIL.format(
            subject=escape(str(mail["Subject"])), sender=escape(str(mail["From"])), body=body
        )
        for mail, body in zip(mails, bodies, strict=True)
    ]
    page.set_content(PROGRAM.format(mails="".join(articles)))
    page.evaluate(
        "for (const frame of document.querySelectorAll('iframe'))"
        " frame.style.height = frame.contentDocument.documentElement.scrollHeight + 'px'"
    )
