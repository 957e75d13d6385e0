"""A stranger who once signed a customer up has no power over the customer's own stay."""

from collections.abc import Callable

import pytest

from tests.service.acceptance.terms import Waitlist
from tests.support.admissions import Admissions
from tests.support.world import World

ENDINGS: dict[str, Callable[[Admissions], object]] = {
    "left": lambda desk: desk.leave("ann"),
    "removed": lambda desk: desk.remove("ann"),
    "erased": lambda desk: desk.erase("ann"),
    "admitted": lambda desk: desk.claim(complete=True),
}


def request(desk: Admissions, method: str, token: str) -> tuple[int, str | None]:
    answer = desk.world.request(method, desk.entry("ann"), token=token)
    return answer.status, answer.code


@pytest.mark.parametrize("returns", ["signup", "import"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_token_of_an_ended_stay_has_no_power_over_the_next(
    waitlist: Waitlist, world: World, ending: str, returns: str
) -> None:
    """Given a stay that ended, when the customer returns, then its token is refused. P5."""
    desk = waitlist("ann", "bob", rejoin="always")
    former = desk.entry_tokens["ann"]
    ENDINGS[ending](desk)
    world.maintain()
    if returns == "signup":
        assert desk.sign_up("ann", key="the-victims-own-key").status == 201
    else:
        assert desk.bring("ann", ended="rejoin").json["joined"] == 1
    world.maintain()
    for method in ("GET", "DELETE"):
        assert request(desk, method, former) == (403, "forbidden")
    assert desk.order() == ["bob", "ann"]
    assert request(desk, "GET", desk.token_of("ann"))[0] == 200
    world.redis.flushall()
    world.maintain()
    assert request(desk, "DELETE", former) == (403, "forbidden")
    assert desk.order() == ["bob", "ann"]
    assert request(desk, "DELETE", desk.token_of("ann"))[0] == 204


def test_a_token_has_no_power_in_a_list_that_was_made_again(
    waitlist: Waitlist, world: World
) -> None:
    """Given a deleted list, when it is made again and joined, then old tokens are refused. P5."""
    desk = waitlist("ann")
    former = desk.entry_tokens["ann"]
    assert desk.delete_waitlist().status == 204
    world.maintain()
    assert desk.configure().status == 201
    assert desk.sign_up("ann", key="the-victims-own-key").status == 201
    for method in ("GET", "DELETE"):
        assert request(desk, method, former) == (403, "forbidden")
    assert desk.order() == ["ann"]
