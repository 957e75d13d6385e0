"""Play a demo on a new waitlist of the running service, for `make demo`.

In the `queue` demo, 2,000 people join, some of them leave, and an operator moves others. In
`agents`, a call centre's callers are connected to agents who speak their language. In `launch`, a
waitlist admits people at a fixed rate, and some of them do not accept their offer.
"""

import argparse
import os
import secrets
import sys
import time
from collections.abc import Callable, Mapping, Sequence

from rich.console import Console

from tools.demo import agents, launch, queue_story
from tools.demo.agents_queue import AgentsQueue
from tools.demo.launch_customers import Launch
from tools.demo.people import read_people
from tools.demo.queue import DemoQueue
from tools.demo.queue_report import print_page
from tools.local.api_client import ApiClient
from tools.local.ports import HOST
from tools.local.settings import SettingError, Settings
from waitlist_cli.errors import CliError

STORIES = ("queue", "agents", "launch")
LEAST_PEOPLE = 20
LONGEST_SECONDS = 300
WORKERS = 32


def main(
    arguments: Sequence[str],
    environ: Mapping[str, str],
    console: Console,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> int:
    people = read_people()
    wanted = _wanted(arguments, len(people))
    again = f"run this again: make demo STORY={wanted.story}"
    try:
        url = environ.get("WAITLIST_URL") or f"http://{HOST}:{Settings.from_env(environ).port}"
        with ApiClient(url, connections=WORKERS) as client:
            waitlist_id = f"{wanted.story}-{secrets.token_hex(3)}"
            if wanted.story == "agents":
                agents.play(AgentsQueue(client, waitlist_id), console)
                return 0
            queue = DemoQueue(client, waitlist_id, console, WORKERS)
            queue.open()
            if wanted.story == "queue":
                queue_story.play(queue, people[: wanted.people], console)
                queue.begin_to_admit()
                print_page(console, url, waitlist_id)
            else:
                signups = queue.sign_up(people[: wanted.people])
                customers = Launch(client, waitlist_id, signups)
                launch.play(customers, console, wanted.seconds, sleep, clock)
    except CliError as error:
        return _explain(f"{error}\nCheck that `make run` is running, then {again}")
    except SettingError as error:
        return _explain(f"{error}. Correct the setting, then {again}")
    except KeyboardInterrupt:
        return _explain(f"Interrupted. To start over, {again}")
    return 0


def _wanted(arguments: Sequence[str], most: int) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.demo", description=__doc__)
    parser.add_argument("story", nargs="?", choices=STORIES, default=STORIES[0])
    parser.add_argument(
        "--people",
        type=int,
        default=most,
        help=f"how many people join, from {LEAST_PEOPLE} to {most}",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=LONGEST_SECONDS,
        help="stop the launch after this many seconds",
    )
    wanted = parser.parse_args(arguments)
    if not LEAST_PEOPLE <= wanted.people <= most:
        parser.error(f"--people must be from {LEAST_PEOPLE} to {most}")
    return wanted


def _explain(message: str) -> int:
    print(message, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ, Console()))
