"""Run the benchmarks and print the results. A missed target does not change the exit code."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from redis import Redis
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from tools.bench.admission import AdmissionBench
from tools.bench.board import board_rows
from tools.bench.bullmq_peer import BullMQ
from tools.bench.cases import Bench, Case
from tools.bench.claims import ClaimBench
from tools.bench.imports import ImportBench
from tools.bench.log import lambda_log
from tools.bench.maintenance import RUNS, MaintenanceBench
from tools.bench.memory import weigh
from tools.bench.presence import PresenceBench
from tools.bench.public import PublicBench
from tools.bench.queue_client import Handler
from tools.bench.rebuild import RebuildBench
from tools.bench.report import as_json, show
from tools.bench.rounds import WARM_UP_ROUNDS
from tools.bench.secrecy import SecrecyBench
from tools.bench.server import bare_client, valkey
from tools.bench.server_time import ServerTimeBench
from tools.bench.sizes import FULL, QUICK, Sizes
from tools.bench.targets import Row
from tools.bench.wait import SCENARIOS, wait_rows


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    parser.add_argument(
        "part", nargs="?", choices=PARTS, help="the only part to run (default: all parts)"
    )
    parser.add_argument("--quick", action="store_true", help="only check that the benchmarks run")
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="also write the results to this file, as JSON"
    )
    options = parser.parse_args(arguments)
    console = Console(file=sys.stdout)
    if not console.is_terminal:
        console = Console(file=sys.stdout, width=120)
    parts = [options.part] if options.part else list(PARTS)
    with lambda_log() as log:
        rows = run(parts, QUICK if options.quick else FULL, console)
    console.print(f"The functions wrote {log.lines:,} lines.")
    show(console, rows)
    if options.quick:
        console.print("A quick run is too short for a verdict.")
    if options.json:
        options.json.write_text(json.dumps(as_json(rows), indent=2) + "\n", encoding="utf-8")


def run(parts: Sequence[str], sizes: Sizes, console: Console) -> list[Row]:
    """Each part of the benchmark starts its own Redis server."""
    columns = (TextColumn("{task.description:<32}"), BarColumn(), TimeElapsedColumn())
    # Rich must not redirect stdout, because the functions write their log lines there.
    with Progress(*columns, console=console, redirect_stdout=False) as progress:
        return [row for part in parts for row in PARTS[part](sizes, progress)]


def line(sizes: Sizes, progress: Progress) -> list[Row]:
    with valkey() as port:
        handler, bare = Handler(port), bare_client(port)
        rows = [_measured(make, progress, bare) for make in Bench(handler, bare, sizes).cases()]
        task = progress.add_task("memory", total=None)
        rows.extend(weigh(handler, bare, sizes.members_weighed))
        progress.update(task, total=1, completed=1)
    return rows


def claims(sizes: Sizes, progress: Progress) -> list[Row]:
    with valkey() as port, BullMQ(port) as peer:
        filling = progress.add_task("filling both queues", total=1)
        bench = ClaimBench(Handler(port), bare_client(port), peer, sizes)
        progress.update(filling, advance=1)
        rows = []
        for case in bench.cases():
            task = progress.add_task(case.name, total=WARM_UP_ROUNDS + case.rounds)
            rows.append(case.row(partial(progress.advance, task)))
        bench.check_admitted()
    return rows


def admission(sizes: Sizes, progress: Progress) -> list[Row]:
    with valkey() as port:
        handler, bare = Handler(port), bare_client(port)
        cases = AdmissionBench(handler, bare, sizes).cases()
        return [_measured(make, progress, bare) for make in cases]


def rebuild(sizes: Sizes, progress: Progress) -> list[Row]:
    with valkey() as port:
        task = progress.add_task("rebuilding queues", total=sizes.rebuilds + 1)
        bench = RebuildBench(Handler(port), bare_client(port), sizes)
        return bench.rows(partial(progress.advance, task))


def maintenance(sizes: Sizes, progress: Progress) -> list[Row]:
    with valkey() as port:
        task = progress.add_task("maintaining many lists", total=RUNS + 1)
        return MaintenanceBench(port, sizes).rows(partial(progress.advance, task))


def imports(sizes: Sizes, progress: Progress) -> list[Row]:
    rounds = WARM_UP_ROUNDS + sizes.import_rounds
    task = progress.add_task("importing", total=rounds + 1)
    with ImportBench(sizes) as bench:
        return bench.rows(partial(progress.advance, task))


def public(sizes: Sizes, progress: Progress) -> list[Row]:
    with valkey() as port:
        task = progress.add_task("public function", total=2 * sizes.public_rounds + sizes.starts)
        return PublicBench(Handler(port), sizes).rows(partial(progress.advance, task))


def secrecy(sizes: Sizes, progress: Progress) -> list[Row]:
    with valkey() as port:
        task = progress.add_task("known and unknown addresses", total=5 * sizes.pairs)
        return SecrecyBench(Handler(port), sizes).rows(partial(progress.advance, task))


def wait(sizes: Sizes, progress: Progress) -> list[Row]:
    task = progress.add_task("simulated lists", total=len(SCENARIOS))
    return wait_rows(sizes, partial(progress.advance, task))


def board(sizes: Sizes, progress: Progress) -> list[Row]:
    with valkey() as port:
        task = progress.add_task("boards", total=len(sizes.boards))
        advance = partial(progress.advance, task)
        return list(board_rows(Handler(port), bare_client(port), sizes, advance))


def server_time(sizes: Sizes, progress: Progress) -> list[Row]:
    with valkey() as port:
        task = progress.add_task("time of the server", total=5 * sizes.server_rounds)
        bench = ServerTimeBench(Handler(port), bare_client(port), sizes)
        return list(bench.rows(partial(progress.advance, task)))


def presence(sizes: Sizes, progress: Progress) -> list[Row]:
    with valkey() as port:
        task = progress.add_task("people who have gone away", total=4 * sizes.server_rounds)
        bench = PresenceBench(Handler(port), bare_client(port), sizes)
        return list(bench.rows(partial(progress.advance, task)))


PARTS = {
    "line": line,
    "claims": claims,
    "admission": admission,
    "rebuild": rebuild,
    "maintenance": maintenance,
    "imports": imports,
    "public": public,
    "secrecy": secrecy,
    "wait": wait,
    "board": board,
    "server": server_time,
    "presence": presence,
}


def _measured(make: Callable[[], Case], progress: Progress, bare: Redis) -> Row:
    task = progress.add_task("filling a queue", total=None)
    case = make()
    progress.update(task, description=case.name, total=WARM_UP_ROUNDS + case.rounds)
    row = case.row(lambda: progress.advance(task))
    bare.flushall()
    return row


if __name__ == "__main__":
    main()
