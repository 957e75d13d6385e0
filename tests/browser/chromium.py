"""Finds the Chromium browser for the browser tests and for `make pictures`."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
MISSING = """\
The browser tests need Chromium. Install it with one of these commands:
  apt-get install chromium                        (Debian)
  .venv/bin/playwright install --with-deps chromium     (Playwright's own, any system)
or pass the path of an installed Chromium: make test-browser CHROMIUM=/path/to/chromium"""


def executable(environ: Mapping[str, str], playwrights_own: str) -> str | None:
    named = environ.get("CHROMIUM", "")
    candidates = [named] if named else [*map(shutil.which, NAMES), playwrights_own]
    return next((path for path in candidates if path and Path(path).is_file()), None)


@contextmanager
def running_chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        path = executable(os.environ, playwright.chromium.executable_path)
        assert path, MISSING
        browser = playwright.chromium.launch(executable_path=path)
        yield browser
        browser.close()


def main() -> int:
    with sync_playwright() as playwright:
        path = executable(os.environ, playwright.chromium.executable_path)
    print(path or MISSING, file=sys.stdout if path else sys.stderr)
    return 0 if path else 1


if __name__ == "__main__":
    sys.exit(main())
