"""`make load`: a launch; the exit code is 1 if a promise was broken."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from tests.reliability.load.__main__ import carried_out, positive
from tests.reliability.load.launch.chart import picture
from tests.reliability.load.launch.plan import LaunchPlan
from tests.reliability.load.launch.report import as_json, sentences_of
from tests.reliability.load.launch.run import run

USUAL = LaunchPlan()


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    plan = LaunchPlan(
        people=options.people,
        within_seconds=options.within,
        signup_rate=options.rate,
        public=options.public,
        private=options.private,
        connections=options.connections,
        most_seconds=options.most,
        seed=options.seed,
    )
    return carried_out(options, lambda note: run(plan, note), sentences_of, as_json, picture)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.reliability.load.launch", description=__doc__
    )

    def number(name: str, usual: float, meaning: str, metavar: str = "N") -> None:
        parser.add_argument(
            name, type=positive, default=usual, metavar=metavar, help=f"{meaning}; usual: {usual:g}"
        )

    number("--people", USUAL.people, "who come")
    number("--within", USUAL.within_seconds, "until the last comes", "S")
    number("--rate", USUAL.signup_rate, "signups a second that the API lets pass")
    number("--public", USUAL.public, "calls of the public function at once")
    number("--private", USUAL.private, "calls of the private function at once")
    number("--connections", USUAL.connections, "of all people together")
    number("--most", USUAL.most_seconds, "after which no other customer gets in", "S")
    parser.add_argument("--seed", type=int, default=USUAL.seed, metavar="N", help="of the pauses")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the numbers here")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="also draw the launch here")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
