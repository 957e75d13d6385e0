"""Load test; the exit code is 1 if a promise was broken."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from tests.reliability.load.chart import picture
from tests.reliability.load.plan import Plan
from tests.reliability.load.progress import Shown
from tests.reliability.load.report import as_json, sentences_of, show
from tests.reliability.load.run import run
from tests.reliability.load.service import ServiceError
from waitlist_cli.errors import CliError

USUAL = Plan()


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)
    plan = Plan(
        clients=options.clients,
        seconds=options.seconds,
        operations=options.operations,
        private_concurrency=options.private,
        lease_seconds=options.lease,
        seed=options.seed,
    )
    try:
        with Shown(console) as shown:
            done = run(plan, shown.note)
    except (CliError, ServiceError) as error:
        print(error, file=sys.stderr)
        return 1
    show(console, done, sentences_of(done))
    if options.json:
        options.json.write_text(json.dumps(as_json(done), indent=2) + "\n", encoding="utf-8")
    if options.svg:
        options.svg.write_text(picture(done), encoding="utf-8")
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
