"""Stores the model checker's results in a file, so that a stopped run can be continued.

The file's name begins with a hash of the code, so all jobs run again after a change to the code.
Several machines can share a run. Each machine writes its own file and reads the others' files.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.reliability.model.cases import Result
from tests.reliability.model.jobs import ALL_JOBS, Job, Shard, parse
from tests.support.problem import Problem

ROOT = Path(__file__).resolve().parents[3]
RECORDS = ROOT / ".local" / "proof"
CODE = ("public_fn", "private_fn", "shared", "tests/reliability/model", "tests/support")
SUFFIXES = (".py", ".lua")
# Files that only check or display the results. Recorded results remain valid when these files
# change.
JUDGED_LATER = ("known_failures.py", "report.py", "progress.py", "__main__.py")


@dataclass(frozen=True)
class Done:
    job: Job
    cases: int
    failing: tuple[Result, ...] = ()
    seconds: float = 0.0

    def line(self) -> str:
        failing = [
            {"case": str(result.case), "where": result.where, "problems": _plain(result.problems)}
            for result in self.failing
        ]
        return json.dumps(
            {
                "job": asdict(self.job),
                "cases": self.cases,
                "failing": failing,
                "seconds": round(self.seconds, 2),
            }
        )

    @classmethod
    def parse(cls, line: str) -> "Done":
        known = json.loads(line)
        job = Job(**{**known["job"], "names": tuple(known["job"]["names"])})
        failing = [
            Result(
                parse(one["case"]), tuple(Problem(*pair) for pair in one["problems"]), one["where"]
            )
            for one in known["failing"]
        ]
        return cls(job, known["cases"], tuple(failing), known["seconds"])


def _plain(problems: tuple[Problem, ...]) -> list[list[str]]:
    return [[problem.kind, problem.text] for problem in problems]


@dataclass
class Record:
    """A folder of files with all finished jobs for the current version of the code. This run writes
    the file `path`.
    """

    folder: Path = RECORDS
    digest: str = field(default_factory=lambda: digest_of_code())
    shard: Shard = ALL_JOBS

    @property
    def path(self) -> Path:
        part = "" if self.shard.is_all else f"-{self.shard.number}-of-{self.shard.count}"
        return self.folder / f"{self.digest}{part}.jsonl"

    def done(self) -> Iterator[Done]:
        """Yield the results of all finished jobs. Incomplete lines, which a stopped run may have
        left, are skipped.
        """
        for path in sorted(self.folder.glob(f"{self.digest}*.jsonl")):
            for line in path.read_text().splitlines():
                try:
                    yield Done.parse(line)
                except ValueError:
                    continue

    def add(self, done: Done) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.write(f"{done.line()}\n")


def digest_of_code(root: Path = ROOT) -> str:
    hash_ = sha256()
    for path in sorted(path for folder in CODE for path in (root / folder).rglob("*")):
        if path.suffix in SUFFIXES and not _is_later(root, path):
            hash_.update(f"{path.relative_to(root)}\n".encode() + path.read_bytes())
    return hash_.hexdigest()[:16]


def _is_later(root: Path, path: Path) -> bool:
    return path.parent == root / "tests/reliability/model" and path.name in JUDGED_LATER


def commit_of_code(root: Path = ROOT) -> Any:
    """Read the commit from the files in the git folder, because the `git` command may be
    missing.
    """
    git = root / ".git"
    if git.is_file():
        git = Path(git.read_text().removeprefix("gitdir: ").strip())
    try:
        head = (git / "HEAD").read_text().strip()
        if not head.startswith("ref: "):
            return head
        name = head.removeprefix("ref: ")
        common = (
            git / (git / "commondir").read_text().strip() if (git / "commondir").exists() else git
        )
        return (common / name).read_text().strip()
    except OSError:
        return "unknown"
