"""Browser tests and screenshots find an installed Chromium.

If there is none, the error says what to do.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.chromium import executable


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "chromium"
    path.touch(mode=0o755)
    return path


def test_a_chromium_that_is_named_is_used_or_none(program: Path) -> None:
    own = str(program)
    assert executable({"CHROMIUM": own}, "/nowhere") == own
    assert executable({"CHROMIUM": "/nowhere"}, own) is None


def test_without_a_name_the_chromium_in_path_comes_before_that_of_playwright(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(program.parent))
    assert executable({}, "/nowhere") == str(program)
    monkeypatch.setenv("PATH", "")
    assert executable({}, str(program)) == str(program)
    assert executable({}, "/nowhere") is None


def test_the_error_about_a_missing_chromium_says_how_to_install_it() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.browser.chromium"],
        env={**os.environ, "CHROMIUM": "/nowhere"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout) == (1, "")
    assert "apt-get install chromium" in run.stderr
    assert "make test-browser CHROMIUM=" in run.stderr
