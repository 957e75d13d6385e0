"""Tests how the page of a customer far back in the queue learns their position.

If possible, the page reads the position from the board, a public snapshot of all positions that
caches may store. Otherwise, it asks the service for the customer's own entry.
"""

import json
from typing import Any

from playwright.sync_api import Page, Route

from tests.browser.conftest import NewContext
from tests.e2e.callers import Operator
from tests.support.board_rule import bounds

# This script runs the page's own module for reading the board, with simulated requests.
FOLLOW = """
async ([file, entry, board]) => {
  const { followBoard } = await import(file);
  const calls = [];
  const api = {
    skew: 0,
    board: async () => { calls.push('board'); return board; },
    look: async () => { calls.push('look'); return { position: 7, poll_after_seconds: 60 }; },
  };
  const found = await followBoard(api, entry);
  return [calls, found.position, found.poll_after_seconds];
}
"""
BOUNDS = """
async ([file, board, ranks]) => {
  const { boundsOn } = await import(file);
  return ranks.map((rank) => boundsOn(board, rank));
}
"""
CUTS = [[rank * 10, rank] for rank in range(1, 201)] + [[2050, 202], [3000, 204]]
BOARD = {"as_of": "2999-01-01T00:00:00.000Z", "total": 210, "cuts": CUTS, "isCached": True}


def open_client_module(page: Page, operator: Operator) -> str:
    operator.put({"name": "Bakery"})
    found: list[str] = []
    page.on("request", lambda request: found.append(request.url))
    page.goto(f"/w/{operator.waitlist_id}")
    page.get_by_role("button").first.wait_for()
    return next(url for url in found if url.endswith("/waitlist.js"))


def test_the_page_computes_the_bounds_from_the_board(
    new_context: NewContext, operator: Operator
) -> None:
    page = new_context().new_page()
    file = open_client_module(page, operator)
    ranks = [0, 9, 10, 15, 1995, 2000, 2049, 2050, 2999, 3000, 9999]
    found = page.evaluate(BOUNDS, [file, BOARD, ranks])
    cuts = [(rank, position) for rank, position in CUTS]
    expected = [list(bounds(cuts, 210, rank)) for rank in ranks]
    assert found == [None if pair == [0, 0] else pair for pair in expected]


def test_the_page_follows_a_board_from_a_cache(new_context: NewContext, operator: Operator) -> None:
    page = new_context().new_page()
    file = open_client_module(page, operator)

    def follow(board: dict[str, Any], **entry: Any) -> Any:
        waiting = {"status": "waiting", "rank": 2999, "position": 250, "ownAt": 9e15, "asOf": ""}
        return page.evaluate(FOLLOW, [file, {**waiting, **entry}, board])

    assert follow(BOARD) == [["board"], 203, 20]
    # The page ignores a board that is older than the position on the screen.
    assert follow(BOARD, asOf="2999-01-02T00:00:00.000Z") == [["board"], 250, 20]
    # People are admitted so fast that the entry will soon reach the head of the queue.
    assert follow(BOARD, position=300)[0] == ["board", "look"]
    # The page asks the service for the customer's own entry if, for example, the customer is almost
    # at the front, or the page has not asked for five minutes.
    assert follow(BOARD, position=200)[0] == ["look"]
    assert follow({**BOARD, "isCached": False})[0] == ["board", "look"]
    assert follow(BOARD, isCached=False)[0] == ["look"]
    assert follow(BOARD, rank=9)[0] == ["board", "look"]
    assert follow(BOARD, ownAt=0)[0] == ["look"]
    # The board does not say which customers cannot be admitted yet. Such a customer's page asks for
    # the entry once a minute.
    ninety_seconds_ago = page.evaluate("Date.now() - 90_000")
    assert follow(BOARD, ownAt=ninety_seconds_ago)[0] == ["board"]
    assert follow(BOARD, ownAt=ninety_seconds_ago, ready=False)[0] == ["look"]


def test_the_page_recognises_a_board_from_a_cache(
    new_context: NewContext, operator: Operator
) -> None:
    page = new_context().new_page()
    file = open_client_module(page, operator)

    def as_of_a_cache(route: Route) -> None:
        body = json.dumps({**BOARD, "isCached": None})
        route.fulfill(body=body, content_type="application/json", headers={"Age": "3"})

    read = """async ([file, name]) => {
      const { Api } = await import(file);
      return (await new Api(location.origin, name).board()).isCached;
    }"""
    assert page.evaluate(read, [file, operator.waitlist_id]) is False
    page.route("**/board", as_of_a_cache)
    assert page.evaluate(read, [file, operator.waitlist_id]) is True
