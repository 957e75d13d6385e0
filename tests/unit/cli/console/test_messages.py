"""The console shows the messages to a waitlist's people, and the messages to one person."""

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.console.opened import Opened
from tests.unit.cli.test_messages import deliver_messages, turn_messages_on
from waitlist_cli.client.ids import entry_id_of


def test_messages_are_previewed_and_counted(console: Opened, bakery: Bakery) -> None:
    path = f"/lists/{bakery.waitlist_id}/messages"
    assert "The list sends no messages." in console.text(path)
    turn_messages_on(bakery)
    bakery.sign_up("ada", profile={"email": "ada@example.com"})
    deliver_messages(bakery)
    person = f"/lists/{bakery.waitlist_id}/people/{entry_id_of(bakery.waitlist_id, 'ada')}"
    assert "joined mail sent" in console.text(person)
    assert "The person has a place yes 1 0 0 0" in console.text(path)
    shown = console.text(f"{path}?kind=offered&language=de")
    assert "Die Torte für Bakery ist da." in shown
    assert "is billed as 1 part." in shown
    arabic = console.page(f"{path}?language=ar")
    assert 'dir="rtl"' in arabic
    assert arabic.count("<bdi>Bakery</bdi>") == 3, "the heading, the subject and the text"
    you = {"kind": "offered", "language": "de", "to": "me@example.org"}
    assert console.send(f"{path}/test", **you).headers["HX-Redirect"].startswith(path)
    assert "The message has been sent to you." in console.text(path)
    assert "must be an email address" in console.submit_refused(
        f"{path}/test", **{**you, "to": "a@b"}
    )
    assert console.browser.get(f"{path}?kind=none").status_code == 422


def test_an_operator_chooses_the_messages_of_a_list(console: Opened, bakery: Bakery) -> None:
    path = f"/lists/{bakery.waitlist_id}/messages"
    words = "de.offered.text: Die Torte\\nist da.\nen.offered.button: Come: in"
    chosen = {"kind": "offered", "near": "5", "language": "de", "texts": words}
    assert "The message settings were saved." in console.submit(
        path, **chosen, timezone="Europe/Berlin"
    )
    found = bakery.typed.json("show", bakery.waitlist_id)["messages"]
    assert (found["kinds"], found["near"], found["language"]) == (["offered"], 5, "de")
    assert found["texts"]["de"]["offered"]["text"] == "Die Torte\nist da."
    assert found["texts"]["en"]["offered"]["button"] == "Come: in"
    sms = (found["sms_countries"], found["sms_number_types"], found["sms_parts_per_day"])
    assert (*sms, found["mails_per_day"]) == ([], ["mobile"], None, None)
    page = console.page(path)
    assert 'value="offered" checked' in page
    assert 'value="joined" checked' not in page
    assert f">{words}</textarea>" in page
    assert "en.offered.subject" in console.submit_refused(path, **{**chosen, "texts": "offered: x"})
    wrong = console.submit_refused(path, **{**chosen, "texts": "en.offered.subject: {who}"})
    assert "{who}" in wrong
    console.submit(path, **{**chosen, "texts": ""})
    assert bakery.typed.json("show", bakery.waitlist_id)["messages"]["texts"] == {}
    sms_settings = {
        "sms_countries": "de, AT",
        "number_type": "fixed_line",
        "sms_parts_per_day": "300",
        "mails_per_day": "2000",
    }
    console.submit(path, **chosen, **sms_settings)
    found = bakery.typed.json("show", bakery.waitlist_id)["messages"]
    sms = (found["sms_countries"], found["sms_number_types"], found["sms_parts_per_day"])
    assert (*sms, found["mails_per_day"]) == (["DE", "AT"], ["fixed_line"], 300, 2000)
    page = console.page(path)
    assert 'value="DE, AT"' in page
    assert 'value="fixed_line" checked' in page
    assert "messages.sms_countries.0" in console.submit_refused(path, **chosen, sms_countries="XX")
    console.submit(path, near="5")
    assert bakery.typed.json("show", bakery.waitlist_id)["messages"] is None


def test_people_without_messages_are_counted_listed_and_exported(
    console: Opened, bakery: Bakery
) -> None:
    turn_messages_on(bakery)
    ada, _ = bakery.sign_up("ada", "bob")
    path = f"/lists/{bakery.waitlist_id}"
    assert "Messages off" not in console.text(f"{path}/people")
    bakery.turn_messages_off(ada)
    assert "Messages off 1" in console.text(path)
    assert "Messages off 1" in console.text(f"{path}/people")
    listed = console.text(f"{path}/people?status=messages_off&since=1h")
    assert ("ada waiting" in listed, "bob" in listed) == (True, False)
    assert "turned off by the customer" in console.text(f"{path}/people/{ada['entry_id']}")
    exported = bakery.typed.run("export", bakery.waitlist_id, "--status", "messages_off")
    assert ("ada" in exported, "bob" in exported) == (True, False)


def test_a_wrong_setting_is_refused_at_its_field(console: Opened, bakery: Bakery) -> None:
    path = f"/lists/{bakery.waitlist_id}/messages"
    refused = console.send(path, kind="left", sms_countries="de, Germany")
    says = "GERMANY is not a country code. Write two letters for each country, such as DE."
    assert f'data-field="sms_countries" data-says="{says}"' in refused.text
    refused = console.send(path, kind="left", timezone="Berlin")
    assert 'data-field="body.timezone"' in refused.text
