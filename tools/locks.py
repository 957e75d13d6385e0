"""Lock the versions and hashes of the packages that run in a stack, deploy a stack or publish a
release. `make locks` runs this program.

Each lock file is made from the `.in` file of the same name, and works on every platform. It
contains a digest of the `.in` file, from which `tests/deployment/test_locks.py` can tell whether
the `.in` file has changed since.

Locked versions do not change unless the `.in` file requires it or `--upgrade` is given.
"""

import argparse
import hashlib
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The lock files, each with the oldest Python version that it supports.
LOCKS = {
    "shared/requirements.txt": "3.13",
    "private_fn/requirements.txt": "3.13",
    "public_fn/requirements.txt": "3.13",
    "requirements-sam.txt": "3.11",
    "requirements-release.txt": "3.11",
}
DIGEST = "# Digest of the source: "


def source_of(lock: Path) -> Path:
    return lock.with_suffix(".in")


def digest_of(source: Path) -> str:
    return hashlib.sha256(source.read_bytes()).hexdigest()


def is_current(lock: Path) -> bool:
    """A lock file is up to date if it was made from the current content of its `.in` file."""
    lines = lock.read_text(encoding="utf-8").splitlines() if lock.exists() else []
    return f"{DIGEST}{digest_of(source_of(lock))}" in lines


def write(lock: Path, python: str, *, upgrade: bool) -> None:
    """Raise CalledProcessError if the requirements contradict each other."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--universal"]
    command += ["--generate-hashes", "--no-build", "--python-version", python, "--no-header"]
    command += ["--upgrade"] if upgrade else []
    command += ["--output-file", str(lock), str(source_of(lock).relative_to(ROOT))]
    subprocess.run(command, cwd=ROOT, check=True)
    header = f"# Written by `make locks`.\n{DIGEST}{digest_of(source_of(lock))}\n"
    lock.write_text(header + lock.read_text(encoding="utf-8"), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description="Lock the versions and hashes of the requirements."
    )
    parser.add_argument("--upgrade", action="store_true", help="lock the newest allowed versions")
    upgrade = parser.parse_args(arguments).upgrade
    for name, python in LOCKS.items():
        write(ROOT / name, python, upgrade=upgrade)
        print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
