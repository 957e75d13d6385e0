"""The command line shows and changes the settings of the customer page."""

import json
from pathlib import Path

from tests.unit.cli.conftest import Bakery

FIELDS = [{"name": "email", "label": "Email", "type": "email", "required": True}]


def test_the_customers_page_is_set_shown_changed_and_removed(
    bakery: Bakery, tmp_path: Path
) -> None:
    file = tmp_path / "fields.json"
    file.write_text(json.dumps(FIELDS), "utf-8")
    name = bakery.waitlist_id
    assert "page\tthe name alone\n" in bakery.typed.run("show", name)
    bakery.typed.run("page", name, "--text", "Fresh bread", "--fields", str(file))
    bakery.typed.run("page", name, "--colour", "#0b6e4f", "--enter", "http://localhost:1/")
    bakery.typed.run("page", name, "--colour", "")
    shown = bakery.typed.json("page", name)
    assert shown["address"] == bakery.typed.json("show", name)["page_url"]
    assert shown["address"].endswith(f"/w/{name}")
    page = shown["page"]
    assert (page["text"], page["colour"]) == ("Fresh bread", None)
    assert (page["fields"][0]["name"], page["enter_url"]) == ("email", "http://localhost:1/")
    assert "fields\temail\n" in bakery.typed.run("page", name)
    (tmp_path / "texts.json").write_text('{"en": {"join": "Come in", "no": "No"}}', "utf-8")
    bakery.typed.run("page", name, "--texts", str(tmp_path / "texts.json"), "--index")
    (tmp_path / "texts.json").write_text('{"en": {"join": "Come in"}}', "utf-8")
    bakery.typed.run("page", name, "--texts", str(tmp_path / "texts.json"))
    page = bakery.typed.json("page", name)["page"]
    assert (page["texts"], page["index"]) == ({"en": {"join": "Come in"}}, True)
    bakery.typed.run("page", name, "--texts", "", "--no-index")
    assert "page\ttext, fields, enter_url\n" in bakery.typed.run("show", name)
    bakery.typed.run("page", name, "--off")
    assert bakery.typed.json("page", name)["page"] is None


def test_the_counted_sources_are_set_and_removed(bakery: Bakery, tmp_path: Path) -> None:
    file = tmp_path / "fields.json"
    file.write_text(json.dumps([{"name": "utm_source", "label": "S", "type": "hidden"}]), "utf-8")
    name = bakery.waitlist_id
    words = ("--source", "utm_source", "--sources", "newsletter, instagram")
    bakery.typed.run("page", name, "--fields", str(file), *words)
    page = bakery.typed.json("page", name)["page"]
    assert (page["source"], page["sources"]) == ("utm_source", ["newsletter", "instagram"])
    bakery.typed.run("page", name, "--source", "")
    page = bakery.typed.json("page", name)["page"]
    assert (page["source"], page["sources"]) == (None, [])


def test_changing_other_settings_keeps_the_page(bakery: Bakery) -> None:
    """`pause` sends all the waitlist's settings, but leaves those of the customer page unchanged
    (promise P5).
    """
    bakery.typed.run("page", bakery.waitlist_id, "--text", "Fresh bread")
    before = bakery.typed.json("page", bakery.waitlist_id)
    bakery.typed.run("pause", bakery.waitlist_id)
    bakery.typed.run("policy", bakery.waitlist_id, "--rate", "5/minute")
    assert bakery.typed.json("page", bakery.waitlist_id) == before


def test_a_refused_page_setting_is_explained(bakery: Bakery, tmp_path: Path) -> None:
    name = bakery.waitlist_id
    (tmp_path / "fields.json").write_text("[", "utf-8")
    for words, reason in (
        (("--colour", "green"), "#rrggbb"),
        (("--logo", "http://example.com/logo.svg"), "https"),
        (("--enter", "javascript:alert(1)"), "https"),
        (("--fields", str(tmp_path / "fields.json")), "is not JSON"),
        (("--fields", str(tmp_path / "none.json")), "cannot be read"),
        (("--off", "--text", "x"), "Do not combine"),
    ):
        result = bakery.typed("page", name, *words)
        assert result.exit_code != 0
        assert reason in result.stderr, result.stderr
    assert bakery.typed.json("page", name)["page"] is None
