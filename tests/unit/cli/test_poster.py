"""The command line makes a poster with a QR code that leads to the customer page."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.typed import problem
from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.poster import JOIN_HERE, MAX_ADDRESS, draw_poster
from waitlist_cli.operations.settings import NO_PAGE

URL = "https://queue.example.com/w/bakery"
SVG = "{http://www.w3.org/2000/svg}"


def waitlist(name: str = "Bakery", page_url: str | None = URL, **page: Any) -> dict[str, Any]:
    shown = {"waitlist_id": "bakery", "name": name, "page_url": page_url}
    return {**shown, "page": {**NO_PAGE, **page} if page else None}


def texts_of(svg: str) -> list[str]:
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_a_poster_is_written_to_a_file(
    bakery: Bakery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = bakery.waitlist_id
    assert bakery.typed.run("poster", name) == f"The poster is in {name}-poster.svg.\n"
    shown = (tmp_path / f"{name}-poster.svg").read_text("utf-8")
    url = bakery.typed.json("page", name)["address"]
    assert texts_of(shown) == ["Bakery", *JOIN_HERE.values(), url]
    assert bakery.typed.json("poster", name, "-o", "a.svg") == {"file": "a.svg"}
    printed = bakery.typed.run(
        "poster", name, "--language", "de", "--address", "https://example.com/join", "-o", "-"
    )
    assert texts_of(printed) == ["Bakery", "Hier anstellen", "https://example.com/join"]


def test_a_poster_in_one_language_has_the_name_and_the_text_in_this_language() -> None:
    own = {"de": {"name": "Bäckerei", "text": "Frisches Brot."}}
    found = waitlist(text="Fresh bread.", texts=own)
    assert texts_of(draw_poster(found, ["de"]))[:2] == ["Bäckerei", "Frisches Brot."]
    assert texts_of(draw_poster(found, ["de", "en"]))[:2] == ["Bakery", "Fresh bread."]


def test_an_unknown_language_is_refused_with_the_known_languages() -> None:
    with pytest.raises(WrongUsage, match="Choose among en, de, fr, es, ar"):
        draw_poster(waitlist(), ["de", "it"])


def test_a_poster_has_the_colour_of_the_page() -> None:
    assert 'fill="#0b6e4f"' in draw_poster(waitlist(colour="#0b6e4f"))


@pytest.mark.parametrize("name", ["W" * 200, "Amt für " * 25, "東京" * 100, "\x00\x1b</svg>\ud800"])
def test_every_name_fits_on_the_poster(name: str) -> None:
    logo = "https://example.com/logo.svg"
    svg = draw_poster(waitlist(name, text="lorem ipsum " * 160, logo_url=logo))
    lines = list(ElementTree.fromstring(svg).iter(f"{SVG}text"))
    assert [line for line in lines if not 0 < float(line.attrib["y"]) <= 297 - 10] == []
    assert svg.encode()


def test_the_code_can_be_scanned_although_the_texts_are_long_and_there_is_a_logo() -> None:
    found = waitlist(
        "Bürgeramt der Stadt Musterhausen am See",
        f"https://queue.example.com/w/{'bakery' * 20}",
        text="Please join here, and come to the desk when your number is shown on the screen. " * 2,
        logo_url="https://example.com/logo.svg",
    )
    (frame,) = ElementTree.fromstring(draw_poster(found)).iterfind(f"{SVG}rect[@rx]")
    assert float(frame.attrib["width"]) > 50


def test_a_long_address_is_split_after_a_slash_or_a_hyphen() -> None:
    url = "https://waiting.example.com/doctors/w/praxis-dr-weiss"
    lines = texts_of(draw_poster(waitlist(page_url=url), ["en"]))[2:]
    assert lines == ["https://waiting.example.com/", "doctors/w/praxis-dr-weiss"]


def test_a_poster_without_a_page_says_what_to_do() -> None:
    with pytest.raises(WrongUsage, match=r"waitlist poster bakery --address https://"):
        draw_poster(waitlist(page_url=None))
    assert texts_of(draw_poster(waitlist(page_url=None), ["en"], URL))[-1] == URL


@pytest.mark.parametrize(
    "address",
    ["bakery", "ftp://example.com", "https://a b", "http://[", f"https://a.b/{'c' * MAX_ADDRESS}"],
)
def test_an_address_that_no_phone_can_open_is_refused(bakery: Bakery, address: str) -> None:
    result = bakery.typed("--json", "poster", bakery.waitlist_id, "--address", address)
    assert (result.exit_code, problem(result)["code"]) == (2, "wrong_usage")
    assert "is not the address of a web page" in problem(result)["detail"]


def test_a_poster_of_an_unknown_waitlist_is_refused(bakery: Bakery, tmp_path: Path) -> None:
    file = tmp_path / "poster.svg"
    result = bakery.typed("--json", "poster", "none", "-o", str(file))
    assert (result.exit_code, problem(result)["code"]) == (1, "waitlist_not_found")
    assert not file.exists()
