"""Load test; the exit code is 1 if a promise was broken."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from rich.console import Console

from tests.reliability.load.chart import picture
from tests.reliability.load.plan import Plan
from tests.reliability.load.progress import Shown
from tests.reliability.load.report import as_json, sentences_of, show
from tests.reliability.load.run import Measured, Note, run
from tests.reliability.load.service import ServiceError
from waitlist_cli.errors import CliError

USUAL = Plan()
M = TypeVar("M", bound=Measured)


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    plan = Plan(
        clients=options.clients,
        seconds=options.seconds,
        operations=options.operations,
        private_concurrency=options.private,
        lease_seconds=options.lease,
        seed=options.seed,
    )
    return carried_out(options, lambda note: run(plan, note), sentences_of, as_json, picture)


def carried_out(
    options: argparse.Namespace,
    measure: Callable[[Note], M],
    sentences: Callable[[M], Iterable[str]],
    numbers: Callable[[M], object],
    drawing: Callable[[M], str],
) -> int:
    """Measure, print and write what `options` ask for; return the exit code."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)
    try:
        with Shown(console) as shown:
            done = measure(shown.note)
    except (CliError, ServiceError) as error:
        print(error, file=sys.stderr)
        return 1
    show(console, done, sentences(done))
    if options.json:
        options.json.write_text(json.dumps(numbers(done), indent=2) + "\n", encoding="utf-8")
    if options.svg:
        options.svg.write_text(drawing(done), encoding="utf-8")
    return bool(done.problems)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.load", description=__doc__)
    add = parser.add_argument
    add("--clients", type=positive, default=USUAL.clients, metavar="N", help="at once")
    add("--seconds", type=positive, default=USUAL.seconds, metavar="S", help="of load")
    add(
        "--operations",
        type=positive,
        metavar="N",
        help="end the load by their number, not by time",
    )
    add(
        "--private",
        type=positive,
        default=USUAL.private_concurrency,
        metavar="N",
        help="calls of the private function at once",
    )
    add("--lease", type=positive, default=USUAL.lease_seconds, metavar="S", help="of a claim")
    add("--seed", type=int, default=USUAL.seed, metavar="N", help="of what clients do")
    add("--json", type=Path, metavar="FILE", help="also write the numbers here")
    add("--svg", type=Path, metavar="FILE", help="also draw the run here")
    return parser.parse_args(arguments)


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} must be 1 or more")
    return number


if __name__ == "__main__":
    raise SystemExit(main())
