"""The story of a launch: the list opens, customers enter, decline, come late and exit."""

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
