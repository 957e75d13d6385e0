"""Runs the model checker.

The exit code is 1 if a case fails that is not one of the known failures. A stopped run can be
continued as long as the code has not changed.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from tests.reliability.model import operations
from tests.reliability.model.jobs import ALL_JOBS, KINDS, Shard, jobs, replay
from tests.reliability.model.progress import Progress
from tests.reliability.model.record import RECORDS, Record, commit_of_code
from tests.reliability.model.report import Report, text_of
from tests.reliability.model.workers import a_testbed, results_of


def main(arguments: Sequence[str] | None = None, folder: Path = RECORDS) -> int:
    options = _options(arguments)
    if options.replay:
        return _replayed(options.replay)
    try:
        return _searched(options, Record(folder, shard=options.shard))
    except KeyboardInterrupt:
        print("stopped: run the same command again to continue")
        return STOPPED


STOPPED = 130


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.model", description=__doc__)
    names = sorted(operations.BY_NAME)
    parser.add_argument("--only", choices=names, metavar="OPERATION", help=", ".join(names))
    parser.add_argument("--pairs", action="store_true", help="only pairs of operations")
    parser.add_argument("--singles", action="store_true", help="only single faults")
    parser.add_argument("--sequences", action="store_true", help="only two faults in sequence")
    parser.add_argument("--late", action="store_true", help="only late messages")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="number of processes")
    parser.add_argument(
        "--shard", type=_shard, default=ALL_JOBS, metavar="K/N", help="only the Kth of N parts"
    )
    parser.add_argument("--replay", metavar="CASE", help="only the case described by this line")
    return parser.parse_args(arguments)


def _shard(text: str) -> Shard:
    try:
        return Shard.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a shard such as 2/8") from error


def _replayed(line: str) -> int:
    with a_testbed() as testbed:
        result = replay(testbed, line)
    print(text_of(result) if result.problems else f"{result.case}: no problems")
    return bool(result.problems)


def _searched(options: argparse.Namespace, record: Record) -> int:
    wanted = {
        "pair": options.pairs,
        "single": options.singles,
        "sequence": options.sequences,
        "late": options.late,
    }
    kinds = tuple(kind for kind in KINDS if wanted[kind]) or KINDS
    work = options.shard.of(jobs(options.only, kinds))
    report, wanted_jobs = Report(), set(work)
    for done in record.done():
        if done.job in wanted_jobs:
            wanted_jobs.remove(done.job)
            report.note(done)
    if report.jobs:
        print(f"{report.jobs:,} of {len(work):,} jobs were done before, see {record.folder}")
    left = [job for job in work if job in wanted_jobs]
    progress = Progress(len(left))
    for done in results_of(left, options.workers):
        record.add(done)
        report.note(done)
        progress.note(done.cases, len(done.failing))
    is_whole = options.only is None and kinds == KINDS and options.shard.is_all
    repaired = report.repaired() if is_whole else []
    for line in report.lines():
        print(line)
    for name in repaired:
        print(f"no case fails for this cause any more, so remove it from known_failures.py: {name}")
    print(
        f"{progress.seconds:.0f} seconds now, {report.seconds:.0f} seconds of processor time in all"
    )
    what = "the whole search" if is_whole else "part of the search"
    print(f"{what}, on code {record.digest}, commit {commit_of_code()}")
    return bool(report.news or repaired)


if __name__ == "__main__":
    raise SystemExit(main())
