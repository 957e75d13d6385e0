import threading
from functools import partial

from tests.e2e.processes import wait_until
from tools.local.slots import Slots


def test_as_many_as_there_are_may_have_one() -> None:
    slots = Slots(2)
    assert [slots.take(0), slots.take(0), slots.take(0)] == [True, True, False]
    slots.give()
    assert [slots.take(0), slots.take(0)] == [True, False]


def test_whoever_waits_longest_is_next_and_nobody_overtakes() -> None:
    slots, served = Slots(1), list[str]()

    def waiting(count: int) -> bool:
        return len(slots._waiting) == count

    def is_served(count: int) -> bool:
        return len(served) == count

    assert slots.take(0)

    def wait(name: str) -> None:
        assert slots.take(60)
        served.append(name)

    waiters = []
    for number, name in enumerate(["ada", "bob", "eve"], start=1):
        waiters.append(threading.Thread(target=wait, args=(name,)))
        waiters[-1].start()
        wait_until(partial(waiting, number))
    for number in range(1, 4):
        slots.give()
        assert not slots.take(0), "the slot is the waiter's, not that of whoever comes now"
        wait_until(partial(is_served, number))
    for waiter in waiters:
        waiter.join()
    assert served == ["ada", "bob", "eve"]


def test_whoever_has_given_up_is_given_nothing() -> None:
    slots = Slots(1)
    assert slots.take(0)
    assert not slots.take(0.01)
    slots.give()
    assert slots.take(0)
