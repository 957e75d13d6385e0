"""`python -m proof`: runs every case; ends with 1 if one fails for a reason that is not known."""

import argparse
from collections.abc import Sequence

from proof import operations
from proof.jobs import jobs, replay
from proof.known import KNOWN
from proof.progress import Progress
from proof.report import Report, told
from proof.workers import a_stage, results_of


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    return _replayed(options.replay) if options.replay else _searched(options)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m proof", description=__doc__)
    names = sorted(operations.BY_NAME)
    parser.add_argument("--only", choices=names, metavar="OPERATION", help=", ".join(names))
    parser.add_argument("--pairs", action="store_true", help="only pairs of operations")
    parser.add_argument("--singles", action="store_true", help="only single faults")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes")
    parser.add_argument("--replay", metavar="CASE", help="only the case of this line")
    return parser.parse_args(arguments)


def _replayed(line: str) -> int:
    with a_stage() as stage:
        result = replay(stage, line)
    print(told(result) if result.problems else f"{result.case}: nothing is wrong")
    return bool(result.problems)


def _searched(options: argparse.Namespace) -> int:
    work = jobs(options.only, with_pairs=not options.singles, with_singles=not options.pairs)
    report, progress = Report(), Progress(len(work))
    for is_end, results in results_of(work, options.workers):
        for result in results:
            report.note(result)
        progress.note(len(results), is_job_done=is_end)
    is_whole = not (options.only or options.pairs or options.singles)
    repaired = report.repaired() if is_whole else []
    for line in report.lines():
        print(line)
    for name in repaired:
        print(f"no case fails any more: take it off the list of {len(KNOWN)} in known.py: {name}")
    print(f"{progress.seconds:.0f} seconds")
    return bool(report.news or repaired)


if __name__ == "__main__":
    raise SystemExit(main())
