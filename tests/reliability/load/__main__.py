"""Runs the `overload` or `launch` load test. The exit code is 1 if the service broke one of its
promises.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import fields

from rich.console import Console

from tests.reliability.load.plan import LaunchPlan, Plan
from tests.reliability.load.progress import Shown
from tests.reliability.load.report import show
from tests.reliability.load.run import run
from tests.reliability.load.service import ServiceError
from waitlist_cli.errors import CliError

PLANS: dict[str, type[Plan] | type[LaunchPlan]] = {"overload": Plan, "launch": LaunchPlan}


def main(arguments: Sequence[str] | None = None) -> int:
    options = vars(_parser().parse_args(arguments))
    plan = PLANS[options.pop("which")](**options)
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)
    try:
        with Shown(console) as shown:
            done = run(plan, shown.note)
    except (CliError, ServiceError) as error:
        print(error, file=sys.stderr)
        return 1
    show(console, done)
    return bool(done.problems)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.load", description=__doc__)
    parsers = parser.add_subparsers(dest="which", required=True)
    for name, plan in PLANS.items():
        own = parsers.add_parser(name)
        for one in fields(plan):
            if "help" in one.metadata:
                own.add_argument(
                    f"--{one.name.replace('_', '-')}",
                    type=positive,
                    default=one.default,
                    metavar="N",
                    help=f"{one.metadata['help']}; default: {one.default}",
                )
    return parser


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} must be 1 or more")
    return number


if __name__ == "__main__":
    raise SystemExit(main())
