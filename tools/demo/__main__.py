"""`make demo`: 2,000 people join a waitlist of the running service, some leave, some are bumped."""

import argparse
import os
import secrets
import sys
import time
from collections.abc import Mapping, Sequence

from rich.console import Console

from tools.demo.people import Person, read_people
from tools.demo.queue import DemoQueue, Signup
from tools.demo.report import (
    Move,
    print_head_of_queue,
    print_moves,
    print_page,
    print_summary,
)
from tools.local.api_client import ApiClient
from tools.local.http_server import HOST
from tools.local.settings import SettingError, Settings
from waitlist_cli.errors import CliError

WORKERS = 32
LEAST_PEOPLE = 20
HEAD = 10


def main(arguments: Sequence[str], environ: Mapping[str, str], console: Console) -> int:
    people = read_people()
    count = _people_wanted(arguments, len(people))
    try:
        url = environ.get("WAITLIST_URL") or f"http://{HOST}:{Settings.from_env(environ).port}"
        with ApiClient(url, connections=WORKERS) as client:
            queue = DemoQueue(client, f"demo-{secrets.token_hex(3)}", console, WORKERS)
            play(queue, people[:count], console)
            queue.begin_to_admit()
            print_page(console, url, queue.waitlist_id)
    except (CliError, SettingError) as error:
        return _explain(str(error))
    except KeyboardInterrupt:
        return _explain("Interrupted.")
    return 0


def play(queue: DemoQueue, people: Sequence[Person], console: Console) -> None:
    """Run the demo and print each step."""
    queue.open()
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


def _people_wanted(arguments: Sequence[str], most: int) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.demo", description=__doc__)
    parser.add_argument(
        "--people", type=int, default=most, help=f"how many, {LEAST_PEOPLE} to {most}"
    )
    count: int = parser.parse_args(arguments).people
    if not LEAST_PEOPLE <= count <= most:
        parser.error(f"--people must be from {LEAST_PEOPLE} to {most}")
    return count


def _explain(message: str) -> int:
    print(message, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ, Console()))
