"""Finds the Chromium that the browser tests and `make pictures` drive."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
MISSING = """\
The browser tests need Chromium. Install it with one of
  apt-get install chromium                        (Debian)
  .venv/bin/playwright install --with-deps chromium     (Playwright's own, any system)
or name one that is installed: make test-browser CHROMIUM=/path/to/chromium"""


def executable(environ: Mapping[str, str], playwrights_own: str) -> str | None:
    """Return the path of the variable CHROMIUM, of PATH, or of Playwright; None without any."""
    named = environ.get("CHROMIUM", "")
    candidates = [named] if named else [*map(shutil.which, NAMES), playwrights_own]
    return next((one for one in candidates if one and Path(one).is_file()), None)


@contextmanager
def running_chromium() -> Iterator[Browser]:
    """Start a browser without a window."""
    with sync_playwright() as playwright:
        path = executable(os.environ, playwright.chromium.executable_path)
        assert path, MISSING
        browser = playwright.chromium.launch(executable_path=path)
        yield browser
        browser.close()


def main() -> int:
    """Exit with 1 and say what to do if there is no Chromium."""
    with sync_playwright() as playwright:
        path = executable(os.environ, playwright.chromium.executable_path)
    print(path or MISSING, file=sys.stdout if path else sys.stderr)
    return 0 if path else 1


if __name__ == "__main__":
    sys.exit(main())
