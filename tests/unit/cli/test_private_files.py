"""Files with personal data or secrets are readable only by their owner, from the moment they are
created.
"""

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.fake_service import FakeService, answer
from tests.unit.cli.typed import Typed
from waitlist_cli.terminal.private_files import open_private


def read_mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(autouse=True)
def _without_umask() -> Any:
    before = os.umask(0)
    yield
    os.umask(before)


def record_modes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Record each file's permissions while the file is still empty."""
    modes: list[int] = []
    opened, truncated = os.open, os.ftruncate

    def note(descriptor: int) -> None:
        found = os.fstat(descriptor)
        if stat.S_ISREG(found.st_mode) and found.st_size == 0:
            modes.append(stat.S_IMODE(found.st_mode))

    def noting_open(*given: Any, **more: Any) -> int:
        descriptor = opened(*given, **more)
        note(descriptor)
        return descriptor

    def noting_truncate(descriptor: int, length: int) -> None:
        truncated(descriptor, length)
        note(descriptor)

    monkeypatch.setattr(os, "open", noting_open)
    monkeypatch.setattr(os, "ftruncate", noting_truncate)
    return modes


@pytest.mark.parametrize("was", [None, 0o644, 0o666])
@pytest.mark.parametrize("append", [True, False])
def test_a_private_file_is_never_readable_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, was: int | None, append: bool
) -> None:
    """P8"""
    path = tmp_path / "people.csv"
    if was is not None:
        path.write_text("before\n", "utf-8")
        path.chmod(was)
    modes = record_modes(monkeypatch)
    with open_private(path, append=append) as file:
        assert read_mode(path) == 0o600
        file.write("ada\n")
    assert set(modes) <= {0o600}
    kept = "before\n" if append and was is not None else ""
    assert path.read_text("utf-8") == f"{kept}ada\n"


def test_a_device_keeps_its_mode(tmp_path: Path) -> None:
    before = read_mode(Path(os.devnull))
    with open_private(os.devnull) as file:
        file.write("ada\n")
    assert read_mode(Path(os.devnull)) == before


def test_writing_refused_rows_replaces_no_device_and_no_link(
    fake: FakeService, tmp_path: Path
) -> None:
    """The file of refused rows never replaces a device or a link.

    Even if root runs a command with `--refused /dev/null`, the device stays (promise P5).
    """
    people, kept = tmp_path / "people.csv", tmp_path / "kept.csv"
    people.write_text("customer_id\nada\na b\n", "utf-8")
    link, pipe = tmp_path / "link.csv", tmp_path / "pipe.csv"
    link.symlink_to(kept)
    assert Typed(fake.url)("import", "bakery", str(people), "--refused", str(link)).exit_code == 1
    assert link.is_symlink()
    assert "a b" in kept.read_text("utf-8")
    os.mkfifo(pipe)
    people.write_text("customer_id\nada\n", "utf-8")
    Typed(fake.url).run("import", "bakery", str(people), "--refused", str(pipe))
    assert pipe.is_fifo()


@pytest.mark.parametrize("was", [None, 0o644])
def test_only_the_owner_can_read_an_export(
    fake: FakeService, tmp_path: Path, was: int | None
) -> None:
    """P8"""
    path = tmp_path / "people.csv"
    if was is not None:
        path.write_text("before", "utf-8")
        path.chmod(was)
    fake.script = [answer(200, {"page": None}), answer(200, {"entries": [], "cursor": None})]
    Typed(fake.url).run("export", "bakery", "--output", str(path))
    assert read_mode(path) == 0o600
    assert "before" not in path.read_text("utf-8")


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_only_the_owner_can_read_refused_rows_and_tokens(
    fake: FakeService, tmp_path: Path, form: str
) -> None:
    """P8"""
    source, tokens = tmp_path / f"p.{form}", tmp_path / "tokens.csv"
    refused = tmp_path / f"p.refused.{form}"
    source.write_text(
        {"csv": "customer_id,name\n,Ada\nbob,Bob\n", "jsonl": '{}\n{"customer_id": "bob"}\n'}[form],
        "utf-8",
    )
    refused.write_text("of a run before\n", "utf-8")
    refused.chmod(0o644)
    words = ["import", "bakery", str(source), "--tokens", str(tokens)]
    assert Typed(fake.url)(*words).exit_code == 1
    assert (read_mode(refused), read_mode(tokens)) == (0o600, 0o600)
    refused.chmod(0o644)
    assert Typed(fake.url)(*words, "--from-row", "1").exit_code == 1
    assert read_mode(refused) == 0o600
