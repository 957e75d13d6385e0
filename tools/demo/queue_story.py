"""The story of a queue: people join, some leave, and an operator moves others."""

import time
from collections.abc import Sequence

from rich.console import Console

from tools.demo.people import Person
from tools.demo.queue import DemoQueue, Signup
from tools.demo.queue_report import Move, print_head_of_queue, print_moves, print_summary

HEAD = 10


def play(queue: DemoQueue, people: Sequence[Person], console: Console) -> None:
    began = time.monotonic()
    signups = queue.sign_up(people)
    seconds = time.monotonic() - began
    count = len(signups)
    to_front, by_places, unmoved = signups[count * 9 // 10], signups[count * 6 // 10], signups[-1]
    watched = [to_front, by_places, unmoved]
    before = queue.positions(watched)
    others = [signup for signup in signups if signup not in watched]
    queue.leave(others[::20])
    queue.bump(others[10::100], priority=1)
    queue.bump([by_places], places=count // 4)
    queue.bump([to_front], to="front")
    events = [
        "to the front of priority 0",
        f"bumped by {count // 4} places",
        "others left",
    ]
    print_head_of_queue(console, queue.head(HEAD))
    print_moves(console, _moves(watched, events, before, queue.positions(watched)))
    print_summary(console, queue.waitlist_id, queue.stats(), seconds)


def _moves(
    watched: Sequence[Signup],
    events: Sequence[str],
    before: Sequence[int],
    after: Sequence[int],
) -> list[Move]:
    rows = zip(watched, events, before, after, strict=True)
    return [Move(signup.person.name, what, was, now) for signup, what, was, now in rows]
