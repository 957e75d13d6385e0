"""Tests the customer's page as the API returns it: its files, headers and settings. The tests in
tests/browser open the page in a browser.
"""

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin

import pytest

from tests.service.api.conftest import new_list
from tests.support.gateway import Answer
from tests.support.people import People
from waitlist_api.http.page.files import FOLDER, VENDOR, files
from waitlist_cli.client.retries import PATIENT, RETRIED_STATUSES

MOST_BYTES = 30 * 1024
LOGO = "https://cdn.example.com:8443/logo.svg?v=1"
PAGE: dict[str, Any] = {
    "text": "Fresh bread.\nEvery morning.",
    "colour": "#0b6e4f",
    "logo_url": LOGO,
    "fields": [
        {
            "name": "email",
            "label": "Email",
            "type": "email",
            "required": True,
            "options": [],
            "kept_in": "profile",
            "version": None,
        },
        {
            "name": "language",
            "label": "Language",
            "type": "select",
            "required": False,
            "options": ["English", {"value": "es", "labels": {"en": "Spanish", "de": "Spanisch"}}],
            "kept_in": "attributes",
            "version": None,
        },
        {
            "name": "terms",
            "label": {"en": "I agree to the [terms](https://example.com/t).", "de": "Ja, gern."},
            "type": "checkbox",
            "required": True,
            "options": [],
            "kept_in": "profile",
            "version": "2026-11",
        },
        {
            "name": "utm_source",
            "label": "Source",
            "type": "hidden",
            "required": False,
            "options": [],
            "kept_in": "profile",
            "version": None,
        },
    ],
    "header_url": "https://pictures.example.com/header.jpg",
    "font": "serif",
    "enter_url": "https://shop.example.com/enter?from=line",
    "privacy_url": "https://example.com/privacy",
    "imprint_url": "https://example.com/imprint",
    "image_url": "https://cdn.example.com/preview.png",
    "index": True,
    "source": "utm_source",
    "sources": ["newsletter"],
    "texts": {
        "en": {"join": "Count me in", "count": {"one": "{n} waits", "other": "{n} wait"}},
        "de": {"name": "Bäckerei", "text": "Frisches Brot.\nJeden Morgen."},
    },
}
# Customers do not see the settings with which operators count signups by source.
SEEN = {**PAGE, "source": None, "sources": []}
BOX = {"name": "a", "label": "A", "type": "checkbox"}
MANY = dict.fromkeys(("en", "de", "fr", "es", "ar"), "x" * 40)


def settings_with_options(*options: Any) -> dict[str, Any]:
    return {"fields": [{"name": "a", "label": "A", "type": "select", "options": options}]}


HOSTILE = "</title><script>alert(1)</script>\"'&<img src=x onerror=alert(1)>"
# The kiosk and the screen are pages of their own. Everything else is loaded only if the waitlist
# uses it or the customer presses a button.
VIEWS = ("kiosk", "screen")
PARTS = sorted(
    {path.stem for path in FOLDER.glob("*.json") if path.with_suffix(".js").exists()} - set(VIEWS)
)
VENDORED = re.compile(r"^\| ([\w.-]+) \|.*\| ([0-9a-f]{64}) \|$", re.MULTILINE)
LANGUAGES = ("en", "de", "fr", "es", "ar")
# The plural forms that each language uses for counting, according to CLDR.
PLURALS = {
    "en": {"one", "other"},
    "de": {"one", "other"},
    "fr": {"one", "many", "other"},
    "es": {"one", "many", "other"},
    "ar": {"zero", "one", "two", "few", "many", "other"},
}


class Parts(HTMLParser):
    """A page's HTML tags, with their attributes and the text inside them."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags:
            name = self.tags[-1][0]
            self.texts[name] = self.texts.get(name, "") + data

    @property
    def loaded(self) -> list[str]:
        return [
            address
            for _, attributes in self.tags
            for name in ("src", "href")
            if (address := attributes.get(name))
        ]


def get(people: People, path: str, **headers: str) -> Answer:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return people.world.request("GET", path, headers=sent)


def page_of(people: People, waitlist_id: str = "bakery", **headers: str) -> Answer:
    return get(people, f"/w/{waitlist_id}", **headers)


def policy_of(answer: Answer) -> dict[str, list[str]]:
    directives = answer.headers["content-security-policy"].split("; ")
    return {words[0]: words[1:] for one in directives if (words := one.split(" "))}


def loaded_files(document: str) -> list[str]:
    return [one.replace("../", "/") for one in Parts(document).loaded]


def viewed(view: str = "") -> Iterator[str]:
    """Yield all files that a browser must load to show the customer's page, or one of its views
    such as the kiosk.

    A browser loads a single language file, so only the largest one is included.
    """
    document = get(new_list(page=PAGE), f"/w/bakery{view}").text
    yield document
    names = {address.rpartition("/")[2] for address in Parts(document).loaded}
    wanted, known = set(names), set[str]()
    while wanted - known:
        name = (wanted - known).pop()
        known.add(name)
        wanted |= set(re.findall(r"from '\./([\w.-]+)'", files()[name].text))
        wanted |= set(re.findall(r"new URL\('([\w.-]+\.css)'", files()[name].text))
    yield from (files()[name].text for name in known)
    yield largest("")


def largest(part: str) -> str:
    """Return the language file that is largest after compression. `part` names a part of the page
    with its own language files.
    """
    return max((files()[f"{part}{one}.json"].text for one in LANGUAGES), key=compressed)


def compressed(text: str) -> int:
    return len(gzip.compress(text.encode()))


def test_the_page_names_the_list_and_loads_only_what_the_api_has() -> None:
    people = new_list(page=PAGE)
    answer = page_of(people)
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    parts = Parts(answer.text)
    assert parts.texts["title"].strip() == "Bakery"
    assert ("waitlist-position", {"waitlist": "bakery", "languages": None}) in parts.tags
    loaded = loaded_files(answer.text)
    assert len(loaded) >= 4
    for address in loaded:
        file = get(people, address)
        assert file.status == 200, address
        assert file.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert file.headers["x-content-type-options"] == "nosniff"


def test_one_view_is_small_when_compressed() -> None:
    texts = list(viewed())
    languages = (len(PARTS) + len(VIEWS) + 1) * len(LANGUAGES) - 1
    # The kiosk and the screen share three files: the loader of their style sheets, the QR code
    # library, and the code that says since when they have been out of date.
    others = languages + len(PARTS) + 3 * len(VIEWS) + 3
    assert len(texts) == len(files()) - others, "all but parts, other languages and other views"
    assert sum(map(compressed, texts)) <= MOST_BYTES
    kiosk = [*viewed("/kiosk"), largest("kiosk-"), largest("form-"), files()["kiosk.css"].text]
    assert sum(map(compressed, kiosk)) <= MOST_BYTES
    screen = [*viewed("/screen"), largest("screen-"), files()["screen.css"].text]
    assert sum(map(compressed, screen)) <= MOST_BYTES
    for part in PARTS:
        assert compressed(files()[f"{part}.js"].text) + compressed(largest(f"{part}-")) <= 2200
    assert compressed(files()["lean-qr.js"].text) <= 3 * 1024


@pytest.mark.parametrize("view", VIEWS)
def test_other_views_have_the_policy_of_the_page_and_are_in_no_search_engine(view: str) -> None:
    """P5"""
    people = new_list(page=PAGE)
    shown, page = get(people, f"/w/bakery/{view}"), page_of(people)
    assert shown.status == 200
    assert policy_of(shown) == policy_of(page)
    for name in ("cache-control", "content-type", "referrer-policy", "x-content-type-options"):
        assert shown.headers[name] == page.headers[name]
    parts = Parts(shown.text)
    assert (f"waitlist-{view}", {"waitlist": "bakery"}) in parts.tags
    assert ("meta", {"name": "robots", "content": "noindex"}) in parts.tags
    for address in parts.loaded:
        assert get(people, urljoin(f"/w/bakery/{view}", address)).status == 200, address
    assert people.world.request("HEAD", f"/w/bakery/{view}").status == 200
    assert get(people, f"/w/florist/{view}").status == 404
    assert f"waitlist-{view}" in get(people, f"/w/florist/{view}").text
    unknown = get(people, "/w/bakery/screens")
    assert (unknown.status, unknown.json["code"]) == (404, "not_found")


def test_vendored_files_are_those_that_the_table_names_with_their_licences() -> None:
    table = dict(VENDORED.findall((VENDOR / "README.md").read_text("utf-8")))
    found = {one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in VENDOR.glob("*.js")}
    assert found == table != {}
    for name in found:
        served = get(new_list(), f"/assets/latest/{name}").text
        assert served.startswith("/*!\nMIT License\n\nCopyright (c) ")
        assert served.endswith((VENDOR / name).read_text("utf-8"))


@pytest.mark.parametrize("script", sorted(one.name for one in FOLDER.glob("*.js")))
def test_no_class_defines_a_method_twice(script: str) -> None:
    """JavaScript does not report a method that is defined twice. It uses the last definition."""
    for body in re.split(r"^(?:export )?class ", (FOLDER / script).read_text("utf-8"), flags=re.M):
        methods = re.findall(r"^  (?:static |async )*([#\w]+)\(.*\) \{$", body, flags=re.M)
        assert len(methods) == len(set(methods)), methods


def test_scripts_are_served_whole_but_for_their_comments() -> None:
    for path in FOLDER.glob("*.js"):
        served = files()[path.name].text.splitlines()
        left_out = [one.strip() for one in path.read_text("utf-8").splitlines() if one.strip()]
        for line in served:
            left_out.remove(line.strip())
        assert all(one.startswith(("//", "/**", "*")) for one in left_out), path.name
        assert left_out
        assert not [one for one in served if one.strip().startswith(("//", "/*"))], path.name


def test_no_file_names_another_server() -> None:
    """The page loads no files from other servers, because those servers would learn who is waiting
    (promise P8).
    """
    namespace = "http://www.w3.org/2000/svg"
    for path in (*FOLDER.iterdir(), *VENDOR.glob("*.js")):
        text = path.read_text("utf-8").replace(namespace, "")
        assert not re.search(r"(https?:)?//[a-z0-9-]+\.[a-z]", text), path.name


def test_no_file_makes_html_of_text() -> None:
    """P5"""
    for path in (*FOLDER.glob("*.js"), *VENDOR.glob("*.js")):
        text = path.read_text("utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", text)


def test_the_policy_allows_nothing_inline_and_the_origins_of_pictures_alone() -> None:
    """P5"""
    own = policy_of(page_of(new_list()))
    assert "unsafe" not in json.dumps(own)
    assert own["default-src"] == own["frame-ancestors"] == own["base-uri"] == ["'none'"]
    for directive in ("script-src", "style-src", "connect-src", "img-src"):
        assert own[directive] == ["'self'"]
    assert own["require-trusted-types-for"] == ["'script'"]
    with_logo = policy_of(page_of(new_list(page=PAGE)))
    origins = ["'self'", "https://cdn.example.com:8443", "https://pictures.example.com"]
    assert with_logo == {**own, "img-src": origins}
    answer = page_of(new_list())
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_link_preview_gets_the_headers_of_the_page() -> None:
    people = new_list(page=PAGE)
    document = page_of(people)
    head = people.world.request("HEAD", "/w/bakery")
    assert (head.status, head.text) == (200, "")
    # Powertools compresses only responses that have a body.
    assert {**head.headers, "content-encoding": "gzip"} == {
        **document.headers,
        "content-encoding": "gzip",
    }
    assert people.world.request("HEAD", "/w/nothing").status == 404


def test_previews_and_search_engines_get_what_the_list_allows() -> None:
    """Names, texts and URLs from a waitlist's settings appear in the HTML only as attribute values
    (promise P5).
    """

    def tags(**settings: Any) -> dict[str, str | None]:
        parts = Parts(page_of(new_list(**settings)).text)
        metas = [one for tag, one in parts.tags if tag == "meta"]
        return {one.get("name") or one.get("property") or "": one.get("content") for one in metas}

    found = tags(page=PAGE)
    assert "robots" not in found
    assert found["description"] == found["og:description"] == "Fresh bread. Every morning."
    assert (found["og:title"], found["og:image"]) == ("Bakery", PAGE["image_url"])
    assert tags(page={"logo_url": LOGO})["og:image"] == LOGO
    assert tags()["robots"] == tags(page={"text": "Bread"})["robots"] == "noindex"
    hostile = tags(name=HOSTILE, page={"text": HOSTILE * 9})
    assert hostile["og:title"] == HOSTILE
    assert (hostile["og:description"] or "").startswith(HOSTILE)
    assert len(hostile["og:description"] or "") == 200
    assert page_of(new_list(), "florist").text.count("og:") == 0


def test_a_browser_that_has_a_file_gets_no_second_copy() -> None:
    people = new_list(page=PAGE)
    document = page_of(people)
    assert document.headers["cache-control"] == "public, max-age=60"
    for path in ("/w/bakery", *loaded_files(document.text)):
        etag = get(people, path).headers["etag"]
        for sent in (etag, f'W/"other", {etag}', etag.removeprefix("W/"), "*"):
            again = get(people, path, if_none_match=sent)
            assert (again.status, again.text, again.headers["etag"]) == (304, "", etag)
            assert "cache-control" in again.headers
        assert get(people, path, if_none_match='W/"other"').status == 200


def test_a_change_of_the_list_changes_the_page() -> None:
    people = new_list(page=PAGE)
    etag = page_of(people).headers["etag"]
    people.configure(name="Florist", page=PAGE)
    people.world.clock.advance(31)  # The function caches the settings for 30 seconds.
    renamed = page_of(people, if_none_match=etag)
    assert (renamed.status, Parts(renamed.text).texts["title"].strip()) == (200, "Florist")
    people.configure(name="Florist", page={**PAGE, "logo_url": "https://other.example.com/l.svg"})
    people.world.clock.advance(31)
    other_logo = page_of(people, if_none_match=renamed.headers["etag"])
    assert policy_of(other_logo)["img-src"] == [
        "'self'",
        "https://other.example.com",
        "https://pictures.example.com",
    ]


def test_browsers_get_compressed_files() -> None:
    people = new_list()
    for path in ("/w/bakery", "/assets/latest/waitlist.js"):
        plain = get(people, path)
        packed = get(people, path, accept_encoding="gzip, br")
        assert (packed.headers["content-encoding"], plain.headers.get("content-encoding")) == (
            "gzip",
            None,
        )
        assert gzip.decompress(base64.b64decode(packed.text)).decode() == plain.text
        assert packed.headers["etag"] == plain.headers["etag"]
        assert "Accept-Encoding" in packed.headers["vary"]


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip;q=0", None),
        ("br, GZIP ; q=0.000, deflate", None),
        ("*;q=0", None),
        ("identity", None),
        ("gzip;q=0.5", "gzip"),
        ("gzip;q=0.01, identity;q=0", "gzip"),
        ("x-gzip;q=0, gzip", "gzip"),
    ],
)
def test_a_client_that_refuses_gzip_gets_the_plain_file(
    accepted: str, encoding: str | None
) -> None:
    """An encoding with the weight 0 is not acceptable (RFC 9110, section 12.5.3)."""
    answer = get(new_list(), "/assets/latest/waitlist.js", accept_encoding=accepted)
    assert (answer.status, answer.headers.get("content-encoding")) == (200, encoding)


def test_the_address_for_other_sites_is_kept_for_a_short_time_only() -> None:
    people = new_list()
    answer = get(people, "/assets/latest/waitlist.js")
    assert (answer.status, answer.text) == (200, files()["waitlist.js"].text)
    assert answer.headers["cache-control"] == "public, max-age=300"
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"


@pytest.mark.parametrize("edition", ["0123456789abcdef", "LATEST", "latest2", "-"])
def test_an_edition_that_does_not_exist_fills_no_cache(edition: str) -> None:
    """A customer may have opened the page before a deployment. When that page loads a file of the
    old version, the service redirects it to the new one.
    """
    people = new_list()
    path = f"/assets/{edition}/waitlist.js"
    answer = get(people, path)
    assert (answer.status, answer.text) == (307, "")
    assert answer.headers["cache-control"] == "no-store"
    found = get(people, urljoin(path, answer.headers["location"]))
    assert (found.status, found.text) == (200, files()["waitlist.js"].text)
    assert "immutable" in found.headers["cache-control"]


@pytest.mark.parametrize(
    "name", ["page.html", "none.js", "..", "..%2Fshell.py", "%2e%2e%2Fsettings.py", "__init__.py"]
)
def test_an_unknown_file_of_the_page_is_not_found(name: str) -> None:
    """P5"""
    answer = get(new_list(), f"/assets/latest/{name}")
    assert answer.status == 404
    assert "import" not in answer.text


def test_an_unknown_list_has_a_page_that_says_so() -> None:
    people = new_list()
    for waitlist_id in ("florist", "UPPER", "a%3Cscript%3E"):
        answer = page_of(people, waitlist_id)
        assert (answer.status, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["waitlist-problem"] == "waitlist_not_found"
        assert [tag for tag, _ in Parts(answer.text).tags].count("script") == 1


def test_hostile_names_and_texts_stay_text() -> None:
    """Nobody can inject HTML into a page, not even an operator through a setting (promise P5)."""
    settings = {
        "name": HOSTILE,
        "page": {
            "text": HOSTILE,
            "fields": [
                {"name": "a", "label": HOSTILE, "type": "select", "options": [HOSTILE[:60]]},
            ],
        },
    }
    people = new_list(**settings)
    document = page_of(people)
    parts = Parts(document.text)
    assert parts.texts["title"].strip() == HOSTILE
    assert [tag for tag, _ in parts.tags].count("script") == 1
    assert "img" not in [tag for tag, _ in parts.tags]
    shown = people.world.request("GET", people.path)
    assert shown.headers["content-type"] == "application/json"
    assert shown.json["page"]["text"] == HOSTILE


def test_the_page_is_public_as_it_was_set() -> None:
    people = new_list(page=PAGE)
    assert people.world.request("GET", people.path).json["page"] == SEEN
    config = people.world.request("GET", people.admin_path, operator=True)
    assert config.json["page"] == PAGE
    (listed,) = people.world.request("GET", "/v1/admin/waitlists", operator=True).json["waitlists"]
    assert listed["page"] == PAGE
    people.configure()
    assert people.world.request("GET", people.path).json["page"] is None


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ({"colour": "green"}, "#rrggbb"),
        ({"colour": "#0b6e4f;}"}, "#rrggbb"),
        ({"logo_url": "http://example.com/logo.svg"}, "https://"),
        ({"logo_url": "https:///logo.svg"}, "https://"),
        ({"logo_url": "https://user:secret@example.com/logo.svg"}, "credentials"),
        ({"logo_url": "https://example.com; script-src *"}, "https://"),
        ({"logo_url": "https://example.com/logo.svg#part"}, "fragment"),
        ({"logo_url": "https://example.com/" + "a" * 1000}, "1000"),
        ({"logo_url": "data:image/svg+xml,<svg/>"}, "https://"),
        ({"enter_url": "http://shop.example.com/"}, "https://"),
        ({"enter_url": "http://localhost.example.com/"}, "localhost"),
        ({"enter_url": "http://localhost@example.com/"}, "localhost"),
        ({"enter_url": "https://shop.example.com/#pass"}, "fragment"),
        ({"enter_url": "https://me@shop.example.com/"}, "credentials"),
        ({"enter_url": "javascript:alert(1)"}, "https://"),
        ({"enter_url": "https://shop.example.com/\n"}, "https://"),
        ({"enter_url": "https://shop.example.com\\@evil.example"}, "https://"),
        ({"text": "a\u202eb"}, "bidirectional"),
        ({"text": "a" * 2001}, "2000"),
        ({"html": "<b>"}, "is not a known field"),
        ({"fields": [{"name": "Email", "label": "Email"}]}, "must be 1 to 32 lower-case letters"),
        ({"fields": [{"name": "email", "label": ""}]}, "at least 1"),
        ({"fields": [{"name": "email", "label": "a\nb"}]}, "control"),
        ({"fields": [{"name": "email", "label": "Email", "type": "password"}]}, "'text'"),
        ({"fields": [{"name": "city", "label": "City", "type": "select"}]}, "options"),
        ({"fields": [{"name": "city", "label": "City", "options": ["A"]}]}, "options"),
        (
            {"fields": [{"name": "a", "label": "A", "type": "select", "options": ["A", "A"]}]},
            "once",
        ),
        (settings_with_options("s", {"value": "s", "labels": {"en": "S"}}), "once"),
        (settings_with_options({"value": "s", "labels": {}}), "at least 1"),
        (settings_with_options({"value": "s", "labels": {"nl": "S"}}), "'en'"),
        (settings_with_options({"value": "s", "labels": {"en": "s" * 65}}), "at most 64"),
        (settings_with_options({"value": "s", "labels": {"en": "a\nb"}}), "control"),
        (settings_with_options({"labels": {"en": "S"}}), "required"),
        (
            settings_with_options(*({"value": f"{one}", "labels": MANY} for one in range(50))),
            "8192 bytes in total",
        ),
        ({"fields": [{"name": "a", "label": {"nl": "A"}}]}, "'en'"),
        ({"fields": [{"name": "a", "label": {}}]}, "at least 1"),
        ({"fields": [{"name": "a", "label": "a" * 101}]}, "at most 100"),
        ({"fields": [{**BOX, "type": "hidden", "required": True}]}, "must not be required"),
        ({"fields": [{**BOX, "kept_in": "attributes"}]}, "kept in the profile"),
        ({"fields": [{**BOX, "label": "[A](javascript:alert(1))"}]}, "must have only links"),
        ({"fields": [{**BOX, "label": "[A](http://example.com/)"}]}, "must have only links"),
        (
            {"fields": [{**BOX, "label": {"en": "A", "de": "[A](//evil.example)"}}]},
            "must have only links",
        ),
        ({"image_url": "http://example.com/p.png"}, "https://"),
        ({"source": "utm_source"}, "source must be"),
        ({"source": "a", "fields": [BOX]}, "source must be"),
        ({"source": "a", "fields": [{"name": "a", "label": "A"}]}, "sources must name"),
        ({"sources": ["a"]}, "sources must not be sent without"),
        ({"sources": ["News", "news "]}, "each answer only once"),
        ({"texts": {"nl": {"join": "Ja"}}}, "'en'"),
        ({"texts": {"en": {"jion": "Join"}}}, "en.jion: the page has no such text"),
        ({"texts": {"en": {"direction": "rtl"}}}, "no such text"),
        ({"texts": {"en": {"name": {"other": "Join"}}}}, "must be one text"),
        ({"texts": {"en": {"count": {"one": "{n}"}}}}, "other"),
        ({"texts": {"en": {"position": "{n} of {total}"}}}, "must not have {total}"),
        ({"texts": {"en": {"join": "a" * 501}}}, "at most 500"),
        ({"texts": {"en": {"join": "a\u202eb"}}}, "bidirectional"),
        ({"texts": {"en": {"name": " "}}}, "en.name: must not consist only of spaces"),
        ({"texts": {one: {"text": "a" * 2000} for one in LANGUAGES}}, "at most 8192 bytes"),
        ({"fields": [{"name": "a", "label": "A"}] * 2}, "once"),
        ({"fields": [{"name": f"a{n}", "label": "A"} for n in range(11)]}, "at most 10"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_settings_that_no_page_can_have_are_refused(page: dict[str, Any], reason: str) -> None:
    """P5"""
    people = new_list(page=PAGE)
    answer = people.configure(page=page)
    assert (answer.status, answer.code) == (422, "invalid_request")
    assert all(one["field"].startswith("body.page") for one in answer.json["errors"])
    assert reason in answer.json["detail"]
    assert people.world.request("GET", people.path).json["page"] == SEEN


@pytest.mark.parametrize(
    "url",
    ["http://localhost", "http://127.0.0.1:8000/in?a=b", "http://[::1]:3000/", "https://x.example"],
)
def test_a_place_on_this_machine_needs_no_https(url: str) -> None:
    people = new_list(page={"enter_url": url})
    assert people.world.request("GET", people.path).json["page"]["enter_url"] == url


@pytest.mark.parametrize("part", ["", *(f"{part}-" for part in PARTS)])
def test_the_languages_have_the_same_texts(part: str) -> None:
    texts = {one: json.loads(files()[f"{part}{one}.json"].text) for one in LANGUAGES}
    served = {name for name in files() if re.fullmatch(rf"{part}[a-z]+\.json", name)}
    assert served == {f"{part}{language}.json" for language in LANGUAGES}
    for language, own in texts.items():
        assert list(own) == list(texts["en"]), language
        for key, text in own.items():
            forms = list(text.values()) if isinstance(text, dict) else [text]
            if isinstance(text, dict):
                assert set(text) == PLURALS[language], (language, key)
            expected = placeholders(texts["en"][key])
            # A plural form may use a word in place of the number, for example "one person".
            assert placeholders(text) == expected, (language, key)
            assert all(placeholders(form) <= expected for form in forms), (language, key)
        assert part or own["direction"] == ("rtl" if language == "ar" else "ltr")


def placeholders(text: str | dict[str, str]) -> set[str]:
    joined = text if isinstance(text, str) else " ".join(text.values())
    return set(re.findall(r"\{(\w+)\}", joined))


def test_the_page_has_the_patience_that_is_asked_of_every_client() -> None:
    client = files()["waitlist.js"].text
    numbers = dict(re.findall(r"^const (TIMEOUT_MS|TRIES) = ([\d_]+);", client, re.MULTILINE))
    assert int(numbers["TIMEOUT_MS"]) == PATIENT.timeout_seconds * 1000
    assert int(numbers["TRIES"]) == PATIENT.tries
    (statuses,) = re.findall(r"return \[0, ([\d, ]+)\]\.includes", client)
    assert {int(one) for one in statuses.split(", ")} == RETRIED_STATUSES


def test_every_text_that_the_page_says_exists() -> None:
    texts = json.loads(files()["en.json"].text)
    said = set()
    for name in ("waitlist-position.js", "words.js"):
        said |= set(
            re.findall(
                r"(?:say|#text|#button|#count|show)\('([\w.]+)'",
                files()[name].text,
            )
        )
    assert len(said) > 15
    assert said - set(texts) == set()
    for part in PARTS:
        own = set(re.findall(r"say\('([\w.]+)'", files()[f"{part}.js"].text))
        assert own - set(texts) - set(json.loads(files()[f"{part}-en.json"].text)) == set()
    states = set(re.findall(r"#heading\('(\w+)'\)", files()["waitlist-position.js"].text))
    assert {f"{state}.title" for state in states} <= set(texts)
