"""The console shows an overview of all waitlists and, for each waitlist, a page that refreshes
itself.
"""

import re

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.console.opened import Opened, readable
from tests.unit.cli.fake_service import FakeService, answer, problem


def test_the_overview_shows_all_lists_with_their_state(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob")
    row = console.row_of(bakery.waitlist_id)
    assert row.startswith(f"Bakery {bakery.waitlist_id} open 2")


def test_the_overview_says_whether_the_service_answers(scripted: Opened, fake: FakeService) -> None:
    lists = answer(200, {"waitlists": [], "cursor": None})
    stores = {"status": "degraded", "queue": "unavailable", "record": "ok"}
    fake.script = [lists, answer(200, stores)]
    text = scripted.text("/")
    assert re.search(r"Health: status degraded, queue unavailable, record ok; \d+ ms", text)
    assert "authorization" not in fake.requests[-1][2]
    fake.script = [lists, problem(503, "unavailable", "Busy. Try later.")]
    assert "Health: Busy. Try later." in scripted.text("/")


def test_a_list_shows_its_numbers_and_the_head_of_its_queue(
    console: Opened, bakery: Bakery
) -> None:
    bakery.sign_up("ada", "bob", profile={"name": "Zoé"})
    text = console.text(f"/lists/{bakery.waitlist_id}")
    assert "Waiting 2 Offered 0 Inside 0 Set aside 0" in text
    assert "Admits: by hand only" in text
    assert re.search(r"1 Zoé ada 0 \d+ s 2 Zoé bob", text)


def test_a_page_that_polls_gets_only_its_content(console: Opened, bakery: Bakery) -> None:
    path = f"/lists/{bakery.waitlist_id}"
    whole, part = console.page(path), console.part(path)
    assert f'hx-get="{path}" hx-trigger="every 5s, refresh from:body"' in whole
    assert "<html" not in part.text
    assert readable(part.text)[:20] in readable(whole)


def test_a_list_is_paused_resumed_closed_and_opened(console: Opened, bakery: Bakery) -> None:
    path = f"/lists/{bakery.waitlist_id}"
    for action, state in (
        ("pause", "paused"),
        ("resume", "open"),
        ("close", "closed"),
        ("open", "open"),
    ):
        assert "Bakery" in console.text(f"{path}/do/{action}")
        console.submit(f"{path}/do/{action}")
        assert f'<span class="state {state}">' in console.page(path)


def test_charts_get_columns_of_counts(console: Opened, bakery: Bakery) -> None:
    columns = console.browser.get(f"/lists/{bakery.waitlist_id}/charts?period=day").json()
    assert columns["step"] == 600
    assert {len(columns[name]) for name in columns if name != "step"} == {len(columns["at"])}
    refused = console.browser.get(f"/lists/{bakery.waitlist_id}/charts?period=year")
    assert (refused.status_code, "hour, day, week" in refused.text) == (422, True)


def test_an_unknown_list_is_an_error_with_a_reason(console: Opened) -> None:
    answer = console.browser.get("/lists/nowhere")
    assert (answer.status_code, "waitlist_not_found" in answer.text) == (404, True)
    answer = console.browser.get("/lists/No%20id")
    assert (answer.status_code, "is not a waitlist id" in readable(answer.text)) == (422, True)


def test_a_list_is_deleted_only_after_its_id_is_typed(console: Opened, bakery: Bakery) -> None:
    path = f"/lists/{bakery.waitlist_id}/do/delete"
    assert "deleted for good" in console.text(path)
    assert bakery.waitlist_id in console.submit_refused(path, id="bakery")
    assert bakery.line() == []
    assert f"{bakery.waitlist_id} is deleted." in console.submit(path, id=bakery.waitlist_id)
    assert console.browser.get(f"/lists/{bakery.waitlist_id}").status_code == 404
