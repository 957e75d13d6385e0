"""Prints a load test's report: the responses and how long they took, the memory use, and any
problems found.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import quantiles

from rich.console import Console
from rich.table import Table

from tests.reliability.load.history import Attempt
from tests.reliability.load.launch import refusals
from tests.reliability.load.memory import MOST_GROWTH, STORES, Growth
from tests.reliability.load.people import people_of, totals
from tests.reliability.load.plan import LaunchPlan, Plan
from tests.reliability.load.run import Run
from tests.support.problem import Problem

EXAMPLES = 3
PERCENTILES = (50, 95, 99)


def show(console: Console, run: Run) -> None:
    console.print(_answers(run.history.attempts))
    console.print(_memory(run.growths))
    plan = run.plan
    own = _of_launch(run, plan) if isinstance(plan, LaunchPlan) else _of_overload(run, plan)
    for line in (*own, _counted(run)):
        console.print(line)
    for line in _wrongs(run.problems):
        console.print(f"[bold red]{line}[/]")
    console.print(_verdict(run))


def _verdict(run: Run) -> str:
    kinds = Counter(problem.kind for problem in run.problems)
    if not kinds:
        return "[green]Every promise was kept.[/]"
    counted = ", ".join(f"{kind} ({count})" for kind, count in kinds.most_common())
    return f"[bold red]Broken promises: {counted}.[/]"


def _wrongs(problems: Sequence[Problem]) -> Iterator[str]:
    by_kind: dict[str, list[Problem]] = {}
    for problem in problems:
        by_kind.setdefault(problem.kind, []).append(problem)
    for alike in by_kind.values():
        yield from map(str, alike[:EXAMPLES])
        if len(alike) > EXAMPLES:
            yield f"{alike[0].kind}: and {len(alike) - EXAMPLES:,} more"


def _of_overload(run: Run, plan: Plan) -> Iterator[str]:
    history = run.history
    unknown = sum(operation.outcome == "unknown" for operation in history.operations)
    yield (
        f"{plan.clients} clients, {plan.operators} of them operators, {run.seconds:.0f} s:"
        f" {len(history.attempts):,} requests for {len(history.operations):,} operations,"
        f" {len(history.attempts) / run.seconds:.0f} per second; {unknown:,} operations got no"
        " final response."
    )
    yield (
        f"The private function, limited to {plan.private_concurrency} calls at once, was throttled"
        f" {len(run.throttled):,} times."
    )


def _of_launch(run: Run, plan: LaunchPlan) -> Iterator[str]:
    done = [one for one in run.history.of("signup") if one.is_done]
    waited = [one.ended - run.came[one.person] for one in done]
    tries = [float(one.attempts) for one in run.history.of("signup")]
    by_kind = ", ".join(f"{n:,} {name}" for name, n in refusals(run.history.attempts).items())
    coming = max(run.came.values(), default=run.began) - run.began
    yield (
        f"{len(run.came):,} people arrived within {coming:.0f} s; {len(waited):,} got"
        f" in within {run.seconds:.0f} s, {len(waited) / run.seconds:.0f} per second."
    )
    half, most = percentiles(waited)[0], max(waited, default=0)
    yield f"Half of them were in after {half:.0f} s, and the last after {most:.0f} s."
    yield (
        f"{len(run.history.attempts):,} requests. Responses that asked for a retry: {by_kind}."
        f" Half of the people needed at most {percentiles(tries)[0]:.0f} attempts, and nobody"
        f" needed more than {max(tries, default=0):.0f}."
    )
    yield (
        f"Limits: {plan.signup_rate} signups per second, and {plan.public_concurrency} calls to the"
        f" public function and {plan.private_concurrency} to the private function at once. Machine"
        f" load: {run.loads[0]:.1f} before, {run.loads[1]:.1f} after."
    )


def _counted(run: Run) -> str:
    acknowledged = ", ".join(
        f"{count:,} {what}" for what, count in totals(people_of(run.history)).items()
    )
    stats = ", ".join(
        f"{run.final_state.stats[name]:,} {name}"
        for name in ("signed_up", "waiting", "left", "admitted")
    )
    return f"Acknowledged: {acknowledged}. Counted by the service: {stats}."


def _answers(attempts: Sequence[Attempt]) -> Table:
    table = Table(title="The service's responses and their latency in milliseconds")
    for heading in ("request", "response"):
        table.add_column(heading)
    for heading in ("count", *(f"{percent}%" for percent in PERCENTILES), "max"):
        table.add_column(heading, justify="right")
    by_answer: dict[tuple[str, str], list[float]] = {}
    for one in sorted(attempts, key=lambda one: (one.kind, one.status)):
        answer = f"{one.status or 'none'} {one.code}".strip()
        by_answer.setdefault((one.kind, answer), []).append(one.seconds)
    for (kind, answer), seconds in by_answer.items():
        table.add_row(kind, answer, f"{len(seconds):,}", *_millis(seconds))
    table.add_section()
    every = [one.seconds for one in attempts]
    table.add_row("all", "", f"{len(every):,}", *_millis(every))
    return table


def _millis(seconds: Sequence[float]) -> list[str]:
    return [f"{1000 * one:,.0f}" for one in (*percentiles(seconds), max(seconds, default=0))]


def percentiles(seconds: Sequence[float]) -> list[float]:
    if len(seconds) < 2:
        return [*seconds, 0.0][:1] * len(PERCENTILES)
    hundredths = quantiles(seconds, n=100, method="inclusive")
    return [hundredths[percent - 1] for percent in PERCENTILES]


def _memory(grown: Sequence[Growth]) -> Table:
    flat = f"`flat` means that memory grew by at most {MOST_GROWTH - 1:.0%} in the last third"
    table = Table(title=f"Megabytes per process. {flat}")
    table.add_column("part")
    for heading in ("second third", "last third", "growth"):
        table.add_column(heading, justify="right")
    table.add_column("verdict")
    for one in grown:
        judged = (
            "holds the stored data" if one.role in STORES else "flat" if one.is_flat else "grows"
        )
        growth = f"{one.ratio - 1:+.1%}"
        table.add_row(one.role, f"{one.before:.1f}", f"{one.after:.1f}", growth, judged)
    return table
