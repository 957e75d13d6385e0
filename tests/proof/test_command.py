"""`python -m proof`, as a developer types it."""

import pytest

from proof.__main__ import main
from proof.jobs import jobs
from proof.known import KNOWN
from proof.pairs import BOTH, Pair
from proof.singles import Single

GOOD = "leave / waiting / crash after / step 1 / retries"


@pytest.mark.parametrize("line", [known.example for known in KNOWN])
def test_a_case_is_called_by_the_line_that_replays_it(line: str) -> None:
    assert str((Pair if BOTH in line else Single).parse(line)) == line


def test_a_good_case_is_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--replay", GOOD]) == 0
    assert capsys.readouterr().out == f"{GOOD}: nothing is wrong\n"


def test_a_failing_case_tells_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    known = next(
        one for one in KNOWN if one.name == "an admission that an erasure has overtaken is counted"
    )
    assert main(["--replay", known.example]) == 1
    assert "counter: signed up, left, admitted" in capsys.readouterr().out


def test_a_search_ends_with_what_it_has_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "look", "--singles"]) == 0
    printed = capsys.readouterr().out
    assert " single faults, 0 interleavings of pairs" in printed
    assert "0 fail: 0 for 0 known causes, 0 for others" in printed


def test_every_operation_has_a_job_alone_and_one_with_each_other() -> None:
    alone = {job.names for job in jobs(with_pairs=False)}
    pairs = {job.names for job in jobs(with_singles=False)}
    assert len(pairs) == len(alone) * (len(alone) + 1) // 2
