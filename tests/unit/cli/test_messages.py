"""Tests of `waitlist messages` against the real service and a local mailbox."""

from tests.support.plain_http import plain_client
from tests.unit.cli.conftest import Bakery
from tests.unit.cli.fake_service import FakeService, answer
from tests.unit.cli.typed import Typed
from tools.local.operator import local_operator
from waitlist_api.messages.kinds import KIND_NAMES
from waitlist_api.settings.messages import LANGUAGES
from waitlist_cli.operations import messages


def turn_messages_on(bakery: Bakery) -> None:
    url = f"{bakery.typed.url}/v1/admin/waitlists/{bakery.waitlist_id}"
    texts = {"de": {"offered": {"text": "Die Torte für {name} ist da."}}}
    body = {"messages": {"kinds": ["joined", "offered"], "texts": texts}}
    with plain_client() as http:
        assert http.patch(url, json=body, auth=local_operator()).status_code == 200


def deliver_messages(bakery: Bakery) -> None:
    """Send the waiting messages. The local mailbox does this whenever it is read."""
    with plain_client() as http:
        assert http.get(f"{bakery.typed.url}/_local/mailbox.json").status_code == 200


def test_the_command_knows_the_kinds_and_languages_of_the_service() -> None:
    assert (messages.KINDS, messages.LANGUAGES) == (KIND_NAMES, LANGUAGES)


def test_messages_are_counted_listed_and_shown(typed: Typed, bakery: Bakery) -> None:
    name = bakery.waitlist_id
    assert typed.json("messages", name) == {"messages": None}
    turn_messages_on(bakery)
    bakery.sign_up("ada", profile={"email": "ada@example.com"})
    bakery.sign_up("bob")
    deliver_messages(bakery)
    assert typed.run("messages", name).split("\n")[1] == "joined\t1\t0\t1\t0"
    for who in (["ada"], ["--customer", "ada"]):
        (note,) = typed.json("messages", name, *who)["messages"]
        assert (note["kind"], note["channel"], note["state"]) == ("joined", "mail", "sent")
    assert typed.run("messages", name, "bob").strip().endswith("dropped: no address")

    (shown,) = typed.json("messages", "preview", name, "--kind", "offered", "--language", "de")[
        "messages"
    ]
    assert "Die Torte für Bakery ist da." in shown["text"]
    assert "\u2068" not in typed.run("messages", "preview", name, "--language", "ar")
    everything = typed.run("messages", "preview", name)
    assert "message, fr, 2 parts as SMS:" in everything
    assert everything.count(f"/w/{name}") == len(KIND_NAMES) * len(LANGUAGES)
    test = ("messages", "test", name, "--kind", "offered", "--language", "de")
    assert typed.run(*test, "--email", "me@example.org") == "The test message was sent.\n"
    result = typed(*test, "--phone", "me@example.org")
    assert (result.exit_code, "(invalid_request)" in result.stderr) == (1, True)
    with plain_client() as http:
        last = http.get(f"{bakery.typed.url}/_local/mailbox.json").json()["messages"]
    assert "Die Torte" in next(one["text"] for one in last if one["to"] == "me@example.org")
    assert typed(*test).exit_code == 2
    assert typed("messages", "preview").exit_code == 2
    assert typed("messages", name, "--kind", "left").exit_code == 2


def test_a_single_part_of_an_sms_is_counted_in_the_singular(fake: FakeService) -> None:
    shown = {"kind": "left", "language": "en", "sms_parts": 1, "subject": "Bye", "text": "Bye."}
    fake.script = [answer(200, {"messages": [shown]})]
    found = Typed(fake.url).run("messages", "preview", "bakery")
    assert found == "left, en, 1 part as SMS: Bye\n\nBye.\n"
