"""Opens the console in the operator's browser, or prints an address for it."""

import sys
import threading
import webbrowser
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from pathlib import Path

from waitlist_cli.console.guard import ENTER, Guard
from waitlist_cli.terminal.output import Output
from waitlist_cli.terminal.private_files import open_private

# This page opens the console and sends the token in a POST request. The token must not be in a URL,
# because the browser is started with a URL on its command line, which every user of the computer
# can read.
PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<title>Waitlist console</title>
<form method="post" action="{action}"><input type="hidden" name="token" value="{token}">
<button>Open the console</button></form>
<script>document.forms[0].submit()</script></html>
"""
PAGE_NAME = "open.html"


@dataclass(frozen=True)
class Entrance:
    """Opens the console in the operator's browser, or prints an address for it.

    The browser gets a one-time token from a page in `folder`, which only the operator should be
    able to read.
    """

    guard: Guard
    folder: Path
    output: Output
    opens_browser: bool

    def open(self) -> None:
        """Open the console with a new token. The token works once and expires after a minute."""
        if self.opens_browser:
            page = self._write_page()
            # Use a thread, because some browsers, such as text browsers, block the caller until the
            # operator closes them.
            threading.Thread(target=self._browse, args=(page,), daemon=True).start()
        else:
            self._print_address()

    def open_at_each_line(self) -> None:
        """Start a thread that reopens the console each time the operator presses Enter."""
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self) -> None:
        # Reading from the terminal raises an error if the process runs in the background.
        with suppress(OSError, ValueError):
            for _ in iter(sys.stdin.readline, ""):
                self.open()

    def _browse(self, page: str) -> None:
        if not webbrowser.open(page):
            self._print_address()

    def _print_address(self) -> None:
        address = f"{self.guard.origin}/?token={self.guard.new_token()}"
        if self.output.as_json:
            self.output.json_line({"url": address})
        else:
            self.output.line(address)

    def _write_page(self) -> str:
        """Write a page that contains a new token, and return the page's file URL."""
        path = self.folder / PAGE_NAME
        action = escape(f"{self.guard.origin}{ENTER}")
        with open_private(path) as file:
            file.write(PAGE.format(action=action, token=self.guard.new_token()))
        return path.as_uri()
