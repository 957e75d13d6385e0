"""The console shows a waitlist's poster, which can be printed and downloaded."""

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
    assert f'src="{path}.svg?language=de&amp;language=ar"' in console.page(
        f"{path}?language=ar&language=de&language=xx"
    )
    shown = console.browser.get(f"{path}.svg?language=de")
    assert shown.headers["content-type"] == "image/svg+xml"
    assert "content-disposition" not in shown.headers
    assert ("Hier anstellen" in shown.text, "Join the line here" in shown.text) == (True, False)
    saved = console.browser.get(f"{path}.svg?download=yes")
    name = f'attachment; filename="{bakery.waitlist_id}-poster.svg"'
    assert (saved.headers["content-disposition"], "Join the line here" in saved.text) == (
        name,
        True,
    )


def test_without_a_page_the_console_says_how_to_make_a_poster(
    scripted: Opened, fake: FakeService
) -> None:
    fake.script = [answer(200, LIST)]
    refused = scripted.browser.get("/lists/bakery/poster")
    assert "waitlist poster bakery --address https://" in refused.text
