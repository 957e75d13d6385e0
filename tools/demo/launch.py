"""The story of a launch. A waitlist opens, and customers enter, decline, come too late or exit."""

from collections.abc import Callable

from rich.console import Console
from rich.live import Live

from tools.demo.launch_customers import Launch, policy
from tools.demo.launch_picture import picture

BETWEEN_PICTURES = 0.25


def play(
    launch: Launch,
    console: Console,
    longest_seconds: float,
    sleep: Callable[[float], None],
    clock: Callable[[], float],
) -> None:
    people, last = len(launch.signups), launch.signups[-1]
    terms = policy(people)
    rate, max_inside = terms["rate"], terms["max_inside"]
    console.print(
        f"Rate: {rate['count']} per {rate['per']}. "
        f"At most {max_inside} people are inside or have an offer."
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
        f"{stats['admitted']} of {people} people entered within {seconds:.0f} s. "
        f"{launch.counts['no-show']} did not show up, {launch.counts['decline']} declined."
    )
    if remaining := stats["waiting"] + stats["offered"]:
        console.print(
            f"{remaining} people are still waiting or have an offer, because --seconds ended the "
            "demo."
        )
    console.print(
        f"The waitlist {launch.waitlist_id} is now paused. The next run creates a new one."
    )
