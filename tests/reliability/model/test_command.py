"""Tests for the command-line options of `python -m tests.reliability.model`."""

import subprocess
import sys
from itertools import chain, combinations_with_replacement
from pathlib import Path

import psutil
import pytest

from tests.reliability.model.__main__ import main
from tests.reliability.model.jobs import Shard, jobs, parse
from tests.reliability.model.known_failures import KNOWN_FAILURES
from tests.reliability.model.operations import OPERATIONS, Operation
from tests.reliability.model.record import Done, Record, digest_of_code
from tests.reliability.model.scenarios import QUESTION
from tests.support.redis_servers import await_that

GOOD = "leave / waiting / crash after / step 1 / retries"
LONG_SEARCH = """
from tests.reliability.model.jobs import jobs
from tests.reliability.model.workers import results_of
for _ in results_of(jobs("look", ("single",)) * 1_000, workers=2):
    print(flush=True)
"""
LATE = "exit / inside / late after the next stay's admission / step 2 / a copy follows"
IN_SEQUENCE = "leave / waiting / crash after / step 1 / then Redis 2 behind / step 3"


@pytest.mark.parametrize(
    "line", [GOOD, IN_SEQUENCE, LATE, *(known.example for known in KNOWN_FAILURES)]
)
def test_the_name_of_a_case_is_the_line_that_replays_it(line: str) -> None:
    assert str(parse(line)) == line


def test_a_good_case_is_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--replay", GOOD]) == 0
    assert capsys.readouterr().out == f"{GOOD}: no problems\n"


def test_a_failing_case_shows_its_problems(capsys: pytest.CaptureFixture[str]) -> None:
    known = next(
        one
        for one in KNOWN_FAILURES
        if one.name == "an admission or a decline that an erasure has overtaken is counted"
    )
    assert main(["--replay", known.example]) == 1
    assert "counter: signed_up, left, admitted" in capsys.readouterr().out


def test_a_stopped_search_is_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record, work = Record(tmp_path), jobs("look", ("single",))
    for job in work:
        record.add(Done(job, cases=7))
    with record.path.open("a") as file:
        file.write('{"job": cut off')
    assert main(["--only", "look", "--singles"], tmp_path) == 0
    printed = capsys.readouterr().out
    assert f"{len(work)} of {len(work)} jobs were done before" in printed
    assert f"{7 * len(work)} cases in {len(work)} jobs" in printed


def test_each_job_belongs_to_exactly_one_shard() -> None:
    shards = [Shard(number, 8) for number in range(1, 9)]
    work = jobs()
    parts = [shard.of(work) for shard in shards]
    assert sorted(map(str, chain(*parts))) == sorted(map(str, jobs()))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_a_search_after_all_shards_only_reports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the CI workflow, several jobs check one shard each. The last job only reports the results
    of all shards.
    """
    work = jobs("look", ("single",))
    for shard in (Shard(1, 2), Shard(2, 2)):
        for job in shard.of(work):
            Record(tmp_path, shard=shard).add(Done(job, cases=7))
        assert main(["--only", "look", "--singles", "--shard", str(shard)], tmp_path) == 0
    capsys.readouterr()
    assert main(["--only", "look", "--singles"], tmp_path) == 0
    assert f"{7 * len(work)} cases in {len(work)} jobs" in capsys.readouterr().out
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("text", ["3/2", "0/2", "2", "a/b", "1/0"])
def test_an_invalid_shard_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--shard", text])
    assert "is not a shard such as 2/8" in capsys.readouterr().err


def test_a_search_that_is_killed_leaves_no_worker_behind() -> None:
    environment = {"PYTHONPATH": ":".join(sys.path)}
    command = [sys.executable, "-c", LONG_SEARCH]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as search:
        assert search.stdout is not None
        search.stdout.readline()
        below = psutil.Process(search.pid).children(recursive=True)
        assert len(below) > 1
        search.kill()
        try:
            await_that(lambda: not any(map(_runs, below)), seconds=60)
        finally:
            for process in filter(_runs, below):
                process.kill()


def _runs(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_change_of_the_code_starts_a_new_search(tmp_path: Path) -> None:
    folder = tmp_path / "tests/reliability/model"
    folder.mkdir(parents=True)
    before = digest_of_code(tmp_path)
    (folder / "known_failures.py").write_text("KNOWN_FAILURES = ()")
    assert digest_of_code(tmp_path) == before
    (folder / "oracle.py").write_text("")
    assert digest_of_code(tmp_path) != before


def test_every_operation_has_jobs_alone_and_with_each_other_operation() -> None:
    """The command runs each operation alone and together with every other operation. Operations
    that ask or answer questions are combined only with operations that start in the same scenarios.
    """
    alone = [operation.name for operation in OPERATIONS if not _is_of_questions(operation)]
    both = {job.names for job in jobs(kinds=("pair",))}
    assert both >= {*combinations_with_replacement(alone, 2)}
    assert {job.names for job in jobs(kinds=("single",))} == {(one.name,) for one in OPERATIONS}


def _is_of_questions(operation: Operation) -> bool:
    return operation.scenarios[0].startswith(QUESTION)
