"""The console shows a waitlist's poster, which can be printed and downloaded."""

from html import escape

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.console.opened import Opened
from tests.unit.cli.fake_service import FakeService, answer
from waitlist_cli.operations.settings import NO_PAGE

LIST = {"waitlist_id": "bakery", "name": "Bakery", "page": NO_PAGE, "page_url": None}


def test_a_poster_is_shown_and_downloaded(console: Opened, bakery: Bakery) -> None:
    path = f"/lists/{bakery.waitlist_id}/poster"
    assert f'href="{path}"' in console.page(f"/lists/{bakery.waitlist_id}")
    assert f"The code leads to {bakery.typed.json('page', bakery.waitlist_id)['address']}." in (
        console.text(path)
    )
    shown = console.page(f"{path}?language=de&language=xx")
    assert f'href="{path}.svg?language=de"' in shown
    assert ("Hier anstellen" in shown, "Join the line here" in shown) == (True, False)
    saved = console.browser.get(f"{path}.svg?language=de")
    assert saved.headers["content-type"] == "image/svg+xml"
    name = f'attachment; filename="{bakery.waitlist_id}-poster.svg"'
    assert (saved.headers["content-disposition"], "Hier anstellen" in saved.text) == (name, True)
    assert saved.text in shown


def test_the_texts_of_a_list_are_only_texts_on_the_page_of_its_poster(
    console: Opened, bakery: Bakery
) -> None:
    text = "</svg><script src='//x.example'></script>"
    bakery.typed.run("page", bakery.waitlist_id, "--text", text)
    page = console.page(f"/lists/{bakery.waitlist_id}/poster?language=en")
    assert "<script src='//x.example'" not in page
    assert escape("</svg><script") in page


def test_only_the_page_of_a_poster_may_load_the_logo(console: Opened, bakery: Bakery) -> None:
    logo = "https://example.com/logo.svg?a=1&b='2'"
    bakery.typed.run("page", bakery.waitlist_id, "--logo", logo)
    poster = console.browser.get(f"/lists/{bakery.waitlist_id}/poster")
    assert f'<image href="{escape(logo)}"' in poster.text
    policies = [
        answer.headers["content-security-policy"]
        for answer in (poster, console.browser.get(f"/lists/{bakery.waitlist_id}"))
    ]
    assert "img-src 'self' https://example.com;" in policies[0]
    assert "img-src 'self';" in policies[1]


def test_without_a_page_the_console_says_how_to_make_a_poster(
    scripted: Opened, fake: FakeService
) -> None:
    fake.script = [answer(200, LIST)]
    refused = scripted.browser.get("/lists/bakery/poster")
    assert "waitlist poster bakery --address https://" in refused.text


def test_the_poster_shows_a_hostile_name_as_text(console: Opened, bakery: Bakery) -> None:
    bakery.typed.run("edit", bakery.waitlist_id, "--name", "<script>alert(1)</script>")
    html = console.page(f"/lists/{bakery.waitlist_id}/poster")
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)" in html
