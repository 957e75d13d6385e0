"""The tables that the call-centre demo prints."""

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table

from tools.demo.agents_queue import Queue
from tools.demo.agents_story import Agent, all_queues

Queues = Mapping[str, Queue]
EMPTY = Queue(0, ())


def print_agents(console: Console, title: str, agents: Mapping[Agent, str]) -> None:
    table = Table()
    for heading in ("Name", "Gender", "Languages", "Status"):
        table.add_column(heading)
    for agent, status in agents.items():
        table.add_row(agent.name, agent.gender, ", ".join(agent.languages), status)
    _print(console, title, table)


def print_change(
    console: Console, event: str, moved: str | None, before: Queues, after: Queues
) -> None:
    table = Table()
    table.add_column("Queue")
    table.add_column("Before")
    table.add_column("Depth", justify="right")
    table.add_column("After")
    table.add_column("Depth", justify="right")
    for name in all_queues():
        was, now = before.get(name, EMPTY), after.get(name, EMPTY)
        table.add_row(name, _named(was, moved), str(was.depth), _named(now, moved), str(now.depth))
    _print(console, event, table)


def _print(console: Console, title: str, table: Table) -> None:
    console.print(f"\n[bold]{title}[/]")
    console.print(table)


def _named(queue: Queue, moved: str | None) -> str:
    return ", ".join(
        f"[bold green]{agent}[/]" if agent == moved else agent for agent in queue.agents
    )
