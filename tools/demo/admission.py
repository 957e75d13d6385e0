"""`make demo-admission`: a launch for 2,000 people, by a rate and a limit of people inside."""

import argparse
import os
import secrets
import sys
import time
from collections.abc import Callable, Mapping, Sequence

from rich.console import Console
from rich.live import Live

from tools.demo.admission_launch import WORKERS, Launch, policy
from tools.demo.admission_picture import picture
from tools.demo.people import read_people
from tools.demo.queue import DemoQueue
from tools.local.api_client import ApiClient
from tools.local.http_server import HOST
from tools.local.settings import SettingError, Settings
from waitlist_cli.errors import CliError

LEAST_PEOPLE = 20
LONGEST_SECONDS = 300
BETWEEN_PICTURES = 0.25


def main(
    arguments: Sequence[str],
    environ: Mapping[str, str],
    console: Console,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> int:
    people = read_people()
    wanted = _wanted(arguments, len(people))
    try:
        url = environ.get("WAITLIST_URL") or f"http://{HOST}:{Settings.from_env(environ).port}"
        with ApiClient(url, connections=WORKERS) as client:
            queue = DemoQueue(client, f"launch-{secrets.token_hex(3)}", console, WORKERS)
            queue.open()
            signups = queue.sign_up(people[: wanted.people])
            launch = Launch(client, queue.waitlist_id, signups)
            play(launch, console, wanted.seconds, sleep, clock)
    except (CliError, SettingError) as error:
        return _explain(f"{error}\nCheck `make run`, then try again: make demo-admission")
    except KeyboardInterrupt:
        return _explain("Interrupted. To start again: make demo-admission")
    return 0


def play(
    launch: Launch,
    console: Console,
    longest_seconds: float,
    sleep: Callable[[float], None],
    clock: Callable[[], float],
) -> None:
    """Open the list, act for its customers, and pause it at the end."""
    people, last = len(launch.signups), launch.signups[-1]
    terms = policy(people)
    rate, max_inside = terms["rate"], terms["max_inside"]
    console.print(
        f"Rate: {rate['count']} a {rate['per']}. At most {max_inside} are inside or have an offer."
    )
    launch.configure()
    began = clock()
    with Live(console=console, auto_refresh=False) as live:
        while True:
            seconds = clock() - began
            view = launch.look(last)
            launch.step(seconds)
            stats = launch.stats()
            live.update(
                picture(people, max_inside, stats, launch.counts, view, seconds), refresh=True
            )
            if stats["waiting"] + stats["offered"] == 0 or seconds > longest_seconds:
                break
            sleep(BETWEEN_PICTURES)
    launch.configure(paused=True)
    console.print()
    console.print(
        f"{stats['admitted']} of {people} came in within {seconds:.0f} s. "
        f"{launch.counts['no-show']} did not come, {launch.counts['decline']} declined."
    )
    if remaining := stats["waiting"] + stats["offered"]:
        console.print(f"{remaining} wait or have an offer: the demo stops after --seconds.")
    console.print(f"The waitlist is {launch.waitlist_id}, now paused; the next run makes another.")


def _wanted(arguments: Sequence[str], most: int) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.demo.admission", description=__doc__)
    parser.add_argument(
        "--people", type=int, default=most, help=f"how many, {LEAST_PEOPLE} to {most}"
    )
    parser.add_argument(
        "--seconds", type=float, default=LONGEST_SECONDS, help="when it stops at the latest"
    )
    wanted = parser.parse_args(arguments)
    if not LEAST_PEOPLE <= wanted.people <= most:
        parser.error(f"--people must be {LEAST_PEOPLE} to {most}")
    return wanted


def _explain(message: str) -> int:
    print(message, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ, Console()))
